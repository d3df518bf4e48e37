"""moot alone: the server on this machine, its page in the browser, and what to type next."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from moot.cli import plain
from moot.cli.serve import announce
from moot.cli.session import exit_on_error, load_settings

if TYPE_CHECKING:
    from moot.settings import Settings

LOOPBACK = "127.0.0.1"
PROBE_SECONDS = 2
NEXT_COMMANDS = (
    ('moot ask "…"', "ask a question here"),
    ("moot doctor", "check your keys and models"),
    ("moot --help", "see every command"),
)


def start(open_page: bool) -> None:
    """Serve on this machine alone until stopped. Where moot is running already, say where."""
    with exit_on_error():
        settings = load_settings(host=LOOPBACK)

        from moot.http.serve import CannotListen, run

        def started(address: str) -> None:
            announce(address, settings)
            _write_next()
            # It may wait for the browser to end; the server does not.
            threading.Thread(target=_open, args=(address, open_page), daemon=True).start()

        try:
            run(settings, announce=started, welcome=plain.write)
        except CannotListen:
            address = _own_address(settings)
            if address is None:
                raise
            plain.write(f"moot is already running at {address}")
            _write_next()
            _open(address, open_page)


def _write_next() -> None:
    for command, purpose in NEXT_COMMANDS:
        plain.write(f"  {command:<14}{purpose}")


def _open(address: str, wanted: bool) -> None:
    if not (wanted and sys.stdin.isatty() and sys.stdout.isatty()):
        return
    import webbrowser

    from moot.settings.desktop import has_desktop

    if has_desktop():
        webbrowser.open(address)


def _own_address(settings: Settings) -> str | None:
    """Where moot answers on the port that is taken, if it is moot that took it."""
    import http.client

    import orjson

    connection = http.client.HTTPConnection(LOOPBACK, settings.port, timeout=PROBE_SECONDS)
    try:
        connection.request("GET", "/api/openapi.json")
        described = orjson.loads(connection.getresponse().read())
        if described["info"]["title"] != "moot":
            return None
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
        return None
    finally:
        connection.close()
    return settings.public_url or f"http://{LOOPBACK}:{settings.port}"
