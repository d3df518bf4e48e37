"""moot alone, as somebody types it first."""

from __future__ import annotations

import signal
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.command import Command
from tests.cli.pseudo_terminal import on_terminal
from tests.harness.waiting import PATIENCE

NEXT = """\
  moot ask "…"  ask a question here
  moot doctor   check your keys and models
  moot --help   see every command
"""


@pytest.fixture
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


@contextmanager
def running(moot: Command) -> Iterator[str]:
    """`moot` without a word, and all it prints until its page answers."""
    with moot.started() as server:
        assert server.stdout is not None
        yield "".join(server.stdout.readline().decode() for _ in range(4))
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=PATIENCE)
    assert server.returncode == 0


def test_moot_alone_serves_on_this_machine_and_says_what_to_type_next(tmp_path: Path, free_port: int) -> None:
    moot = Command(tmp_path, {"MOOT_PORT": str(free_port), "MOOT_HOST": "0.0.0.0"})
    with running(moot) as printed:
        assert printed == f"moot is at http://127.0.0.1:{free_port}\n{NEXT}"
        with urllib.request.urlopen(f"http://127.0.0.1:{free_port}/", timeout=PATIENCE) as page:
            assert b"<title>moot" in page.read()


def test_a_second_moot_says_where_the_first_one_is(tmp_path: Path, free_port: int) -> None:
    moot = Command(tmp_path, {"MOOT_PORT": str(free_port)})
    with running(moot):
        again = moot()
    assert (again.code, again.out) == (0, f"moot is already running at http://127.0.0.1:{free_port}\n{NEXT}")


def test_a_port_that_something_else_has_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = Command(tmp_path, {"MOOT_PORT": str(port)})()
    assert refused.code == 1
    assert f"Cannot listen on 127.0.0.1:{port}" in refused.err
    assert f"`moot serve --port {port + 1}`" in refused.err
    assert "Traceback" not in refused.err


DESKTOP = {"DISPLAY": ":7"}
AFAR = {**DESKTOP, "SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22"}


def test_the_page_opens_in_the_browser_of_a_desktop_and_nowhere_else(tmp_path: Path, free_port: int) -> None:
    """One moot holds the port, so that those on the terminal end by themselves."""
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {opened}\n')
    browser.chmod(0o755)
    port = {"MOOT_PORT": str(free_port), "BROWSER": f"{browser} %s"}
    moot, desktop, afar = (Command(tmp_path, {**port, **more}) for more in ({}, DESKTOP, AFAR))
    with running(moot):
        assert desktop().code == 0  # but not on a terminal
        on_terminal(moot)
        on_terminal(afar)
        on_terminal(desktop, "--no-open")
        assert not opened.exists()
        on_terminal(desktop)
    assert opened.read_text() == f"http://127.0.0.1:{free_port}\n"
