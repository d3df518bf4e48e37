"""What models may write and providers may answer, and what the page makes of it."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from moot.testing.process import ModelServerProcess
from tests.web.chamber_page import ask, drawn, faults_of, photograph, wait_for_the_end
from tests.web.conftest import running

MODELS = ("anthropic/claude-opus-4-6", "openai/o3", "google/gemini-2.5-pro", "perplexity/sonar-pro")
SERVE = ["-c", "from moot.cli import main; main()", "serve", "--port", "0"]
OUT = "http://evil.invalid"
PAYLOADS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    f"<img src='{OUT}/a.png'>",
    f"![a]({OUT}/b.png)",
    f"![a][ref]\n\n[ref]: {OUT}/c.png",
    f"[![a]({OUT}/d.png)]({OUT}/e)",
    f"![a](<{OUT}/f.png> 'title')",
    "![a](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt:alert(1))",
    "[click](&#106;avascript:alert(1))",
    "[click](java\tscript:alert(1))",
    "[click](vbscript:msgbox(1))",
    "[click](data:text/html,<script>alert(1)</script>)",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    "<svg onload=alert(1)><circle r=5></svg>",
    "<svg><script href='data:text/javascript,alert(1)'/></svg>",
    f"<svg><image href='{OUT}/g.png'/></svg>",
    f"<svg><use href='{OUT}/h.svg#x'/></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<iframe src='javascript:alert(1)'></iframe>",
    f"<iframe src='{OUT}/i'></iframe>",
    f"<object data='{OUT}/j'></object><embed src='{OUT}/k'>",
    f"<link rel=stylesheet href='{OUT}/l.css'>",
    f"<style>@import '{OUT}/m.css'; body {{ background: url({OUT}/n.png) }}</style>",
    f"<div style='background:url({OUT}/o.png);position:fixed;inset:0'>over all</div>",
    f"<base href='{OUT}/'>",
    f"<meta http-equiv=refresh content='0;url={OUT}/p'>",
    f"<video src='{OUT}/q.mp4' autoplay></video><audio src='{OUT}/r.mp3' autoplay></audio>",
    f"<form action='{OUT}/s'><button autofocus>Go on</button></form>",
    "<details open ontoggle=alert(1)>x</details>",
    "<a href='javascript:alert(1)' autofocus onfocus=alert(1)>x</a>",
    "<b id=getElementById>clobber</b><form name=body></form><img name=cookie>",
    "<template><script>alert(1)</script></template>",
    "<!--><img src=x onerror=alert(1)>-->",
    "`<img src=x onerror=alert(1)>`",
    "```html\n<img src=x onerror=alert(1)>\n```",
    '```"><img src=x onerror=alert(1)>\ncode\n```',
    '| a |\n|---|\n| <img src=x onerror=alert(1)> |\n| "><script>alert(1)</script> |',
    "$$\\href{javascript:alert(1)}{x}$$",
    "$\\url{javascript:alert(1)}$ and $\\includegraphics{http://evil.invalid/t.png}$",
    "$$\\style{background:url(http://evil.invalid/u.png)}{x}$$",
    "\u202egnp.exe\u202c \u2066hidden\u2069",
    f"[paypal.com]({OUT}/v)",
    "[user](http://good.example@evil.invalid/w)",
    "https://evil.invalid/auto",
    "<a href=\"http://evil.invalid/x\" ping='http://evil.invalid/ping'>x</a>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<x onclick=alert(1)>" * 50,
    "[" * 500 + "](" * 500,
    "# " + "<" * 400,
]


def test_nothing_a_model_writes_leaves_the_origin_opens_a_dialog_or_offends_the_policy(
    page: Page, tmp_path: Path
) -> None:
    hostile = "\n\n".join(PAYLOADS) + "\n\nFINAL RANKING:\n1. Response A\n2. Response B\n\nVOTE: Response A"
    asked: list[str] = []
    faults = faults_of(page)
    page.on("request", lambda request: asked.append(request.url))
    with (
        ModelServerProcess({"default": {"text": hostile, "tokens_per_second": 2000}}) as models,
        running(SERVE, {**models.environment, "DATABASE_URL": f"sqlite:///{tmp_path / 'moot.db'}"}) as (
            url,
            _,
        ),
    ):
        ask(page, url, "council", f"Is this safe? {PAYLOADS[1]}")
        wait_for_the_end(page)
        page.locator("details").evaluate_all("folds => folds.forEach((fold) => { fold.open = true })")
        drawn(page)
        photograph(page, "hostile")
        links = page.locator(".prose a").evaluate_all("all => all.map((a) => [a.protocol, a.rel, a.target])")
        shown = page.locator(".answer").inner_text()
    assert [request for request in asked if not request.startswith(url)] == []
    assert faults == []
    assert links
    assert {tuple(link) for link in links} <= {
        ("http:", "noopener noreferrer nofollow", "_blank"),
        ("https:", "noopener noreferrer nofollow", "_blank"),
    }
    assert "paypal.com evil.invalid" in " ".join(shown.split())
    assert "<script>alert(1)</script>" in shown
    assert "\u202e" not in shown


def test_failures_are_told_where_they_happen_with_their_cause(page: Page, tmp_path: Path) -> None:
    script = {
        "models": {
            MODELS[0]: [{"status": 402, "message": "Insufficient credits"}] * 9,
            MODELS[1]: [{"status": 404, "message": "No endpoints found for openai/o3"}] * 9,
        },
        "default": {"text": "Tea.\n\nFINAL RANKING:\n1. Response A\n2. Response B"},
    }
    with (
        ModelServerProcess(json.loads(json.dumps(script))) as models,
        running(SERVE, {**models.environment, "DATABASE_URL": f"sqlite:///{tmp_path / 'moot.db'}"}) as (
            url,
            _,
        ),
    ):
        ask(page, url, "council")
        wait_for_the_end(page)
        failures = page.locator(".failures")
        expect(failures).to_contain_text("the account has no credit left")
        expect(failures).to_contain_text("Insufficient credits")
        expect(failures).to_contain_text("is not known to its provider")
        expect(failures).to_contain_text("No endpoints found for openai/o3")
        photograph(page, "failures")
        ended = drawn(page)
        page.reload()
        wait_for_the_end(page)
        assert drawn(page) == ended
