"""moot templates: the ways of reasoning that a dialectic builds on, and your own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from moot.cli import plain
from moot.cli.runs import JsonOption
from moot.cli.session import FAILED, load_settings, perform
from moot.history.safe_text import safe_json
from moot.kernel.errors import NotFound, Rejected
from moot.kernel.user import LOCAL_USER
from moot.wiring import open_reader

if TYPE_CHECKING:
    from moot.kernel.retriever import Scaffold
    from moot.modes.dialectic.scaffolds import ScaffoldText

app = typer.Typer(
    help="List, add and check reasoning templates.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
TemplateId = Annotated[str, typer.Argument(metavar="ID", help="The template's id.")]
TemplateFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="JSON: name, whenToUse, steps, checks, exampleQuestions; - reads stdin."
    ),
]
GOOD_ENOUGH = 0.95
NOT_YOURS = "You have no template {id!r}: `moot templates list --own` shows yours."


@app.command("list")
def list_templates(
    own: Annotated[bool, typer.Option("--own", help="Only your own.")] = False,
    json: JsonOption = False,
) -> None:
    """List templates, your own last."""

    async def work() -> int:
        from moot.cli.listing import print_json, print_table
        from moot.templates.collection import list_templates

        async with open_reader(load_settings()) as engine:
            templates = await list_templates(engine, LOCAL_USER, own=own)
        if json:
            print_json(templates)
        else:
            rows = [(one.id, "yes" if one.own else "", f"{one.name}: {one.when_to_use}") for one in templates]
            print_table(("template", "own", "when to use it"), rows, "No templates yet.", cut=False)
        return 0

    perform(work())


@app.command()
def show(id: TemplateId, json: JsonOption = False) -> None:
    """Show a template."""

    async def work() -> int:
        from moot.templates.collection import find_template

        with _hint(f"There is no template {id!r}: `moot templates list` shows all."):
            async with open_reader(load_settings()) as engine:
                one = await find_template(engine, LOCAL_USER, id)
        if json:
            print(safe_json(one.model_dump_json()))
        else:
            plain.write(plain.wrapped(_text(one), sys.stdout, indent="  "))
        return 0

    perform(work())


@app.command()
def add(file: TemplateFile) -> None:
    """Add your own template and print its id."""

    async def work() -> int:
        from moot.templates.collection import add_template

        text = _read(file)
        async with open_reader(load_settings()) as engine:
            print((await add_template(engine, LOCAL_USER, text)).id)
        return 0

    perform(work())


@app.command()
def edit(id: TemplateId, file: TemplateFile) -> None:
    """Replace your own template."""

    async def work() -> int:
        from moot.templates.collection import change_template

        text = _read(file)
        with _hint(NOT_YOURS.format(id=id)):
            async with open_reader(load_settings()) as engine:
                await change_template(engine, LOCAL_USER, id, text)
        return 0

    perform(work())


@app.command()
def delete(id: TemplateId) -> None:
    """Delete your own template."""

    async def work() -> int:
        from moot.templates.collection import remove_template

        with _hint(NOT_YOURS.format(id=id)):
            async with open_reader(load_settings()) as engine:
                await remove_template(engine, LOCAL_USER, id)
        return 0

    perform(work())


@app.command()
def check(json: JsonOption = False) -> None:
    """Measure retrieval on held-out questions.

    Fails if the right template is among the top three in fewer than 95% of them.
    """

    async def work() -> int:
        from moot.templates.quality import measure

        async with open_reader(load_settings()) as engine:
            report = await measure(engine)
        if json:
            print(report.model_dump_json())
        else:
            print(f"{report.embedder}, {report.questions} questions, {report.milliseconds_each:.0f} ms each")
            print(f"the fitting template is first:               {report.top1:.2f}")
            print(f"it is among the first three:                 {report.top3:.2f}")
            print(f"  and reaches the minimum similarity:        {report.top3_after_minimum:.2f}")
            print(f"questions for which a template is found:     {report.found:.2f}")
            print(f"templates per question:                      {report.templates_each:.2f}")
            print(f"off-topic texts for which one is found:      {report.off_topic:.2f}")
        return 0 if report.top3 >= GOOD_ENOUGH else FAILED

    perform(work())


@contextmanager
def _hint(message: str) -> Iterator[None]:
    """Say where to look, if there is no such template."""
    try:
        yield
    except NotFound:
        raise NotFound(message) from None


def _read(file: Path) -> ScaffoldText:
    from pydantic import ValidationError

    from moot.kernel.refusals import rejected
    from moot.modes.dialectic.scaffolds import ScaffoldText

    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise Rejected(f"{file} cannot be read: it is not UTF-8 text") from None
    except OSError as error:
        raise Rejected(f"{file} cannot be read: {error.strerror}") from None
    try:
        return ScaffoldText.model_validate_json(text)
    except ValidationError as error:
        messages = [message for _, message in rejected(error).details]
        raise Rejected("; ".join(dict.fromkeys(messages))) from None


def _text(one: Scaffold) -> str:
    steps = [f"{number}. {step}" for number, step in enumerate(one.steps, 1)]
    checks = [f"Check: {'; '.join(one.checks)}"] if one.checks else []
    examples = [f"- {question}" for question in one.example_questions]
    return "\n".join(
        [f"{one.name} ({one.id})", f"Use when: {one.when_to_use}", *steps, *checks, "For example:", *examples]
    )
