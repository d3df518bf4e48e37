"""The page in a real browser: how soon it is painted, and how smoothly six seats speak at once.

The frames are counted while six columns of Markdown (headings, a table, code, a formula) grow by fifty
words a second each.
"""

from __future__ import annotations

import shutil
import statistics
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import orjson
from playwright.sync_api import Browser, sync_playwright

from bench.bare import QUESTION
from bench.processes import configure

SEATS = [f"seat/{place}" for place in range(1, 7)]
SECONDS = 8
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PARAGRAPH = "The council weighed **each answer** and found that the evidence supports a careful conclusion. "
SECTION = f"""## What speaks for it

{PARAGRAPH * 3}

| Way | Cost | Time |
|---|---|---|
| one repository | low | two weeks |
| several | high | a quarter |

```python
def cost(repositories: int) -> float:
    return 1.5 * repositories ** 2
```

It grows as $c(n) = \\frac{{3}}{{2}} n^2$.

- {PARAGRAPH}
- {PARAGRAPH}

"""
FRAMES = """(seconds) => new Promise((resolve) => {
  const times = []
  const tick = (time) => {
    times.push(time)
    if (time - times[0] < seconds * 1000) requestAnimationFrame(tick)
    else resolve(times)
  }
  requestAnimationFrame(tick)
})"""
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"


class Frames(NamedTuple):
    a_second: float
    slowest_ms: float
    columns: int


@contextmanager
def browser() -> Iterator[Browser | None]:
    path = shutil.which("chromium")
    if path is None:
        yield None
        return
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield started
        started.close()


def first_paint(opened: Browser, address: str) -> float:
    """Milliseconds, with nothing in the browser's cache; the median of five."""
    painted = []
    for _ in range(5):
        context = opened.new_context()
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector(".ask")
        painted.append(float(page.evaluate(PAINTED)))
        context.close()
    return statistics.median(painted)


def begin(address: str) -> dict[str, Any]:
    """Ask, and leave once the run has a name: it goes on by itself."""
    body = orjson.dumps({"question": QUESTION, "councilModels": SEATS})
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}/api/council/stream", body, headers)
    with urllib.request.urlopen(request, timeout=30) as reply:
        line = next(line for line in reply if line.startswith(b"data: "))
    return dict(orjson.loads(line[6:]))


def smoothness(opened: Browser, base: str, address: str) -> Frames:
    configure(base, text=SECTION * 8, tps=50)
    run = begin(address)
    page = opened.new_page(viewport={"width": 1600, "height": 1000})
    page.goto(f"{address}/#/c/{run['conversationId']}?run={run['runId']}")
    page.wait_for_selector(".column-live .prose")
    page.wait_for_timeout(1500)
    columns = page.locator(".column-live .prose").count()
    times: list[float] = page.evaluate(FRAMES, SECONDS)
    page.close()
    gaps = [later - sooner for sooner, later in pairwise(times)]
    return Frames(1000 * len(gaps) / (times[-1] - times[0]), max(gaps), columns)
