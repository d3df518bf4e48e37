"""moot show: what came of a run, or of every question of a conversation, as it was told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from moot.cli import plain
from moot.cli.session import load_settings, perform
from moot.kernel.errors import NotFound
from moot.kernel.user import LOCAL_USER
from moot.wiring import open_reader

if TYPE_CHECKING:
    from moot.cli.terminal import Screen
    from moot.history.views import Deliberation, Transcript
    from moot.kernel.engine import Engine


def show(
    name: Annotated[str, typer.Argument(metavar="RUN|CONVERSATION", help="Id of either, or how it begins.")],
    full: Annotated[bool, typer.Option("--full", help="All that the models wrote, too.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="A run's events as on the wire; a conversation as in the API.")
    ] = False,
) -> None:
    """Show what came of a run or a conversation."""

    async def work() -> int:
        from moot.history.views import Transcript

        async with open_reader(load_settings()) as engine:
            subject = await _read(engine, name)
        if isinstance(subject, Transcript):
            show_conversation(subject, full, json)
        else:
            show_run(subject, full, json)
        return 0

    perform(work())


async def _read(engine: Engine, prefix: str) -> Deliberation | Transcript:
    """The run whose id begins so, or else the conversation."""
    from moot.history.conversations import find_conversation
    from moot.history.runs import find_run
    from moot.history.views import read_deliberation, read_transcript

    try:
        return await read_deliberation(engine, await find_run(engine, LOCAL_USER, prefix))
    except NotFound:
        pass
    try:
        conversation = await find_conversation(engine, LOCAL_USER, prefix)
    except NotFound:
        raise NotFound(f"There is no run and no conversation {prefix}") from None
    return await read_transcript(engine, conversation.id, LOCAL_USER, calls=True)


def show_run(deliberation: Deliberation, full: bool, json: bool) -> None:
    if json:
        for event in wire(deliberation):
            plain.write_json(event)
        return
    page = _page()
    page.question(deliberation.record.question)
    page.stages(deliberation, full)
    page.ending(deliberation)


def show_conversation(transcript: Transcript, full: bool, json: bool) -> None:
    from moot.history.views import ConversationView

    if json:
        plain.write_json(ConversationView.of_transcript(transcript).model_dump_json().encode())
        return
    page = _page()
    page.title(f"{transcript.conversation.title} ({transcript.conversation.mode})")
    for turn in transcript.turns:
        if turn.message.role == "user":
            page.question(turn.message.content)
        elif turn.deliberation is not None:
            if full:
                page.stages(turn.deliberation, full)
            page.ending(turn.deliberation)


def wire(deliberation: Deliberation) -> list[bytes]:
    """A run's events, each as it was on the wire."""
    from moot.kernel.followers import Frame

    return [Frame.of(number, event).json() for number, event in deliberation.stored_events]


def _page() -> PlainPage | ScreenPage:
    from moot.cli.output import screen_of_terminal

    screen = screen_of_terminal()
    return PlainPage() if screen is None else ScreenPage(screen)


class PlainPage:
    def title(self, text: str) -> None:
        plain.write(f"{text}\n")

    def question(self, text: str) -> None:
        plain.write(f"> {text}\n")

    def stages(self, deliberation: Deliberation, full: bool) -> None:
        from moot.history.event_table import facts_of

        for event in map(orjson.loads, wire(deliberation)):
            plain.write(plain.line(event))
            for text in facts_of(event).texts if full else ():
                plain.write(f"\n[{text.who} – {text.name}]\n{text.text}\n")
        plain.write()

    def ending(self, deliberation: Deliberation) -> None:
        plain.write(f"{plain.ending(deliberation)}\n")


class ScreenPage:
    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    def title(self, text: str) -> None:
        from rich.text import Text

        self._screen.print(Text(text, style="bold underline"))

    def question(self, text: str) -> None:
        from rich.text import Text

        self._screen.print(Text(f"\n> {text}\n", style="bold"))

    def stages(self, deliberation: Deliberation, full: bool) -> None:
        from moot.cli.terminal import event_view

        for event in map(orjson.loads, wire(deliberation)):
            lasting = event_view(event, full=full)
            if lasting is not None:
                self._screen.print(lasting)

    def ending(self, deliberation: Deliberation) -> None:
        from moot.cli.terminal import ending

        self._screen.print(ending(deliberation))
