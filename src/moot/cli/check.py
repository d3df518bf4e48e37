"""moot check: let a panel judge files or a diff, for pipelines.

0  all of it passes        2  usage error: nothing was started
1  something fails         3  unclear: the panel could not tell, or the run failed
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from moot.cli import plain
from moot.cli.ask import ChairmanOption, ConfigOption, ModelsOption, SetOption
from moot.cli.config import config_from, read_config
from moot.cli.session import exit_on_error, load_settings, perform
from moot.cli.suggestions import find_mode
from moot.history.notices import SIMULATED
from moot.history.safe_text import one_line
from moot.kernel.errors import Rejected
from moot.kernel.user import LOCAL_USER
from moot.wiring import open_engine

if TYPE_CHECKING:
    from moot.history.verdict import Verdict
    from moot.kernel.engine import Engine
    from moot.kernel.mode import Mode
    from moot.kernel.request import AskRequest

PASS, FAIL, UNCLEAR = 0, 1, 3
JUDGING = "jury, peer_review, fact_check or red_team"
LONGEST = 400
HEADINGS = {
    "contradictions": "Disputed",
    "consensus": "Agreed",
    "unique_insights": "From one seat",
    "partial_coverage": "Undecided",
    "blind_spots": "Still open",
}
"""What `moot check` calls each list of findings, in the order in which it gives them."""


def check(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Files or diffs to judge, one after the other; - reads stdin."),
    ] = None,
    mode: Annotated[str, typer.Option("--mode", "-m", help=f"How to judge it: {JUDGING}.")] = "jury",
    brief: Annotated[
        str | None, typer.Option("--brief", metavar="TEXT", help="What to watch for (jury only).")
    ] = None,
    models: ModelsOption = None,
    chairman: ChairmanOption = None,
    setting: SetOption = None,
    config: ConfigOption = None,
    skip_empty: Annotated[
        bool, typer.Option("--skip-empty", help="Skip empty files instead of refusing them.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print the verdict as one JSON object, a line for each file.")
    ] = False,
) -> None:
    """Judge a file or diff and exit with pass or fail.

    For pipelines: `git diff main | moot check --mode peer_review`. It passes if a jury approves, a peer
    review finds no critical or major issue, a fact-check verifies every claim, or a red team leaves at most
    low risk. With several files, the worst result counts.

    Exit codes: 0 pass, 1 fail, 2 usage error, 3 unclear.
    """
    with exit_on_error():
        texts = _texts(files or ["-"], skip_empty)
        base = None if config is None else read_config(config)

    async def work() -> int:
        async with open_engine(load_settings()) as engine:
            judging = _judging_mode(engine, mode)
            schema = judging.config.model_json_schema()
            fields = config_from(schema, base=base, models=models, special=chairman, settings=setting or ())
            requests = {name: _request(judging, text, brief, fields or {}) for name, text in texts.items()}
            codes = [
                await _judge(engine, request, name if len(requests) > 1 else None, json)
                for name, request in requests.items()
            ]
        return next((code for code in (FAIL, UNCLEAR) if code in codes), PASS)

    perform(work())


def _texts(files: list[str], skip_empty: bool) -> dict[str, str]:
    """What is to be judged, by file. Raises Rejected."""
    texts = {}
    for file in files:
        text = _read(file)
        if text.strip():
            texts[file] = text
        elif not skip_empty:
            name = "the text" if file == "-" else file
            raise Rejected(f"There is nothing to judge: {name} is empty")
        else:
            plain.warn(f"{one_line(file)} is empty: there is nothing to judge.")
    return texts


async def _judge(engine: Engine, request: AskRequest, name: str | None, json: bool) -> int:
    """One text's exit code; its verdict is printed, behind its name if there are several."""
    from moot.cli.output import Progress, VerdictOnly, follow
    from moot.history.verdict import Verdict
    from moot.history.views import read_deliberation

    if name is not None:
        plain.warn(one_line(name))
    run = await engine.start(request, user=LOCAL_USER)
    await follow(engine, run.id, VerdictOnly(engine.modes) if json else Progress(engine.modes))
    verdict = Verdict.of(await read_deliberation(engine, await engine.run(run.id)))
    if not json:
        head = "" if name is None else f"{one_line(name)}: "
        plain.write(head + "\n".join(_lines(verdict)))
    return UNCLEAR if verdict.passed is None else PASS if verdict.passed else FAIL


def _read(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return raw.decode()
    except OSError as error:
        raise Rejected(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Rejected(f"{file} is not UTF-8 text") from None


def _judging_mode(engine: Engine, name: str) -> Mode[Any]:
    mode = find_mode(name, engine.modes)
    if mode.judges is None or mode.judgement is None:
        raise Rejected(f"{mode.about.name} cannot judge a text: use {JUDGING}")
    return mode


def _request(mode: Mode[Any], text: str, brief: str | None, fields: dict[str, Any]) -> AskRequest:
    from moot.kernel.request import AskRequest

    if brief is not None and mode.id != "jury":
        raise Rejected("--brief needs --mode jury")
    assert mode.judges is not None
    if mode.judges == "question":
        return AskRequest.of({"question": text, "mode": mode.id, "modeConfig": fields})
    question = brief or "Judge this text."
    return AskRequest.of({"question": question, "mode": mode.id, "modeConfig": {**fields, mode.judges: text}})


def _lines(verdict: Verdict) -> Iterator[str]:
    word = "UNCLEAR" if verdict.passed is None else "PASS" if verdict.passed else "FAIL"
    yield f"{word}: {one_line(verdict.outcome, LONGEST)}" if verdict.outcome else word
    for notice in verdict.notices:
        yield f"  {one_line(notice, LONGEST)}"
    for one in verdict.dissent:
        reason = f": {one.reason}" if one.reason else ""
        yield f"  {one_line(f'{one.model} disagrees ({one.position}){reason}', LONGEST)}"
    if verdict.findings is not None:
        for field, heading in HEADINGS.items():
            yield from _list(heading, getattr(verdict.findings, field))
    if verdict.simulated:
        yield SIMULATED


def _list(heading: str, points: tuple[str, ...]) -> Iterator[str]:
    if points:
        yield f"  {heading}:"
    for point in points:
        yield f"  - {one_line(point, LONGEST)}"
