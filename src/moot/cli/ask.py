"""moot ask, resume and retry: the commands that work on a run and follow it to its end."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from moot.cli.config import config_from, read_config, read_json
from moot.cli.session import exit_on_error, load_settings, perform
from moot.cli.suggestions import find_mode
from moot.history.safe_text import safe_json, safe_text
from moot.kernel.errors import Rejected
from moot.kernel.user import LOCAL_USER
from moot.wiring import open_engine

if TYPE_CHECKING:
    from moot.kernel.engine import Engine
    from moot.kernel.request import AskRequest
    from moot.presets.presets import Preset

JsonOption = Annotated[bool, typer.Option("--json", help="Print every event as one line of JSON.")]
TokensOption = Annotated[
    bool, typer.Option("--tokens", help="With --json: include the live text of every call.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer.")]
PlainOption = Annotated[bool, typer.Option("--plain", help="Print plain lines instead of live panels.")]
ModelsOption = Annotated[
    str | None,
    typer.Option("--models", metavar="A,B,C", help="Comma-separated models; a model may appear twice."),
]
ChairmanOption = Annotated[
    str | None,
    typer.Option(
        "--chairman",
        metavar="MODEL",
        help="The model for the mode's special role: chairman, foreman, judge …",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set a field of the mode's config; repeatable."),
]
ConfigOption = Annotated[
    str | None,
    typer.Option("--config", metavar="JSON", help="The mode's config as JSON, a file, or - for stdin."),
]
SchemaOption = Annotated[
    str | None,
    typer.Option(
        "--schema",
        metavar="FILE",
        help="Return the answer as JSON that matches this JSON schema (a file, or the schema itself).",
    ),
]
ConversationOption = Annotated[
    str | None,
    typer.Option(
        "--conversation", "-c", metavar="ID", help="Follow up in this conversation (or this run's)."
    ),
]
RunId = Annotated[str, typer.Argument(metavar="RUN", help="A run's id, or the beginning of one.")]


@dataclass(frozen=True, slots=True)
class AskOptions:
    """What the options say about the mode and its config."""

    mode: str | None
    preset: str | None
    conversation: str | None
    config: Mapping[str, Any] | None
    models: str | None
    chairman: str | None
    settings: Sequence[str]
    schema: Mapping[str, Any] | None


def ask(
    question: Annotated[
        str | None,
        typer.Argument(metavar="QUESTION", help="Your question; leave it out, or use -, to read stdin."),
    ] = None,
    mode: Annotated[str | None, typer.Option("--mode", "-m", help="The mode; see `moot modes`.")] = None,
    preset: Annotated[
        str | None,
        typer.Option("--preset", metavar="NAME", help="Use a preset; see `moot presets list`."),
    ] = None,
    models: ModelsOption = None,
    chairman: ChairmanOption = None,
    setting: SetOption = None,
    config: ConfigOption = None,
    conversation: ConversationOption = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print the maximum cost without asking anyone.")
    ] = False,
    verdict: Annotated[
        bool, typer.Option("--verdict", help="Print the verdict as one JSON object instead of the answer.")
    ] = False,
    schema: SchemaOption = None,
    json: JsonOption = False,
    tokens: TokensOption = False,
    quiet: QuietOption = False,
    plain: PlainOption = False,
) -> None:
    """Ask a panel of models.

    The answer goes to stdout, progress to stderr. On a terminal you watch every model write. Press
    Ctrl-C to leave; nothing finished is lost, and `moot resume` continues the run.

    Exit codes: 0 answered, 1 failed, 2 usage error, 3 answered with something missing.
    """
    with exit_on_error():
        # Before the event loop starts: whoever waits for stdin must hear Ctrl-C.
        text = _question(question, config, schema)
        base = None if config is None else read_config(config)
        held_to = None if schema is None else read_json("--schema", schema, "a schema is a JSON object")
    options = AskOptions(mode, preset, conversation, base, models, chairman, setting or (), held_to)

    if estimate:
        perform(_estimate(text, options, json))
    if verdict and json:
        raise typer.BadParameter("--verdict is JSON already: leave out --json")

    async def begin(engine: Engine) -> str:
        body = await _request(engine, text, options)
        return (await engine.start(body, user=LOCAL_USER)).id

    _work_on(begin, json=json, tokens=tokens, quiet=quiet, plain=plain, verdict=verdict)


def resume(
    run: RunId,
    json: JsonOption = False,
    tokens: TokensOption = False,
    quiet: QuietOption = False,
    plain: PlainOption = False,
) -> None:
    """Resume or follow a run.

    Finished calls are not paid for again. If the run has ended, it is shown again.
    """

    async def begin(engine: Engine) -> str:
        from moot.history.runs import find_run

        run_id = (await find_run(engine, LOCAL_USER, run)).id
        await engine.resume(run_id, user=LOCAL_USER)
        return run_id

    _work_on(begin, json=json, tokens=tokens, quiet=quiet, plain=plain)


def retry(
    run: RunId,
    json: JsonOption = False,
    tokens: TokensOption = False,
    quiet: QuietOption = False,
    plain: PlainOption = False,
) -> None:
    """Retry the missing calls of a run.

    The run must have failed, been stopped, or ended with something missing. Finished calls are free.
    """

    async def begin(engine: Engine) -> str:
        from moot.history.runs import find_run

        old = await find_run(engine, LOCAL_USER, run)
        return (await engine.retry(old.id, user=LOCAL_USER)).id

    _work_on(begin, json=json, tokens=tokens, quiet=quiet, plain=plain)


def _work_on(
    begin: Callable[[Engine], Awaitable[str]],
    *,
    json: bool,
    tokens: bool,
    quiet: bool,
    plain: bool,
    verdict: bool = False,
) -> None:
    if tokens and not json:
        raise typer.BadParameter("--tokens needs --json")

    async def work() -> int:
        from moot.cli.output import VerdictOnly, follow, renderer_for

        async with open_engine(load_settings()) as engine:
            renderer = (
                VerdictOnly(engine.modes)
                if verdict
                else renderer_for(engine.modes, json=json, tokens=tokens, quiet=quiet, as_lines=plain)
            )
            return await follow(engine, await begin(engine), renderer)

    perform(work())


def _question(question: str | None, *others: str | None) -> str:
    from_stdin = [*others, "-" if question in (None, "-") else None].count("-")
    if from_stdin > 1:
        raise Rejected("Only one of the question, --config and --schema can come from stdin")
    if question is not None and question != "-":
        return _valid(question)
    if question is None and sys.stdin.isatty():
        raise Rejected('Ask something: moot ask "Tabs or spaces?", or pipe the question in')
    return _valid(sys.stdin.buffer.read().decode("utf-8", "surrogateescape").strip())


def _valid(question: str) -> str:
    try:
        question.encode()
    except UnicodeEncodeError:
        raise Rejected("The question is not valid UTF-8 text") from None
    return question


async def _estimate(question: str, options: AskOptions, json: bool) -> int:
    from moot.cli.estimates import estimate_text
    from moot.transport.catalogue import Catalogue

    settings = load_settings()
    async with open_engine(settings) as engine:
        ask = await _request(engine, question, options)
        models = await Catalogue(settings).models(await engine.keys.of(LOCAL_USER))
        result = await engine.estimate(ask, models.models)
    print(safe_json(result.model_dump_json()) if json else safe_text(estimate_text(result)))
    return 0


async def _request(engine: Engine, question: str, options: AskOptions) -> AskRequest:
    from moot.history.conversations import find_conversation
    from moot.kernel.request import AskRequest

    conversation = None
    if options.conversation is not None:
        conversation = await find_conversation(engine, LOCAL_USER, options.conversation)
    # A follow-up need not repeat the mode: a conversation has but one.
    mode_id = options.mode or (conversation.mode if conversation else engine.settings.default_mode)
    base = options.config
    if options.preset is not None:
        preset = await _preset(engine, options.preset, options.mode)
        mode_id, base = preset.mode, {**preset.config, **(base or {})}
    mode = find_mode(mode_id, engine.modes)
    config = config_from(
        mode.config.model_json_schema(),
        base=base,
        models=options.models,
        special=options.chairman,
        settings=options.settings,
    )
    body = {
        "question": question,
        "mode": mode.id,
        "modeConfig": config,
        "conversationId": conversation.id if conversation else None,
        "schema": options.schema,
    }
    return AskRequest.of({key: value for key, value in body.items() if value is not None})


async def _preset(engine: Engine, name: str, mode: str | None) -> Preset:
    from moot.presets.presets import find_preset

    one = await find_preset(engine, LOCAL_USER, name)
    if mode not in (None, one.mode):
        raise Rejected(f"The preset {one.name!r} is for the mode {one.mode}, not {mode}")
    return one
