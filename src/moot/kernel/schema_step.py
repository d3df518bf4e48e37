"""The step after a pipeline whose answer the caller wants in a JSON schema.

    answer ─▶ is it valid JSON already? ─▶ else its writer puts it into JSON ─▶ valid? ─▶ told
                                                └────────── one repair ◀────────── no

The answer itself stays as the mode gave it. What comes of this step is the same answer in another form, or
the run fails and says why; nobody is handed a value that breaks the schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from moot.kernel.answer_schema import Schema, faults
from moot.kernel.call_estimate import PlannedCalls
from moot.kernel.directions import Directions
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.events import SchemaComplete, SchemaData
from moot.kernel.fences import Foreign
from moot.kernel.run import Run

if TYPE_CHECKING:
    from moot.kernel.mode import Mode, ModeConfig
    from moot.kernel.values import Answer

STEP = "schema"
TRIES = 2
SECONDS = 120.0
"""Of its own, whatever the pipeline has left: its answer is there and paid for."""
NOT_JSON = "It is not JSON."
CUT_NUMBER = "It was cut off in the middle of a number."

PROMPT = """\
Put the answer below into JSON that is valid against the JSON schema below.

Question:
{question}

Answer:
{answer}

JSON schema:
{schema}

Say what the answer says and add nothing to it. Where the schema wants something of which the answer says \
nothing, use null or an empty value if the schema allows it. Reply with the JSON alone: no code fence, no \
words before it or after it."""

REPAIR = (
    PROMPT
    + """

Your last reply was not valid.

Last reply:
{reply}

What is wrong with it:
{faults}

Reply with the whole JSON again, corrected."""
)


def writer_model(mode: Mode[Any], config: Any) -> str:
    """The model that puts an answer into a schema: the one that wrote it, where a mode has such a role."""
    return (mode.writer_model or mode.title_model)(config)


def planned_after(mode: Mode[Any], config: ModeConfig, directions: Directions) -> tuple[PlannedCalls, ...]:
    """What the step takes at most. An answer is not longer than what the mode's own longest prompt holds."""
    if directions.answer_schema is None:
        return ()
    reads = max((planned.reads for planned in mode.planned_calls(config)), default=0)
    return (PlannedCalls(STEP, (writer_model(mode, config),), calls=TRIES, reads=max(reads, 1) + 1),)


async def put_in_schema(run: Run[Any], schema: Schema) -> None:
    """Tell the run's answer as JSON that is valid against the schema. Raises RunFailed."""
    answer = run.mode.answer(run.events) or ""
    found, wrong = await run.aside(_read, answer, schema)
    if not wrong:
        await run.emit(SchemaComplete(data=SchemaData(model=None, answer=found)))
        return
    model = writer_model(run.mode, run.config)
    shown = {
        "question": Foreign(run.question),
        "answer": Foreign(answer),
        "schema": Foreign(orjson.dumps(schema, option=orjson.OPT_INDENT_2).decode()),
    }
    prompt = run.fill(PROMPT, **shown)
    # A retry finds what the run before it was told in vain, and asks anew from there.
    in_vain = sum(call.inherited and call.step.startswith(f"{STEP}/") for call in run.calls)
    for number in range(1, in_vain + TRIES + 1):
        reply = await _ask(run, f"{STEP}/{number}", model, prompt)
        found, wrong = await run.aside(_read, reply.response, schema)
        if reply.breaks_off and found[-1:].isdigit():
            wrong = [CUT_NUMBER]
        if not wrong:
            await run.emit(SchemaComplete(data=SchemaData(model=model, answer=found)))
            return
        listed = "\n".join(f"- {fault}" for fault in wrong)
        prompt = run.fill(REPAIR, **shown, reply=Foreign(reply.response), faults=Foreign(listed))
    raise RunFailed(f"{_failed(model)} {' '.join(wrong[:3])}")


async def _ask(run: Run[Any], step: str, model: str, prompt: str) -> Answer:
    try:
        return await run.ask(
            step, model, prompt, reserve=-SECONDS, timeout_seconds=SECONDS, require_complete=False
        )
    except NoAnswer as silent:
        raise RunFailed(f"{_failed(model)} {silent.failure.reason}") from None


def _failed(model: str) -> str:
    return f"The panel has an answer, but {model} could not put it into the schema."


def _read(text: str, schema: Schema) -> tuple[str, list[str]]:
    """The JSON in a text, and what is wrong with it."""
    found = json_in(text)
    if found is None:
        return "", [NOT_JSON]
    return found, faults(schema, orjson.loads(found))


def json_in(text: str) -> str | None:
    """The JSON that a text is, or that stands in it with words or a fence around; the text itself, unread.

    >>> json_in('Here it is:\\n```json\\n{"choice": "tabs"}\\n```')
    '{"choice": "tabs"}'
    """
    bare = text.strip()
    for start, end in ((bare[:1], bare[-1:]), ("{", "}"), ("[", "]")):
        first, last = bare.find(start), bare.rfind(end)
        part = bare[first : last + 1]
        if start and 0 <= first <= last and _is_json(part):
            return part
    return None


def _is_json(text: str) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True
