"""A real browser and a real server for the page's tests.

Without a page, a browser or the right to install one, these tests are reported as not run; where CI is
set that is a failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from bench.page import ARGUMENTS
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from moot.http.page import BUILT
from moot.testing.process import ModelServerProcess
from tests.harness.waiting import PATIENCE
from tests.page.reader import run_events, run_url
from tests.page.scripted_runs import RUNS, ScriptedRun, script
from tests.page.scripted_works import WORKS

expect.set_options(timeout=PATIENCE * 1000)
SERVE = ["-c", "from moot.cli import main; main()", "serve", "--port", "0"]
QUICK = 40
"""How many times as fast the simulated models are."""
DIALECTICS = {
    "cats": "Should a family with a garden keep cats or dogs?",
    "repositories": "Should a team of five keep one repository or several?",
}


def not_run(reason: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not (BUILT / "index.html").is_file():
        not_run("The page is not built: run tools/build-page.")
    path = shutil.which("chromium")
    if path is None:
        not_run("There is no chromium here: install it with tools/chromium.")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    new = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
    new.set_default_timeout(PATIENCE * 1000)
    yield new
    new.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@contextmanager
def server(command: Sequence[str], environment: dict[str, str] | None = None) -> Iterator[tuple[str, int]]:
    """The address and the process id of a server that is ended at the end."""
    given = {**os.environ, **(environment or {})}
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True, env=given)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1], process.pid
    finally:
        process.terminate()
        process.wait(PATIENCE)
        process.stdout.close()


def simulated_server(database: Path, port: int = 0, speed: float = QUICK) -> list[str]:
    return ["-m", "tests.page.server_process", f"sqlite:///{database}", str(port), str(speed)]


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with quick simulated models, shared by the tests of a file."""
    with server(simulated_server(tmp_path_factory.mktemp("page") / "moot.db")) as (url, _):
        yield url


@pytest.fixture(scope="session")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose models say what `scripted_runs` has them say."""
    database = f"sqlite:///{tmp_path_factory.mktemp('scripted') / 'moot.db'}"
    with ModelServerProcess(script(*WORKS.values())) as models:
        environment = {
            **models.environment,
            "DATABASE_URL": database,
            "MOOT_TITLE_MODEL": "title/model",
            "MOOT_LOG_LEVEL": "warning",
        }
        with server(SERVE, environment) as (url, _):
            yield url


@dataclass(frozen=True)
class FinishedRun:
    """A run that is over: where it is to be seen, and all its events."""

    url: str
    events: list[dict[str, Any]]

    def data(self, type: str) -> list[Any]:
        return [event["data"] for event in self.events if event["type"] == type]


def finish_runs(address: str, runs: Mapping[str, ScriptedRun]) -> dict[str, FinishedRun]:
    """Hold them side by side, each to its end."""

    def hold(run: ScriptedRun) -> FinishedRun:
        events = run_events(address, run.mode, run.question, run.config)
        return FinishedRun(run_url(address, events[0]), events)

    with ThreadPoolExecutor(4) as askers:
        return dict(zip(runs, askers.map(hold, runs.values()), strict=True))


@pytest.fixture(scope="session")
def finished(scripted: str) -> dict[str, FinishedRun]:
    """Every scripted run, held once for all tests."""

    return finish_runs(scripted, {**RUNS, **WORKS})


@pytest.fixture(scope="session")
def dialectics(address: str) -> dict[str, FinishedRun]:
    """Two dialectics of simulated models, which leave traces."""
    return finish_runs(
        address, {name: ScriptedRun("dialectic", question) for name, question in DIALECTICS.items()}
    )


@pytest.fixture(scope="session")
def axe() -> Path:
    script = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
    if not script.is_file():
        not_run("axe-core is not installed: run tools/build-page.")
    return script
