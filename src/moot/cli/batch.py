"""moot batch: a file of questions in, a file of outcomes out."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from moot.cli import plain
from moot.cli.ask import ChairmanOption, ConfigOption, ModelsOption, SetOption
from moot.cli.config import config_from, read_config
from moot.cli.ending import dollars
from moot.cli.session import DEGRADED, FAILED, exit_on_error, load_settings, perform
from moot.cli.suggestions import find_mode
from moot.history.safe_text import safe_json, safe_text
from moot.kernel.errors import Rejected
from moot.kernel.user import LOCAL_USER
from moot.wiring import open_engine

if TYPE_CHECKING:
    from rich.progress import Progress

    from moot.batches.collection import BatchView
    from moot.batches.outcomes import BatchOutcome
    from moot.kernel.engine import Engine


def batch(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="JSON Lines: one question on each line; - reads stdin.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Add outcomes to this file instead of stdout."),
    ] = None,
    mode: Annotated[
        str | None, typer.Option("--mode", "-m", help="The mode for questions that do not name one.")
    ] = None,
    models: ModelsOption = None,
    chairman: ChairmanOption = None,
    setting: SetOption = None,
    config: ConfigOption = None,
    budget: Annotated[
        float | None,
        typer.Option("--budget", metavar="DOLLARS", help="Spend no more than this on the whole batch."),
    ] = None,
    at_once: Annotated[
        int, typer.Option("--at-once", min=1, max=500, help="How many questions to work on at a time.")
    ] = 4,
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", help="Name of the batch; under a new name, everything is asked again."
        ),
    ] = None,
) -> None:
    """Ask many questions from a file.

    Every line is a question in quotes or an object such as {"id": "q1", "question": "…"}. All lines are
    checked before anything is asked. Outcomes are JSON Lines, in the order they are ready. If it is
    stopped or killed, start it again: nothing is asked or paid for twice.

    Exit codes: 0 all answered, 1 none answered, 2 usage error, 3 something is missing.
    """
    called = name or ("-" if file == "-" else str(Path(file).resolve()))
    with exit_on_error():
        if budget is not None and budget <= 0:
            raise Rejected("--budget must be more than 0")
        text = _read(file)
        base = None if config is None else read_config(config)
        known = _told(output)

    options = Options(mode, base, models, chairman, tuple(setting or ()))
    perform(_work(text, options, called, budget, at_once, output, known))


@dataclass(frozen=True, slots=True)
class Options:
    """What the options say about questions that do not say it themselves."""

    mode: str | None
    config: Mapping[str, Any] | None
    models: str | None
    chairman: str | None
    settings: tuple[str, ...]

    def defaults(self, engine: Engine) -> dict[str, Any]:
        mode = find_mode(self.mode or engine.settings.default_mode, engine.modes)
        config = config_from(
            mode.config.model_json_schema(),
            base=self.config,
            models=self.models,
            special=self.chairman,
            settings=self.settings,
        )
        return {"mode": mode.id} if config is None else {"mode": mode.id, "modeConfig": config}


async def _work(
    text: bytes,
    options: Options,
    name: str,
    budget: float | None,
    at_once: int,
    output: Path | None,
    known: set[str],
) -> int:
    from moot.batches.collection import open_batch, read_batch
    from moot.batches.driver import work_through
    from moot.batches.lines import checked_lines, read_lines

    async with open_engine(load_settings()) as engine:
        lines = await checked_lines(engine, read_lines(text), options.defaults(engine), budget=budget)
        stored = await open_batch(engine, LOCAL_USER, lines, name=name, budget=budget, at_once=at_once)
        with _sink(output) as sink, Bar(len(lines)) as bar:
            bar.show(await read_batch(engine, LOCAL_USER, stored.id))
            try:
                async with aclosing(work_through(engine, stored, known)) as outcomes:
                    async for outcome in outcomes:
                        _write(outcome, sink)
                        bar.show(await read_batch(engine, LOCAL_USER, stored.id))
            except asyncio.CancelledError:
                plain.warn(
                    "\nInterrupted; finished answers are not lost. Run the same command again to continue."
                )
                raise
        return _ending(await read_batch(engine, LOCAL_USER, stored.id))


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise Rejected(f"{file!r} cannot be read: {error.strerror}") from None


def _told(output: Path | None) -> set[str]:
    """The runs whose outcomes the file has. What a killed process left of a line is cut off."""
    import orjson

    if output is None or not output.exists():
        return set()
    try:
        text = output.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        told = {orjson.loads(line)["runId"] for line in whole.splitlines() if line.strip()}
        if text != whole:
            with output.open("r+b") as file:
                file.truncate(len(whole))
    except OSError as error:
        raise Rejected(f"--output: {str(output)!r} cannot be used: {error.strerror}") from None
    except (ValueError, TypeError, KeyError):
        raise Rejected(
            f"--output: {str(output)!r} contains something other than outcomes: choose another file"
        ) from None
    return told


def _sink(output: Path | None) -> IO[bytes]:
    if output is None:
        return open(sys.stdout.fileno(), "wb", closefd=False)
    try:
        return output.open("ab")
    except OSError as error:
        raise Rejected(f"--output: {str(output)!r} cannot be written: {error.strerror}") from None


def _write(outcome: BatchOutcome, sink: IO[bytes]) -> None:
    sink.write(safe_json(outcome.model_dump_json()).encode() + b"\n")
    sink.flush()


class Bar:
    """How far it is, on stderr: a bar on a terminal, else a line for every tenth."""

    def __init__(self, questions: int) -> None:
        self._questions = questions
        self._tenth = 0
        self._bar: Progress | None = None

    def __enter__(self) -> Bar:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            text = TextColumn("{task.description}", markup=False)
            columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), text)
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.add_task("", total=self._questions)
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, seen: BatchView) -> None:
        done = seen.questions - seen.waiting - seen.running
        parts = [f"{seen.running} running"]
        parts += [f"{count} {word}" for word, count in _missing(seen).items() if count]
        if seen.spent:
            parts.append(dollars(seen.spent))
        if seen.reason:
            parts.append(seen.reason)
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=done, description=safe_text(" · ".join(parts)))
        elif done * 10 // seen.questions > self._tenth:
            self._tenth = done * 10 // seen.questions
            plain.warn(f"{done} of {seen.questions} · {' · '.join(parts)}")


def _missing(seen: BatchView) -> dict[str, int]:
    return {
        "degraded": seen.degraded,
        "failed": seen.failed,
        "cancelled": seen.cancelled,
        "refused": seen.refused,
        "deleted": seen.deleted,
        "not asked": seen.waiting if seen.status != "running" else 0,
    }


def _ending(seen: BatchView) -> int:
    """Say what came of it; the exit code that it earns."""
    missing = {word: count for word, count in _missing(seen).items() if count}
    parts = [f"{seen.complete + seen.degraded} of {seen.questions} answered"]
    parts += [f"{count} {word}" for word, count in missing.items()]
    plain.warn(" · ".join([*parts, dollars(seen.spent)] if seen.spent else parts))
    if seen.reason:
        plain.warn(f"Stopped: {seen.reason}")
    if not seen.complete + seen.degraded:
        return FAILED
    return DEGRADED if missing else 0
