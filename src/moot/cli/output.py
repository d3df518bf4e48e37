"""Following a run to its end, told in one of four ways, and what the shell gets to know of it.

panels    a terminal        live panels, stages in sentences, the answer as Markdown
plain     a pipe or file    the answer on stdout; what happens, in sentences, on stderr
json      --json            every event as on the wire, one per line; with --tokens the live text too
quiet     --quiet           the answer alone
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from moot.cli import plain
from moot.cli.ending import answer, exit_code, headline, summary
from moot.cli.narrator import Narrator
from moot.cli.short_id import short_id
from moot.history.notices import SIMULATED, notices
from moot.kernel.clock import monotonic
from moot.kernel.user import LOCAL_USER

if TYPE_CHECKING:
    from moot.cli.terminal import Screen
    from moot.history.views import Deliberation
    from moot.kernel.engine import Engine
    from moot.kernel.followers import Frame
    from moot.kernel.mode import Mode


LOOK_SECONDS = 2.0
"""How often to look whether the process that works on a run is gone, so that this one goes on."""


class Renderer(Protocol):
    """`tokens`: whether it wants the live text; `ping`: how often it wants to be woken."""

    tokens: bool
    ping: float

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def render(self, batch: Sequence[Frame]) -> None: ...

    def end(self, deliberation: Deliberation) -> None: ...


class Quiet:
    """The answer alone on stdout; what qualifies it on stderr."""

    tokens = False
    ping = LOOK_SECONDS

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return

    def render(self, batch: Sequence[Frame]) -> None:
        return

    def end(self, deliberation: Deliberation) -> None:
        _qualify(deliberation, notices(deliberation))
        _write_answer(deliberation)


class Plain(Quiet):
    """The answer on stdout, so that it can be piped on; everything else on stderr."""

    def __init__(self, modes: Mapping[str, Mode[Any]]) -> None:
        self._narrator = Narrator(modes)
        self._lines = plain.Lines()

    def render(self, batch: Sequence[Frame]) -> None:
        for frame in batch:
            passage = self._narrator.passage(frame)
            for line in self._lines.of(passage) if passage else ():
                plain.warn(line)

    def end(self, deliberation: Deliberation) -> None:
        plain.warn("")
        _qualify(deliberation, headline(deliberation))
        _write_answer(deliberation)
        plain.warn(f"\n{summary(deliberation)}")


class Progress(Plain):
    """What happens, on stderr; whoever follows has the last word."""

    def end(self, deliberation: Deliberation) -> None:
        return


class VerdictOnly(Plain):
    """For programs: what happens on stderr, the verdict as JSON on stdout."""

    def end(self, deliberation: Deliberation) -> None:
        from moot.history.verdict import Verdict

        plain.write_json(Verdict.of(deliberation).model_dump_json().encode())


class JsonLines(Quiet):
    def __init__(self, tokens: bool) -> None:
        self.tokens = tokens

    def render(self, batch: Sequence[Frame]) -> None:
        for frame in batch:
            plain.write_json(frame.json())

    def end(self, deliberation: Deliberation) -> None:
        _qualify(deliberation, notices(deliberation))


def _write_answer(deliberation: Deliberation) -> None:
    text = answer(deliberation)
    if text:
        plain.write(text)


def _qualify(deliberation: Deliberation, messages: Sequence[str]) -> None:
    for message in messages:
        plain.warn(message)
    if deliberation.simulated:
        plain.warn(SIMULATED)


def screen_of_terminal() -> Screen | None:
    """The terminal, if stdout is one that can be drawn on."""
    if not sys.stdout.isatty():
        return None
    from moot.cli.terminal import Screen

    screen = Screen()
    return None if screen.is_dumb_terminal else screen


def renderer_for(
    modes: Mapping[str, Mode[Any]], *, json: bool, tokens: bool, quiet: bool, as_lines: bool
) -> Renderer:
    if json:
        return JsonLines(tokens)
    if quiet:
        return Quiet()
    screen = None if as_lines else screen_of_terminal()
    if screen is None:
        return Plain(modes)
    from moot.cli.panels import Panels

    return Panels(screen, modes)


async def follow(engine: Engine, run_id: str, renderer: Renderer) -> int:
    """Tell a run to its end; the exit code that it earns."""
    from moot.history.views import read_deliberation

    last_look = monotonic()
    try:
        with renderer:
            async for batch in engine.follow(run_id, tokens=renderer.tokens, ping=renderer.ping):
                renderer.render(batch)
                if run_id not in engine.running and monotonic() - last_look >= LOOK_SECONDS:
                    last_look = monotonic()
                    await engine.resume(run_id, user=LOCAL_USER)
    except asyncio.CancelledError:
        _print_how_to_go_on(run_id, here=run_id in engine.running)
        raise
    deliberation = await read_deliberation(engine, await engine.run(run_id))
    renderer.end(deliberation)
    return exit_code(deliberation)


def _print_how_to_go_on(run_id: str, here: bool) -> None:
    short = short_id(run_id)
    if here:
        plain.warn(
            f"\nLeft run {short}; finished calls are not lost. "
            f"`moot resume {short}` continues it, `moot cancel {short}` stops it."
        )
    else:
        plain.warn(f"\nRun {short} continues in another process; `moot resume {short}` follows it again.")
