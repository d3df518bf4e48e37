"""How a command meets the rest of moot: settings read, logging set up, errors turned into exit codes.

0  there is an answer            2  bad use: nothing was started
1  it failed                     3  there is an answer, but something is missing in it
130  interrupted (Ctrl-C)
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import sys
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from moot.cli.safe_text import one_line, safe_text
from moot.kernel.errors import MootError, Rejected

if TYPE_CHECKING:
    from moot.kernel.engine import Engine
    from moot.settings import Configuration, Settings

FAILED, BAD_USE, DEGRADED, INTERRUPTED = 1, 2, 3, 130
USER = "local"
"""Whose runs these are: whoever may use the command line may see them all."""


def perform(work: Coroutine[Any, Any, int]) -> NoReturn:
    """Run a command to its end and leave with its exit code."""
    with explained():
        raise typer.Exit(asyncio.run(work))


@contextmanager
def explained() -> Iterator[None]:
    """The one place where errors become a sentence and an exit code."""
    from moot.settings import BadSetting

    try:
        yield
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except (Rejected, BadSetting) as error:
        complain(str(error))
        raise typer.Exit(BAD_USE) from None
    except MootError as error:
        complain(str(error))
        raise typer.Exit(FAILED) from None
    except BrokenPipeError:
        raise
    except _database_errors() as error:
        complain(f"The database cannot be used: {one_line(str(error))}. `moot doctor` looks into it.")
        raise typer.Exit(FAILED) from None


def _database_errors() -> tuple[type[Exception], ...]:
    # Asked only when something was raised, so that a command which needs no database never loads this.
    from sqlalchemy.exc import SQLAlchemyError

    return (OSError, sqlite3.Error, SQLAlchemyError)


def complain(message: str) -> None:
    print(f"moot: {safe_text(message)}", file=sys.stderr)


def load_settings(**overrides: object) -> Settings:
    """The settings, with what the command line says on top; logging follows them from here on. What the
    folder's file was not allowed is said, whatever the log's level."""
    configuration = load_configuration(**overrides)
    if configuration.notice:
        complain(configuration.notice)
    return configuration.settings


def load_configuration(**overrides: object) -> Configuration:
    """The same, with where each setting comes from, for a command that says so itself."""
    from moot.settings import Configuration

    configuration = Configuration.load(overrides)
    _log_to_stderr(configuration.settings.log_level)
    return configuration


@asynccontextmanager
async def working(settings: Settings) -> AsyncIterator[Engine]:
    """An engine that works on runs."""
    from moot.library import open_engine

    async with open_engine(settings) as engine:
        yield engine


@asynccontextmanager
async def reading(settings: Settings) -> AsyncIterator[Engine]:
    """An engine to read with: it takes up no run, and asks no provider what it offers."""
    from moot.kernel.engine import Engine
    from moot.kernel.mode import Panel
    from moot.modes import MODES
    from moot.simulator.transport import Simulator
    from moot.store.urls import store_for

    engine = Engine(store_for(settings.database_url), Simulator(), Panel(()), settings, modes=MODES)
    await engine.store.open()
    try:
        yield engine
    finally:
        await engine.store.close()


class _ToStderr(logging.Handler):
    """Writes to what stderr is at that moment: live panels stand in front of it while they are shown."""

    def emit(self, record: logging.LogRecord) -> None:
        print(safe_text(self.format(record)), file=sys.stderr)


def _log_to_stderr(level: str) -> None:
    handler = _ToStderr()
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    if level != "debug":
        # What others find worth a note is not for the person at the terminal.
        for name in ("alembic", "asyncio", "aiohttp", "sqlalchemy", "uvicorn.access"):
            logging.getLogger(name).setLevel(logging.WARNING)
