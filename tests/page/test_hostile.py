"""What models may write and providers may answer, and what the page makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route, expect

from moot.modes import MODES
from moot.testing.process import ModelServerProcess
from tests.page.conftest import SERVE, server
from tests.page.hostile_answers import ANSWERS, HTML, VECTORS, answer, name_of
from tests.page.reader import (
    ask,
    faults_of,
    photograph,
    run_events,
    run_url,
    settled_html,
    unfold,
    wait_for_the_end,
)

MODELS = ("anthropic/claude-opus-4-6", "openai/o3", "google/gemini-2.5-pro", "perplexity/sonar-pro")
QUESTION = f"Is this safe? {HTML[1]}"
BALLOT = "\n\nFINAL RANKING:\n1. Response A\n2. Response B\n\nVOTE: Response A"
SEATS = [f"seat/{place}" for place in range(1, 7)]
A_RUN = 2 * len(SEATS) + 1
"""An answer and a ranking of each seat, and the chairman's answer."""


@contextmanager
def house(script: dict[str, Any], folder: Path) -> Iterator[str]:
    """The address of a server whose models follow a script."""
    with ModelServerProcess(script) as models:
        around = {"DATABASE_URL": f"sqlite:///{folder / 'moot.db'}", "MOOT_EMBEDDER": "off"}
        with server(SERVE, {**models.environment, **around}) as (url, _):
            yield url


