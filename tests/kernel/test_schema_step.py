"""An answer in the caller's schema: one more call, journaled and counted like every other, or an error that says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from moot.history.views import RunView, read_deliberation
from moot.kernel.errors import Rejected, TransportError
from moot.kernel.events import SchemaComplete
from moot.kernel.request import AskRequest
from moot.kernel.schema_step import REPAIR, STEP
from moot.modes import MODES
from moot.simulator.transport import Simulator
from moot.testing import SILENCE, Received, Reply, Scripted, vote_for
from tests.harness.chamber import Chamber
from tests.harness.waiting import until
from tests.kernel.test_engine import PANEL, engine, script

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"choice": {"enum": ["tabs", "spaces"]}},
    "required": ["choice"],
}
BODY: dict[str, Any] = {
    "question": "Tabs or spaces?",
    "mode": "vote",
    "modeConfig": {"councilModels": list(PANEL), "chairmanModel": "chair"},
    "schema": SCHEMA,
}
ASK = AskRequest.of(BODY)
GOOD, BAD = '{"choice": "tabs"}', '{"choice": "both"}'


def prompts(lines: Scripted) -> list[str]:
    return [request.messages[-1].content for request in lines.requests if request.model == "chair"]


async def test_the_writer_puts_the_answer_into_the_schema_and_the_answer_itself_stays() -> None:
    lines = script(chair=[f"Here:\n```json\n{GOOD}\n```"])
    async with engine(lines) as opened:
        record = await opened.finished((await opened.start(ASK)).id)
        deliberation = await read_deliberation(opened, record)
    assert (record.status, deliberation.answer, deliberation.json_answer) == ("complete", "tabs", GOOD)
    view = RunView.of_deliberation(deliberation)
    assert view.json_answer == {"choice": "tabs"}
    assert [call.step for call in view.calls if call.model == "chair"] == ["schema/1"]
    assert '"choice"' in prompts(lines)[0]


async def test_a_run_without_a_schema_has_no_such_step_and_no_such_field() -> None:
    lines = script(chair=[])
    async with engine(lines) as opened:
        ask = AskRequest.of({name: value for name, value in BODY.items() if name != "schema"})
        record = await opened.finished((await opened.start(ask)).id)
        view = RunView.of_deliberation(await read_deliberation(opened, record))
    assert record.directions is None
    assert "jsonAnswer" not in view.model_dump()
    assert prompts(lines) == []


async def test_an_answer_that_is_valid_already_costs_no_further_call() -> None:
    lines = script(**{model: [GOOD, vote_for(GOOD)] for model in PANEL}, chair=[])
    async with engine(lines) as opened:
        record = await opened.finished((await opened.start(ASK)).id)
        deliberation = await read_deliberation(opened, record)
    told = [event.data for event in deliberation.story if isinstance(event, SchemaComplete)]
    assert [(one.model, one.answer) for one in told] == [(None, GOOD)]
    assert not any(call.step.startswith(STEP) for call in deliberation.calls)


async def test_one_repair_shows_the_reply_and_what_is_wrong_with_it() -> None:
    lines = script(chair=[BAD, GOOD])
    async with engine(lines) as opened:
        record = await opened.finished((await opened.start(ASK)).id)
        deliberation = await read_deliberation(opened, record)
    assert (record.status, deliberation.json_answer) == ("complete", GOOD)
    repair = prompts(lines)[1]
    assert REPAIR.rpartition("\n")[2] in repair
    assert BAD in repair
    assert "choice: 'both' is not one of ['tabs', 'spaces']" in repair


async def test_a_number_that_may_go_on_where_the_reply_was_cut_off_is_asked_for_again() -> None:
    def chair(received: Received) -> str | Reply:
        if '"integer"' not in received.prompt:
            return "VOTE: Response A"
        return "42" if "was cut off" in received.prompt else Reply("4", finish_reason="length")

    def seat(received: Received) -> str:
        return "VOTE: Response A" if "VOTE:" in received.prompt else f"42, says {received.model}."

    models: dict[str, Any] = {"a/ann": seat, "b/bob": seat, "c/cyd": seat, "d/dee": chair}
    body = {"councilModels": ["a/ann", "b/bob", "c/cyd"], "chairmanModel": "d/dee"}
    async with Chamber(models) as chamber:
        ask = AskRequest.of({**BODY, "modeConfig": body, "schema": {"type": "integer"}})
        held = await chamber.held(await chamber.engine.start(ask))
    assert held.data("schema_complete")["answer"] == "42"
    assert [call.step for call in held.calls if call.step.startswith(STEP)] == ["schema/1", "schema/2"]


async def test_without_a_valid_reply_the_run_says_so_keeps_its_answer_and_a_retry_asks_for_the_form_alone() -> (
    None
):
    lines = script(chair=["No.", BAD, GOOD])
    async with engine(lines) as opened:
        record = await opened.finished((await opened.start(ASK)).id)
        deliberation = await read_deliberation(opened, record)
        assert record.status == "failed"
        assert record.error == (
            "The panel has an answer, but chair could not put it into the schema. "
            "choice: 'both' is not one of ['tabs', 'spaces']"
        )
        assert (deliberation.answer, deliberation.json_answer) == ("tabs", None)
        before = len(lines.requests)
        again = await opened.finished((await opened.retry(record.id)).id)
        mended = await read_deliberation(opened, again)
    assert (again.status, mended.json_answer) == ("complete", GOOD)
    assert len(lines.requests) == before + 1


async def test_a_writer_that_does_not_answer_fails_the_run_in_its_providers_words() -> None:
    lines = script(chair=[TransportError("credit", "chair: the account is empty.")])
    async with engine(lines) as opened:
        record = await opened.finished((await opened.start(ASK)).id)
    said = "The panel has an answer, but chair could not put it into the schema. chair: the account is empty."
    assert (record.status, record.error) == ("failed", said)


async def test_a_run_that_is_cut_off_in_the_middle_of_it_pays_for_nothing_twice(tmp_path: Path) -> None:
    database = tmp_path / "moot.db"
    first, second = script(chair=[BAD, SILENCE]), script(chair=[GOOD])
    async with engine(first, database) as opened:
        run_id = (await opened.start(ASK)).id
        await until(lambda: len(prompts(first)) == 2)
    async with engine(second, database) as opened:
        record = await opened.finished(run_id)
        deliberation = await read_deliberation(opened, record)
    assert (record.status, deliberation.json_answer) == ("complete", GOOD)
    assert prompts(second) == prompts(first)[1:]
    assert len(second.requests) == 1


async def test_a_follow_up_keeps_the_system_prompt_but_not_the_schema_of_another_answer() -> None:
    lines = script(chair=[GOOD])
    async with engine(lines) as opened:
        record = await opened.finished(
            (await opened.start(AskRequest.of({**BODY, "system": "Be brief."}))).id
        )
        more = {"question": "Why?", "mode": "vote", "conversationId": record.conversation_id}
        follow_up = await opened.finished((await opened.start(AskRequest.of(more))).id)
    assert follow_up.status == "complete"
    assert follow_up.directions == b'{"system":"Be brief."}'


async def test_a_schema_is_checked_before_anybody_is_asked_and_counted_in_the_estimate() -> None:
    lines = script(chair=[])
    async with engine(lines) as opened:
        with pytest.raises(Rejected, match=r"refers to 'https://example\.org/x'"):
            await opened.start(AskRequest.of({**BODY, "schema": {"$ref": "https://example.org/x"}}))
        with pytest.raises(Rejected, match="schema must be an object"):
            AskRequest.of({**BODY, "schema": [1]})
        said = await opened.estimate(ASK, ())
        bare = await opened.estimate(ASK.model_copy(update={"answer_schema": None}), ())
    assert lines.requests == []
    assert said.calls == bare.calls + 2
    assert [step.step for step in said.steps if step.step not in {one.step for one in bare.steps}] == [
        "schema"
    ]


async def test_a_run_may_not_call_more_often_than_the_settings_allow_for_a_schema_either() -> None:
    lines = script(chair=[GOOD])
    async with engine(lines, max_calls=7) as opened:
        record = await opened.finished((await opened.start(ASK)).id)
    assert record.status == "failed"
    assert "could not put it into the schema. chair was not asked:" in (record.error or "")
    assert prompts(lines) == []


@pytest.mark.parametrize("mode", MODES)
async def test_every_mode_gives_its_answer_in_a_schema(mode: str) -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    panel = ("sim/ada", "sim/bo", "sim/cleo", "sim/dov", "sim/eli", "sim/fay")
    async with Chamber(
        transport=Simulator(speed=0), panel=panel, title_model="sim/ada", embedder="off"
    ) as chamber:
        record = await chamber.engine.start(
            AskRequest.of({"question": "Are tabs better than spaces?", "mode": mode, "schema": schema})
        )
        record = await chamber.engine.finished(record.id)
        deliberation = await read_deliberation(chamber.engine, record)
    assert record.status in ("complete", "degraded"), record.error
    view = RunView.of_deliberation(deliberation)
    assert view.json_answer is not None
    assert view.json_answer["text"].startswith("Simulated: ")
    writer = next(call.model for call in view.calls if call.step == "schema/1")
    assert writer in panel
