from __future__ import annotations

import json
import signal
import urllib.request
from urllib.error import HTTPError

import pytest

from tests.cli.command import Command
from tests.harness.waiting import PATIENCE


def test_serve_prints_its_address_answers_there_and_stops_when_told(moot: Command) -> None:
    with moot.started("serve", "--port", "0") as server:
        assert server.stdout is not None
        line = server.stdout.readline().decode()
        assert line.startswith("moot is at http://127.0.0.1:")
        with urllib.request.urlopen(f"{line.split()[-1]}/api/modes", timeout=PATIENCE) as response:
            assert json.load(response)["defaultMode"] == "council"
        server.send_signal(signal.SIGINT)
        _, noise = server.communicate(timeout=PATIENCE)
    assert server.returncode == 0
    assert b"Traceback" not in noise


def test_serve_on_an_open_address_asks_for_a_login_and_prints_the_way_in(moot: Command) -> None:
    with moot.started("serve", "--host", "0.0.0.0", "--port", "0") as server:
        assert server.stdout is not None
        address = server.stdout.readline().decode().split()[-1]
        welcome = server.stdout.readline().decode()
        assert welcome.startswith(f"Create the first administrator within a day: {address}/#/link/")
        with pytest.raises(HTTPError, match="401"):
            urllib.request.urlopen(f"{address}/api/modes", timeout=PATIENCE)
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=PATIENCE)
    assert server.returncode == 0