class Guarded:
    """A page on which nothing may go wrong, whatever is shown on it."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.faults = faults_of(page)
        self.asked: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))

    def read(self, opening: dict[str, Any]) -> str:
        self.page.goto(run_url(self.address, opening))
        wait_for_the_end(self.page)
        unfold(self.page)
        self.page.wait_for_timeout(250)  # code and formulas are drawn after the text
        # The invented title stands in the list and the tab.
        return f"{self.page.title()}\n{self.page.locator('main').inner_text()}"

    def assert_unharmed(self) -> None:
        assert [request for request in self.asked if not request.startswith(self.address)] == []
        assert self.faults == []
        assert self.page.url.startswith(self.address)


def test_none_of_300_hostile_answers_reaches_out_or_opens_a_dialog_or_offends_the_policy(
    page: Page, tmp_path: Path
) -> None:
    runs = -(-len(ANSWERS) // A_RUN)
    said = [answer(place % len(ANSWERS)) + BALLOT for place in range(runs * A_RUN)]
    queues = {seat: said[2 * runs * place : 2 * runs * (place + 1)] for place, seat in enumerate(SEATS)}
    queues["chair/man"] = said[2 * runs * len(SEATS) :]
    with house({"models": queues, "default": {"text": HTML[1]}}, tmp_path) as address:
        with ThreadPoolExecutor(4) as askers:
            panel = {"councilModels": SEATS, "chairmanModel": "chair/man"}
            openings = list(
                askers.map(lambda _: run_events(address, "council", QUESTION, panel)[0], range(runs))
            )
        guarded = Guarded(page, address)
        shown = "".join(map(guarded.read, openings))
        guarded.assert_unharmed()
    assert len(set(ANSWERS)) >= 300
    assert [name_of(place) for place in range(len(ANSWERS)) if name_of(place) not in shown] == []


def test_hostile_words_do_no_harm_in_the_picture_of_any_mode(page: Page, tmp_path: Path) -> None:
    script = {"default": {"text": "\n\n".join(VECTORS) + BALLOT}}
    content = {"jury": "content", "fact_check": "contentToCheck"}
    with house(script, tmp_path) as address:

        def ask_in(mode: str) -> dict[str, Any]:
            # A request may hold no null character; a reply may.
            text = "\n\n".join(VECTORS).replace("\x00", "")
            config = {content[mode]: text} if mode in content else {}
            return run_events(address, mode, QUESTION, config)[0]

        with ThreadPoolExecutor(4) as askers:
            openings = list(askers.map(ask_in, MODES))
        guarded = Guarded(page, address)
        for opening in openings:
            assert HTML[1] in guarded.read(opening), opening["mode"]
        # Of a run without a result no conversation is kept; the page asks for it and shows the run.
        guarded.faults[:] = [fault for fault in guarded.faults if "404 (Not Found)" not in fault]
        guarded.assert_unharmed()


def poisoned(value: Any, poison: Iterator[str]) -> Any:
    """The value with a vector behind everything in it that a model wrote in words."""
    if isinstance(value, dict):
        return {name: poisoned(one, poison) for name, one in value.items()}
    if isinstance(value, list):
        return [poisoned(one, poison) for one in value]
    return f"{value} {next(poison)}" if isinstance(value, str) and value.count(" ") > 1 else value


def poison_the_stream(route: Route) -> None:
    answered = route.fetch()
    poison = cycle(VECTORS)
    lines = answered.text().split("\n")
    for place, line in enumerate(lines):
        if line.startswith("data: "):
            lines[place] = f"data: {json.dumps(poisoned(json.loads(line[6:]), poison))}"
    route.fulfill(response=answered, body="\n".join(lines))


def test_hostile_words_do_no_harm_where_a_mode_reads_them_out_of_a_reply(page: Page, address: str) -> None:
    guarded = Guarded(page, address)
    with ThreadPoolExecutor(4) as askers:
        openings = list(askers.map(lambda mode: run_events(address, mode, QUESTION)[0], MODES))
    page.route("**/api/runs/*/events*", poison_the_stream)
    for opening in openings:
        assert "onerror" in guarded.read(opening), opening["mode"]
        expect(page.locator(".picture .part").first).to_be_visible()
    guarded.assert_unharmed()


def test_hostile_words_do_no_harm_while_they_arrive(page: Page, tmp_path: Path) -> None:
    text = "\n\n".join(VECTORS) + BALLOT
    with house({"default": {"text": text, "tokens_per_second": 2000}}, tmp_path) as address:
        guarded = Guarded(page, address)
        ask(page, address, "council", QUESTION)
        wait_for_the_end(page)
        unfold(page)
        settled_html(page)
        photograph(page, "hostile")
        links = page.locator(".prose a").evaluate_all("all => all.map((a) => [a.protocol, a.rel, a.target])")
        shown = page.locator(".answer").inner_text()
        guarded.assert_unharmed()
    assert links
    assert {tuple(link) for link in links} <= {
        (protocol, "noopener noreferrer nofollow", "_blank") for protocol in ("http:", "https:", "mailto:")
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
    with house(json.loads(json.dumps(script)), tmp_path) as url:
        ask(page, url, "council")
        wait_for_the_end(page)
        failures = page.locator(".failures")
        expect(failures).to_contain_text("the account is out of credit")
        expect(failures).to_contain_text("Insufficient credits")
        expect(failures).to_contain_text("was not found at its provider")
        expect(failures).to_contain_text("No endpoints found for openai/o3")
        photograph(page, "failures")
        ended = settled_html(page)
        page.reload()
        wait_for_the_end(page)
        assert settled_html(page) == ended


def test_a_provider_that_is_too_busy_is_waited_for_and_then_named(page: Page, tmp_path: Path) -> None:
    busy = {"status": 429, "message": "Rate limit exceeded: 20 requests per minute", "retry_after": "0"}
    ranked = "\n\nFINAL RANKING:\n1. Response A\n2. Response B"
    script = {
        "models": {MODELS[0]: [busy, *[f"Tea, at last.{ranked}"] * 9], MODELS[1]: [busy] * 3},
        "default": {"text": f"Tea.{ranked}"},
    }
    with house(script, tmp_path) as url:
        ask(page, url, "council")
        wait_for_the_end(page)
        failures = page.locator(".failures")
        expect(failures).to_contain_text(MODELS[1].partition("/")[2])
        expect(failures).to_contain_text("is rate limited")
        expect(failures).to_contain_text("Rate limit exceeded: 20 requests per minute")
        expect(failures).not_to_contain_text(MODELS[0].partition("/")[2])
        unfold(page)
        expect(page.locator("main")).to_contain_text("Tea, at last.")
        photograph(page, "busy")
        before = page.locator(".turn").get_attribute("data-run")
        page.get_by_role("button", name=re.compile("what failed|Try again|Retry")).click()
        expect(page.locator(".turn").last).not_to_have_attribute("data-run", before or "")
        wait_for_the_end(page)
        expect(page.locator(".turn").last.locator(".failures")).to_have_count(0)
