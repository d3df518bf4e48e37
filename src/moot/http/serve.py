"""Serving: the application under uvicorn, from the first request to an orderly end.

    run(Settings.load(), announce=print, welcome=print)         # http://127.0.0.1:8765

When the process is told to stop, streams are closed first (a reader comes back for the rest), then
connections, then the engine lets go of its runs; the next process takes them up where they were.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.server import HANDLED_SIGNALS

from moot.accounts.links import first_link, path_of
from moot.batches.driver import driving
from moot.fleet.membership import Kind, membership
from moot.http import create_app
from moot.http.fleet import FleetApp
from moot.http.protocol import FleetProtocol, TimelyProtocol
from moot.http.stream import Streams
from moot.kernel.engine import Engine
from moot.kernel.errors import MootError
from moot.settings import BadSetting, Settings
from moot.templates.embedding.builtin import one_thread
from moot.transport import Transport
from moot.wiring import open_engine

BACKLOG = 2048
KEEP_ALIVE_SECONDS = 30
GRACE_SECONDS = 2
_LEVELS = ("debug", "info", "warning", "error", "critical")


def require_postgres(settings: Settings, who: str) -> None:
    """Raise BadSetting unless the database is one that many machines can share."""
    if settings.database_url.startswith("sqlite:"):
        raise BadSetting(
            f"{who} shares its database with other processes, and SQLite stays on one machine: "
            "set DATABASE_URL to postgresql://user@host/name."
        )


class CannotListen(MootError):
    """The address cannot be had; the message names it and what to do."""


def run(settings: Settings, announce: Callable[[str], None], welcome: Callable[[str], None]) -> None:
    """Serve until the process is told to stop. `announce` is given the address once it answers, `welcome`
    the link that makes the first administrator, if there is none yet."""
    run_long(serve(settings, announce, welcome=welcome))


def run_long(work: Coroutine[Any, Any, None]) -> None:
    """Run what goes on until the process is told to stop."""
    one_thread()
    _collect_seldom()
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(work)


def _collect_seldom() -> None:
    """A thousand runs at once are a million living objects. To look through them for garbage every few
    hundred new ones, as Python does by default, takes a third of all time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    gc.enable()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop
    except ImportError:  # it is not made for Windows
        return asyncio.new_event_loop
    return uvloop.new_event_loop


async def serve(
    settings: Settings,
    announce: Callable[[str], None],
    *,
    welcome: Callable[[str], None] = print,
    transport: Transport | None = None,
) -> None:
    """See `run`. `transport` replaces the way to the models, as in `open_engine`."""
    works = settings.deliberate
    if not works:
        require_postgres(settings, "A server that leaves deliberating to others")
    with listening(settings.host, settings.port) as listener:
        async with open_engine(settings, transport=transport, adopts=works, deliberates=works) as engine:
            first = await first_link(engine) if settings.identification == "accounts" else None
            place = settings.public_url or address(listener)

            def started() -> None:
                announce(place)
                if first is not None:
                    welcome(place + path_of(first.token))

            app = create_app(engine)
            server = Server(app, app.state.streams, settings, started)
            async with in_fleet(engine, "both" if works else "door"), driving(engine):
                await server.serve(sockets=[listener])


class Server(uvicorn.Server):
    """uvicorn, save that it announces itself, closes our streams, and leaves the process alive at the
    end: the engine has yet to put its runs away."""

    protocol: type[TimelyProtocol] = TimelyProtocol

    def __init__(
        self,
        app: ASGIApp,
        streams: Streams,
        settings: Settings,
        announce: Callable[[], None] = lambda: None,
    ) -> None:
        level = settings.log_level
        if settings.log_format == "text" and level != "debug":
            # Its own lines say nothing that ours do not; what goes wrong is still told.
            level = max(level, "warning", key=_LEVELS.index)
        config = uvicorn.Config(
            app,
            http=self.protocol,
            ws="none",
            lifespan="off",
            access_log=False,  # its lines would hold what people search for; ours are in `access_log.py`
            log_config=None,
            log_level=level,
            server_header=False,
            proxy_headers=False,  # `peer.py` reads them, and only from proxies that are trusted
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        super().__init__(config)
        self._streams = streams
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._streams.close()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in HANDLED_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class FleetServer(Server):
    """The same for other processes of the fleet; when to stop, the process says."""

    protocol = FleetProtocol

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def in_fleet(engine: Engine, kind: Kind) -> AsyncIterator[None]:
    """Inside, this process is one of the fleet on its database, and the others can reach it. Where nothing
    can be shared, or a server has no secret to know the others by, nobody listens."""
    settings, secret = engine.settings, engine.settings.fleet_secret
    if settings.database_url.startswith("sqlite:") or (secret is None and kind != "worker"):
        async with membership(engine, kind, None):
            yield
        return
    app = FleetApp(engine, None if secret is None else secret.get_secret_value())
    with listening(settings.fleet_host, settings.fleet_port) as listener:
        server = FleetServer(app, app.streams, settings)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            async with membership(engine, kind, address(listener)):
                yield
        finally:
            server.should_exit = True
            await asyncio.wait([serving])


def listening(host: str, port: int) -> socket.socket:
    """A socket on that address, 0 for any free port. Raises CannotListen."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, else asyncio would not turn off Nagle's delay on the connections accepted.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere it would let two servers have the same port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        reason, other = error.strerror or error, port + 1 if port < 65535 else 0
        raise CannotListen(
            f"Cannot listen on {host}:{port}: {reason}. "
            f"Choose another port, for example `moot serve --port {other}`."
        ) from None
    return listener


def address(listener: socket.socket) -> str:
    host, port, *_ = listener.getsockname()
    if host in ("0.0.0.0", "::"):  # everywhere, so here too; elsewhere people know this machine's name
        host = "127.0.0.1"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
