"""How a command meets the rest of moot: settings read, logging set up, errors turned into exit codes.

0  there is an answer            2  bad use: nothing was started
1  it failed                     3  there is an answer, but something is missing in it
130  interrupted (Ctrl-C)
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from moot.cli import plain
from moot.history.safe_text import one_line, safe_text
from moot.kernel.errors import MootError, Rejected
from moot.kernel.log import REQUESTS, RUNS, JsonLines, TextLines
from moot.wiring import database_errors

if TYPE_CHECKING:
    from moot.settings import Configuration, Settings

FAILED, BAD_USE, DEGRADED, INTERRUPTED = 1, 2, 3, 130


def perform(work: Coroutine[Any, Any, int]) -> NoReturn:
    """Run a command to its end and leave with its exit code."""
    with exit_on_error():
        raise typer.Exit(asyncio.run(work))


@contextmanager
def exit_on_error() -> Iterator[None]:
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
    except database_errors() as error:  # asked only now: what needs no database does not load one
        complain(f"The database cannot be used: {one_line(str(error))}. `moot doctor` tells you more.")
        raise typer.Exit(FAILED) from None


def complain(message: str) -> None:
    plain.warn(f"moot: {message}")


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
    _log_to_stderr(configuration.settings)
    return configuration


class _ToStderr(logging.Handler):
    """Writes to what stderr is at that moment: live panels stand in front of it while they are shown."""

    def emit(self, record: logging.LogRecord) -> None:
        print(safe_text(self.format(record)), file=sys.stderr)


def _log_to_stderr(settings: Settings) -> None:
    as_json = settings.log_format == "json"
    handler = _ToStderr()
    handler.setFormatter(JsonLines() if as_json else TextLines())
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler], force=True)
    if settings.log_level != "debug":
        # What others find worth a note is not for the person at the terminal.
        quiet = ("alembic", "asyncio", "aiohttp", "mcp", "sqlalchemy", "uvicorn.access")
        for name in (*quiet, *(() if as_json else (REQUESTS, RUNS))):
            logging.getLogger(name).setLevel(logging.WARNING)
