"""moot traces: what dialectics left behind, rated, graded, and taken away for fine-tuning."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from moot.cli import plain
from moot.cli.finding import SHORT_ID
from moot.cli.runs import JsonOption, Limit
from moot.cli.session import USER, complain, load_settings, perform, reading, working
from moot.errors import NotFound, Rejected

if TYPE_CHECKING:
    from moot.engine import Engine
    from moot.trace_shelf import TraceSummary

app = typer.Typer(
    help="Traces of dialectics: list, show, rate, export.", no_args_is_help=True, rich_markup_mode=None
)
TraceId = Annotated[str, typer.Argument(metavar="TRACE", help="Its id, or how it begins.")]
FormatName = Literal["chat", "alpaca", "dpo", "raw"]


@app.command("list")
def list_traces(
    limit: Limit = 20,
    min_quality: Annotated[
        float | None, typer.Option("--min-quality", help="Only those at least so good.")
    ] = None,
    search: Annotated[str | None, typer.Option("--search", help="Only those that have this text.")] = None,
    eligible: Annotated[bool, typer.Option("--eligible", help="Only those fit for export.")] = False,
    json: JsonOption = False,
) -> None:
    """The newest traces first."""

    async def work() -> int:
        from moot.cli.listing import print_table
        from moot.store import traces
        from moot.trace_shelf import TraceSummary

        wanted = traces.Wanted(min_quality=min_quality, search=search, eligible=eligible or None)
        async with reading(load_settings()) as engine:
            page = await engine.store.read(lambda db: traces.traces(db, USER, wanted, limit=limit))
        found = [TraceSummary.of(one) for one in page.items]
        if json:
            for one in found:
                plain.say_json(one.model_dump_json().encode())
        else:
            print_table(
                ("TRACE", "QUALITY", "ROUNDS", "STOPPED BY", "QUESTION"), map(_row, found), "No traces yet."
            )
        return 0

    perform(work())


@app.command()
def show(trace: TraceId) -> None:
    """One trace, whole, as JSON."""

    async def work() -> int:
        import orjson

        from moot.trace_shelf import read_trace

        async with reading(load_settings()) as engine:
            whole = await read_trace(engine, USER, await _find(engine, trace))
        plain.say_json(orjson.dumps(whole, option=orjson.OPT_INDENT_2))
        return 0

    perform(work())


@app.command()
def rate(
    trace: TraceId,
    rating: Annotated[int | None, typer.Argument(metavar="1-10", help="None: take the rating back.")] = None,
    note: Annotated[str | None, typer.Option("--note", help="Why.")] = None,
) -> None:
    """Rate a trace from 1 to 10; your rating counts in place of the judge's score."""

    async def work() -> int:
        from pydantic import ValidationError

        from moot.asking import rejected
        from moot.trace_shelf import Rating, TraceSummary, rate_trace

        try:
            given = None if rating is None else Rating(rating=rating, note=note)
        except ValidationError as error:
            raise rejected(error) from None
        async with reading(load_settings()) as engine:
            rated = await rate_trace(engine, USER, await _find(engine, trace), given)
        _say_quality(TraceSummary.of(rated))
        return 0

    perform(work())


@app.command()
def score(trace: TraceId) -> None:
    """Let the judge grade the answer now."""

    async def work() -> int:
        from moot.trace_shelf import TraceSummary, score_trace

        async with working(load_settings()) as engine:
            graded = TraceSummary.of(await score_trace(engine, USER, await _find(engine, trace)))
        _say_quality(graded)
        if graded.score_error:
            complain(graded.score_error)
        return 1 if graded.score_error else 0

    perform(work())


@app.command()
def export(
    output: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="Where to write, a new or empty one; default: traces-FORMAT."),
    ] = None,
    format: Annotated[FormatName, typer.Option("--format", "-f", help="What the lines look like.")] = "chat",
    min_quality: Annotated[
        float, typer.Option("--min-quality", help="Least rating, or score if unrated.")
    ] = 8.0,
    max_tokens: Annotated[int, typer.Option("--max-tokens", help="Longest question with its answer.")] = 4096,
    drop_secrets: Annotated[
        bool,
        typer.Option("--drop-secrets", help="Leave out what holds addresses or keys; default: mask them."),
    ] = False,
    drop_same_model: Annotated[
        bool, typer.Option("--drop-same-model", help="Leave out models that argued with themselves.")
    ] = False,
    with_scaffold: Annotated[
        bool, typer.Option("--with-scaffold", help="Chat: name the scaffold's steps in the system turn.")
    ] = False,
) -> None:
    """Write good traces as train.jsonl, validation.jsonl and manifest.json, to fine-tune a model with."""

    async def work() -> int:
        from pydantic import ValidationError

        from moot.asking import rejected
        from moot.trace_export import Filters, Wish
        from moot.trace_export import export as write

        try:
            filters = Filters(
                min_quality=min_quality,
                max_tokens=max_tokens,
                same_model=drop_same_model,
                secrets="drop" if drop_secrets else "mask",
            )
        except ValidationError as error:
            raise rejected(error) from None
        folder = output or Path(f"traces-{format}")
        _make(folder)
        async with reading(load_settings()) as engine:
            wish = Wish(format=format, filters=filters, with_scaffold=with_scaffold)
            manifest = await write(engine, USER, wish, folder)
        _say_summary(manifest, folder)
        return 0

    perform(work())


def _row(one: TraceSummary) -> tuple[str, ...]:
    quality = "–" if one.quality_score is None else f"{one.quality_score:g}{'*' if one.user_rating else ''}"
    return (one.id[:SHORT_ID], quality, str(one.total_rounds), one.stop_reason, one.query)


def _say_quality(one: TraceSummary) -> None:
    shown = "none" if one.quality_score is None else f"{one.quality_score:g}"
    fit = "fit for export" if one.eligible else f"not fit for export: {', '.join(one.reasons)}"
    plain.say(f"{one.id[:SHORT_ID]}  quality {shown}; {fit}")


def _say_summary(manifest: dict[str, Any], folder: Path) -> None:
    counts = manifest["records"]
    plain.say(
        f"{manifest['exported']} of {manifest['traces']} traces: {counts['train']} records to train, "
        f"{counts['validation']} to validate, in {folder}"
    )
    for reason, count in manifest["excluded"].items():
        plain.say(f"  left out, {reason}: {count}")
    plain.say(f"  like questions told by: {manifest['deduplicated_by']}")
    for warning in manifest["warnings"]:
        complain(warning)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise Rejected(f"{folder} is not empty: choose another folder")
    except OSError as error:
        raise Rejected(f"{folder} cannot be written: {error.strerror}") from None


async def _find(engine: Engine, start: str) -> str:
    """The id of the one trace that begins so."""
    from moot.store import traces

    found = await engine.store.read(lambda db: traces.ids_like(db, USER, start))
    if len(found) != 1:
        what = f"{len(found)} traces begin" if found else "No trace begins"
        raise NotFound(f"{what} with {start!r}: `moot traces list` shows them.")
    return found[0]
