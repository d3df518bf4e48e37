from __future__ import annotations

import json
import signal
import urllib.request

from tests.cli.command import Command


def test_serve_prints_its_address_answers_there_and_stops_when_told(moot: Command) -> None:
    with moot.started("serve", "--port", "0") as server:
        assert server.stdout is not None
        line = server.stdout.readline().decode()
        assert line.startswith("moot is at http://127.0.0.1:")
        with urllib.request.urlopen(f"{line.split()[-1]}/api/modes", timeout=10) as response:
            assert json.load(response)["defaultMode"] == "council"
        server.send_signal(signal.SIGINT)
        _, noise = server.communicate(timeout=20)
    assert server.returncode == 0
    assert b"Traceback" not in noise


def test_serve_on_an_open_address_is_refused(moot: Command) -> None:
    done = moot("serve", "--host", "0.0.0.0")
    assert (done.code, done.out) == (2, "")
    assert "0.0.0.0" in done.err
