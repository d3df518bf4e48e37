"""moot traces: what dialectics left behind, rated, graded, and taken away for fine-tuning."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from moot.cli import plain
from moot.cli.runs import JsonOption, Limit
from moot.cli.session import FAILED, complain, load_settings, perform
from moot.cli.short_id import short_id
from moot.kernel.errors import NotFound, Rejected
from moot.kernel.user import LOCAL_USER
from moot.wiring import open_engine, open_reader

if TYPE_CHECKING:
    from moot.kernel.engine import Engine
    from moot.traces.collection import TraceSummary

app = typer.Typer(
    help="List, show, rate and export traces of dialectics.", no_args_is_help=True, rich_markup_mode=None
)
TraceId = Annotated[str, typer.Argument(metavar="TRACE", help="A trace's id, or the beginning of one.")]
Search = Annotated[str | None, typer.Option("--search", help="Only traces containing this text.")]
Since = Annotated[
    datetime | None, typer.Option("--from", formats=["%Y-%m-%d"], help="Only from this day on (UTC).")
]
Until = Annotated[datetime | None, typer.Option("--to", formats=["%Y-%m-%d"], help="Only before this day.")]
FormatName = Literal["chat", "alpaca", "dpo", "raw"]


NO_TRACES = "There are no traces yet: every question asked with `--mode dialectic` adds one."
NOTHING = "No trace was eligible for export, so no file was written: rate some, or lower --min-quality."
REASONS = {
    "low_quality": "rated or scored too low, or not at all",
    "too_few_rounds": "fewer than two rounds",
    "too_short": "an answer of fewer than 200 characters",
    "had_error": "something failed, was cut off or cancelled",
    "too_long": "longer than --max-tokens",
    "same_model": "proposer and skeptic were one model",
    "secrets": "contains an address or a key",
    "duplicate": "a better or newer trace has the same question",
    "no_pair": "no two of its answers make a pair",
    "gone": "deleted meanwhile",
}


@app.command("list")
def list_traces(
    limit: Limit = 20,
    min_quality: Annotated[
        float | None,
        typer.Option("--min-quality", min=1, max=10, help="Only traces rated at least this high."),
    ] = None,
    search: Search = None,
    since: Since = None,
    until: Until = None,
    eligible: Annotated[bool, typer.Option("--eligible", help="Only traces eligible for export.")] = False,
    json: JsonOption = False,
) -> None:
    """List traces, newest first."""

    async def work() -> int:
        from moot.cli.listing import print_table
        from moot.traces.collection import list_traces
        from moot.traces.queries import TraceFilter

        trace_filter = TraceFilter(
            min_quality=min_quality,
            search=search,
            since=_moment(since),
            until=_moment(until),
            eligible=eligible or None,
        )
        async with open_reader(load_settings()) as engine:
            page = await list_traces(engine, LOCAL_USER, trace_filter, limit=limit)
        if json:
            for trace in page.items:
                plain.write_json(trace.model_dump_json().encode())
        else:
            none = "No traces yet." if trace_filter == TraceFilter() else "No matching traces."
            columns = ("trace", "quality", "rounds", "why it ended", "question")
            print_table(columns, map(_row, page.items), none)
        return 0

    perform(work())


@app.command()
def stats(json: JsonOption = False) -> None:
    """Count traces: how many, how good, how many eligible for export."""

    async def work() -> int:
        import orjson

        from moot.kernel.narration import count
        from moot.traces.collection import trace_stats

        async with open_reader(load_settings()) as engine:
            stats = await trace_stats(engine, LOCAL_USER)
        if json:
            plain.write_json(orjson.dumps(stats))
        else:
            average = "none yet" if stats.avg_quality is None else f"{stats.avg_quality:.1f}"
            total = count(stats.total, "trace")
            plain.write(f"{total} · average quality: {average} · {stats.eligible} eligible for export")
        return 0

    perform(work())


@app.command()
def show(trace: TraceId) -> None:
    """Print a trace as JSON."""

    async def work() -> int:
        import orjson

        from moot.traces.collection import read_trace

        async with open_reader(load_settings()) as engine:
            document = await read_trace(engine, LOCAL_USER, await _find(engine, trace))
        plain.write_json(orjson.dumps(document, option=orjson.OPT_INDENT_2))
        return 0

    perform(work())


@app.command()
def rate(
    trace: TraceId,
    rating: Annotated[int | None, typer.Argument(metavar="1-10", help="Your rating.")] = None,
    note: Annotated[str | None, typer.Option("--note", help="Your reason.")] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Remove your rating.")] = False,
) -> None:
    """Rate a trace from 1 to 10; your rating replaces the judge's score."""

    async def work() -> int:
        from moot.kernel.request import parse
        from moot.traces.collection import Rating, rate_trace

        if (rating is None) != withdraw:
            raise Rejected("Give a rating from 1 to 10, or --withdraw to take yours back.")
        grade = None if rating is None else parse(Rating, {"rating": rating, "note": note})
        async with open_reader(load_settings()) as engine:
            _print_quality(await rate_trace(engine, LOCAL_USER, await _find(engine, trace), grade))
        return 0

    perform(work())


