"""What tests do with the page, in a reader's words."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from playwright.sync_api import ConsoleMessage, Dialog, Error, Locator, Page, expect

from tests.harness.waiting import PATIENCE
from tests.page.scripted_runs import ScriptedRun

SETTLED = """() => {
  const whole = document.querySelector('main').cloneNode(true)
  whole.querySelectorAll('[data-run]').forEach((turn) => turn.removeAttribute('data-run'))
  return whole.innerHTML.replace(/ id="[^"]*"| for="[^"]*"| aria-(labelledby|describedby)="[^"]*"/g, '')
}"""

AXE = """(rules) => axe.run(document, { runOnly: rules })
  .then((all) => all.violations.map((one) => one.id + ': ' + one.nodes.map((node) => node.html).join(' ')))"""

POLICY = """document.addEventListener(
  'securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`))"""


def faults_of(page: Page) -> list[str]:
    """All that goes wrong on the page from now on: errors, dialogs, what the policy forbids."""
    faults: list[str] = []

    def said(message: ConsoleMessage) -> None:
        if message.type == "error":
            faults.append(message.text)

    def opened(dialog: Dialog) -> None:
        faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def failed(error: Error) -> None:
        faults.append(str(error))

    page.on("console", said)
    page.on("dialog", opened)
    page.on("pageerror", failed)
    page.add_init_script(POLICY)
    return faults


def ask(page: Page, address: str, mode: str, question: str = "Is tea better than coffee?") -> None:
    page.goto(f"{address}/#/")
    choose_mode(page, mode)
    page.locator(".question-box").last.fill(question)
    page.keyboard.press("Enter")
    page.wait_for_selector(".turn")


def choose_mode(page: Page, mode: str) -> None:
    """One of the four to start with, or one of all."""
    page.wait_for_selector("input[name=mode]")
    choice = page.locator(f"input[name=mode][value={mode}]")
    if choice.count() == 0:
        page.get_by_role("button", name=re.compile(r"All \d+ modes")).click()
    choice.check()


def run_events(
    address: str, mode: str, question: str, config: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """All that a run tells, asked for without a page."""
    body = json.dumps({"question": question, "mode": mode, "modeConfig": config or {}}).encode()
    headers = {"Content-Type": "application/json"}
    with urlopen(Request(f"{address}/api/council/stream", body, headers), timeout=PATIENCE) as response:
        return [json.loads(line[6:]) for line in response if line.startswith(b"data: ")]


def start_run(page: Page, address: str, run: ScriptedRun) -> None:
    """Ask, and look on while the run is under way."""
    page.goto(f"{address}/#/")
    request: dict[str, Any] = {"question": run.question, "mode": run.mode, "modeConfig": run.config}
    opening = page.evaluate(
        """async (request) => {
          const headers = { 'Content-Type': 'application/json' }
          const answer = await fetch('/api/council/stream', { method: 'POST', headers, body: JSON.stringify(request) })
          const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
          let text = ''
          while (!/^data: (.+)$/m.test(text)) text += (await reader.read()).value
          return JSON.parse(/^data: (.+)$/m.exec(text)[1])
        }""",
        request,
    )
    page.goto(run_url(address, opening))


def run_url(address: str, opening: dict[str, Any]) -> str:
    """Where a run is to be seen; by its own id too, as nothing is kept of one that failed."""
    return f"{address}/#/c/{opening['conversationId']}?run={opening['runId']}"


def open_run(page: Page, place: str) -> Locator:
    """The picture of a run that is over."""
    page.goto(place)
    picture = page.locator(".turn[data-ended=true] .picture")
    expect(picture.locator(".part").first).to_be_visible()
    picture.locator("details.stage").evaluate_all(
        "stages => stages.forEach((stage) => { stage.open = true })"
    )
    return picture


def section(picture: Locator, title: str) -> Locator:
    return picture.locator(".part", has=picture.page.get_by_role("heading", name=title))


def unfold(page: Page) -> None:
    """Open every fold, and those within."""
    for _ in range(3):
        page.locator(".turn details").evaluate_all("folds => folds.forEach((fold) => { fold.open = true })")
        page.wait_for_timeout(60)


def wait_for_the_end(page: Page) -> None:
    expect(page.locator(".turn").last).to_have_attribute("data-ended", "true")
    expect(page.locator(".turn").last.locator(".picture")).to_be_attached()  # it is fetched by itself


def settled_html(page: Page) -> str:
    """The page as it stands, save the names that React deals anew each time."""
    before, unchanged = "", 0
    for _ in range(150):  # titles, code, formulas and the form for a follow-up come after the text is drawn
        text: str = page.evaluate(SETTLED)
        unchanged = unchanged + 1 if text == before else 0
        if unchanged == 6:
            return text
        before = text
        page.wait_for_timeout(150)
    raise AssertionError("The page did not come to rest.")


def photograph(page: Page, name: str) -> None:
    """A picture to look at, where a folder for it was named."""
    folder = os.environ.get("MOOT_SCREENSHOTS")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)
