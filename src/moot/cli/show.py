"""moot show: what came of a run, or of every question of a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from moot.cli import plain
from moot.cli.ending import headline
from moot.cli.session import load_settings, perform
from moot.history.notices import notices
from moot.kernel.errors import NotFound
from moot.kernel.user import LOCAL_USER
from moot.wiring import open_reader

if TYPE_CHECKING:
    from moot.cli.terminal import Screen
    from moot.history.views import Deliberation, Transcript
    from moot.kernel.engine import Engine
    from moot.kernel.narration import Passage


def show(
    name: Annotated[str, typer.Argument(metavar="RUN|CONVERSATION", help="An id, or the beginning of one.")],
    full: Annotated[bool, typer.Option("--full", help="Include everything the models wrote.")] = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print a run's events, or a conversation as the API returns it, as JSON."
        ),
    ] = False,
) -> None:
    """Show a run or a conversation."""

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
        raise NotFound(f"There is no run or conversation {prefix}") from None
    return await read_transcript(engine, conversation.id, LOCAL_USER, calls=True)


def show_run(deliberation: Deliberation, full: bool, json: bool) -> None:
    if json:
        for event in wire(deliberation):
            plain.write_json(event)
        return
    page = _page()
    page.question(deliberation.record.question)
    page.stages(deliberation, full)
    page.ending(deliberation, headline(deliberation))


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
            said = headline(turn.deliberation) if full else notices(turn.deliberation)
            page.ending(turn.deliberation, said)


def passages(deliberation: Deliberation) -> Iterator[Passage]:
    """What happened, as it was told while it did."""
    from moot.cli.narrator import Narrator
    from moot.kernel.followers import Frame
    from moot.modes import MODES

    narrator = Narrator(MODES)
    for number, event in deliberation.stored_events:
        passage = narrator.passage(Frame.of(number, event))
        if passage is not None:
            yield passage


def replies(deliberation: Deliberation) -> Iterator[tuple[str, str]]:
    """Every reply, under who wrote it and in which step."""
    from moot.kernel.narration import seat_name

    for call in deliberation.calls:
        if call.text is not None:
            model = None if deliberation.is_anonymous else call.model
            yield f"{seat_name(call.seat, model)} · {call.step}", call.text


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
        lines = plain.Lines()
        for passage in passages(deliberation):
            plain.write("\n".join(lines.of(passage)))
        plain.write()
        for heading, text in replies(deliberation) if full else ():
            plain.write(f"{heading}\n\n{text}\n")

    def ending(self, deliberation: Deliberation, messages: Sequence[str]) -> None:
        plain.write(f"{plain.ending(deliberation, messages)}\n")


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
        from moot.cli.terminal import Passages, reply

        views = Passages()
        for passage in passages(deliberation):
            self._screen.print(views.view(passage))
        for heading, text in replies(deliberation) if full else ():
            self._screen.print(reply(heading, text))

    def ending(self, deliberation: Deliberation, messages: Sequence[str]) -> None:
        from moot.cli.terminal import ending

        self._screen.print(ending(deliberation, messages))