@app.command()
def score(trace: TraceId) -> None:
    """Have the judge grade the answer now."""

    async def work() -> int:
        from moot.traces.collection import score_trace

        async with open_engine(load_settings()) as engine:
            summary = await score_trace(engine, LOCAL_USER, await _find(engine, trace))
        _print_quality(summary)
        if summary.score_error:
            complain(summary.score_error)
        return FAILED if summary.score_error else 0

    perform(work())


@app.command()
def export(
    output: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="A new or empty folder; default: traces-FORMAT."),
    ] = None,
    format: Annotated[FormatName, typer.Option("--format", "-f", help="Format of the lines.")] = "chat",
    min_quality: Annotated[
        float, typer.Option("--min-quality", min=1, max=10, help="Minimum rating, or score if unrated.")
    ] = 8.0,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", min=1, help="Maximum length of a question with its answer.")
    ] = 4096,
    search: Search = None,
    since: Since = None,
    until: Until = None,
    split: Annotated[float, typer.Option("--split", min=0, max=0.5, help="Share kept for validation.")] = 0.1,
    drop_secrets: Annotated[
        bool,
        typer.Option("--drop-secrets", help="Leave out traces with addresses or keys; default: mask them."),
    ] = False,
    drop_same_model: Annotated[
        bool, typer.Option("--drop-same-model", help="Leave out debates in which both sides were one model.")
    ] = False,
    with_scaffold: Annotated[
        bool, typer.Option("--with-scaffold", help="Chat: list the scaffold's steps in the system turn.")
    ] = False,
) -> None:
    """Export good traces for fine-tuning.

    Writes train.jsonl, validation.jsonl and manifest.json.
    """

    async def work() -> int:
        from moot.traces.export import ExportRequest, Filters
        from moot.traces.export import export as write

        filters = Filters(
            min_quality=min_quality,
            max_tokens=max_tokens,
            same_model=drop_same_model,
            secrets="drop" if drop_secrets else "mask",
            search=search,
            since=_moment(since),
            until=_moment(until),
        )
        folder = output or Path(f"traces-{format}")
        is_new = _make(folder)
        async with open_reader(load_settings()) as engine:
            request = ExportRequest(format=format, filters=filters, with_scaffold=with_scaffold, split=split)
            manifest = await write(engine, LOCAL_USER, request, folder)
        _print_summary(manifest, folder)
        if manifest["exported"]:
            return 0
        _unmake(folder, is_new)
        complain(NOTHING if manifest["traces"] else NO_TRACES)
        return FAILED

    perform(work())


def _row(one: TraceSummary) -> tuple[str, ...]:
    from moot.modes.dialectic.narration import end_words

    quality = "–" if one.quality_score is None else f"{one.quality_score:g}{'*' if one.user_rating else ''}"
    return (short_id(one.id), quality, str(one.total_rounds), end_words(one.stop_reason), one.query)


def _print_quality(one: TraceSummary) -> None:
    quality = "none" if one.quality_score is None else f"{one.quality_score:g}"
    fit = (
        "eligible for export"
        if one.eligible
        else f"not eligible for export: {'; '.join(map(_words, one.reasons))}"
    )
    plain.write(f"{short_id(one.id)}  quality {quality}; {fit}")


def _print_summary(manifest: dict[str, Any], folder: Path) -> None:
    counts = manifest["records"]
    summary = f"{manifest['exported']} of {manifest['traces']} traces"
    if manifest["exported"]:
        summary += f": {counts['train']} records to train, {counts['validation']} to validate, in {folder}"
    plain.write(summary)
    for reason, count in manifest["excluded"].items():
        plain.write(f"  left out: {count}, {_words(reason)}")
    if manifest["exported"]:
        plain.write(f"  duplicates found by: {manifest['deduplicated_by']}")
        for warning in manifest["warnings"]:
            complain(warning)


def _words(reason: str) -> str:
    return REASONS.get(reason, reason.replace("_", " "))


def _make(folder: Path) -> bool:
    """Make a folder unless it is there and empty; whether it was made."""
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise Rejected(f"{folder} is not empty: choose another folder")
    except OSError as error:
        raise Rejected(f"{folder} cannot be written: {error.strerror}") from None
    return is_new


def _unmake(folder: Path, is_new: bool) -> None:
    """Take back the files of an export that came to nothing."""
    for file in folder.iterdir():
        file.unlink()
    if is_new:
        folder.rmdir()


def _moment(day: datetime | None) -> int | None:
    return None if day is None else int(day.replace(tzinfo=UTC).timestamp() * 1000)


async def _find(engine: Engine, prefix: str) -> str:
    """The id of the one trace whose id begins so."""
    from moot.traces.collection import trace_ids

    ids = await trace_ids(engine, LOCAL_USER, prefix)
    if len(ids) != 1:
        what = f"{len(ids)} traces begin" if ids else "No trace begins"
        raise NotFound(f"{what} with {prefix!r}: `moot traces list` shows them.")
    return ids[0]
