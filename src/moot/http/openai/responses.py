"""Responses: the same deliberations, read again at any time, also in the background."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from moot.history.story_text import StoryText
from moot.history.views import read_deliberation
from moot.http.dependencies import OneEngine, OpenStreams, User
from moot.http.openai.delivery import NO_RETRY, STOPPED, RunStream, Watch, WholeAnswer, document
from moot.http.openai.messages import Conversation, question_for, read_messages
from moot.http.openai.models import ERRORS, configured, target_of
from moot.http.openai.models import PREFIX as MODEL_PREFIX
from moot.http.openai.outcome import Begun, Outcome
from moot.http.openai.parameters import (
    answer_schema,
    flag,
    in_background,
    moot_options,
    read_parameters,
    stream_options,
    unsupported,
)
from moot.http.openai.response_objects import PREFIX, ResponseEvents, ResponseObject
from moot.http.problems import openai_error
from moot.http.stream import PING, PING_SECONDS
from moot.kernel.engine import Engine
from moot.kernel.errors import Conflict, NotFound, StoreUnavailable
from moot.kernel.mode import Mode
from moot.kernel.request import AskRequest

OWN = frozenset(
    {
        *("model", "input", "instructions", "stream", "background", "previous_response_id", "temperature"),
        *("metadata", "moot", "text", "reasoning", "stream_options"),
    }
)
PLAIN = {"type": "text"}

router = APIRouter(tags=["openai"], responses=ERRORS)


@router.post("/v1/responses", response_class=StreamingResponse)
async def create_response(request: Request, engine: OneEngine, user: User, streams: OpenStreams) -> Response:
    """Deliberate over the input: streamed, whole, or in the background."""
    given = read_parameters(await request.body(), OWN)
    _check(given)
    background = flag(given, "background")
    stream = flag(given, "stream")
    stays = background or in_background(given)
    ask = await _request(engine, user, given)
    record = await engine.start(ask, user=user)
    asked = {
        "instructions": ask.system,
        "temperature": ask.temperature,
        "background": background,
        "text": _text(ask.answer_schema),
        "previous_response_id": given.get("previous_response_id"),
        "metadata": given.get("metadata", {}),
    }
    begun = Begun.of(record)
    response = Responding(engine, user, begun, ResponseObject(begun, str(given["model"]), asked))
    if background and not stream:
        return document(200, response.object.running())
    watch = Watch(engine, record.id, user, background=stays)
    if stream:
        return RunStream(response.events(), streams, watch, _last_words())
    return WholeAnswer(response.whole, streams, watch)


@router.get("/v1/responses/{response_id}", response_class=StreamingResponse)
async def read_response(
    response_id: str,
    engine: OneEngine,
    user: User,
    streams: OpenStreams,
    stream: bool = False,
    starting_after: Annotated[int, Query(ge=-1, le=2**31, description="The last event you have.")] = -1,
) -> Response:
    """Read a response as it is now, or follow its events after one of them."""
    response = await _found(engine, user, response_id)
    if stream:
        watch = Watch(engine, response.begun.run_id, user, background=True)
        return RunStream(response.events(starting_after), streams, watch, _last_words())
    return await response.now()


@router.post("/v1/responses/{response_id}/cancel")
async def cancel_response(response_id: str, engine: OneEngine, user: User) -> Response:
    """Stop a response for good; one that has ended stays as it is."""
    response = await _found(engine, user, response_id)
    with suppress(Conflict):
        await engine.cancel(response.begun.run_id, user=user)
    return await response.now()


@dataclass(frozen=True, slots=True)
class Responding:
    """One run as a response."""

    engine: Engine
    user: str
    begun: Begun
    object: ResponseObject

    async def now(self) -> Response:
        record = await self.engine.run(self.begun.run_id, self.user)
        if record.status == "running":
            return document(200, self.object.running())
        return document(200, self.object.ended(await self._outcome()))

    async def whole(self) -> Response:
        await self.engine.finished(self.begun.run_id)
        outcome = await self._outcome()
        if not outcome.has_answer:
            status, error = outcome.failure
            return document(status, {"error": error, "moot": outcome.moot}, NO_RETRY)
        return document(200, self.object.ended(outcome))

    async def events(self, after: int = -1) -> AsyncGenerator[bytes, None]:
        """One event for each of the run that has something to tell, whichever came together."""
        events = ResponseEvents(self.object, after)
        story = StoryText(self.engine.modes[self.begun.mode])
        yield (events.begin() + events.tell(self.begun.preface)) or PING
        try:
            async for batch in self.engine.follow(self.begun.run_id, ping=PING_SECONDS):
                yield b"".join([events.tell(story.take(frame)) for frame in batch]) or PING
            outcome = await self._outcome()
            yield events.tell(story.finish(outcome.answer)) + events.end(outcome)
        except StoreUnavailable as error:
            yield _error(f"{error} The run continues when the server is back.")

    async def _outcome(self) -> Outcome:
        record = await self.engine.run(self.begun.run_id, self.user)
        return Outcome(await read_deliberation(self.engine, record), self.begun)


def _check(given: dict[str, Any]) -> None:
    stream_options(given)
    text = given.get("text", {})
    if not isinstance(text, dict) or _set_beside(text, "format", verbosity=("medium",)):
        raise unsupported("text", "text supports only format: leave the rest out")
    reasoning = given.get("reasoning", {})
    if not isinstance(reasoning, dict) or _set_beside(reasoning, summary=("auto", "detailed")):
        raise unsupported("reasoning", "reasoning supports only a detailed summary: leave the rest out")


def _set_beside(options: dict[str, Any], *own: str, **usual: tuple[Any, ...]) -> bool:
    """Whether anything else is set than what the door reads, and what is so anyway."""
    return any(
        value is not None and name not in own and value not in usual.get(name, ())
        for name, value in options.items()
    )


async def _request(engine: Engine, user: str, given: dict[str, Any]) -> AskRequest:
    target = await target_of(given.get("model"), engine, user)
    options = moot_options(given)
    config = configured(target, options.models, options.config)
    conversation = _conversation(given)
    follows: dict[str, Any] = {}
    if "previous_response_id" in given:
        conversation, follows = await _following(engine, user, target.mode, conversation, given)
    body = {**question_for(target.mode, conversation, config), **follows, "mode": target.mode.id}
    if follows and not config:
        del body["modeConfig"]  # that of the conversation holds
    if "temperature" in given:
        body["temperature"] = given["temperature"]
    schema = answer_schema(given.get("text", {}).get("format", PLAIN), "text.format")
    if schema is not None:
        body["schema"] = schema
    return AskRequest.of(body)


def _conversation(given: dict[str, Any]) -> Conversation:
    said = given.get("input")
    items = [{"role": "user", "content": said}] if isinstance(said, str) else said
    if isinstance(items, list):
        # What was told of an earlier deliberation is no part of the conversation.
        items = [one for one in items if not (isinstance(one, dict) and one.get("type") == "reasoning")]
        for place, one in enumerate(items):
            if isinstance(one, dict) and one.get("type", "message") != "message":
                path = f"input[{place}]"
                raise unsupported(
                    path, f"{path} is of the type {str(one['type'])[:40]!r}: only messages are read"
                )
    conversation = read_messages(items, "input")
    instructions = given.get("instructions")
    if instructions is None:
        return conversation
    if not isinstance(instructions, str):
        raise unsupported("instructions", "instructions must be text")
    system = "\n\n".join(part for part in (instructions, conversation.system) if part)
    return Conversation(conversation.question, conversation.before, system)


async def _following(
    engine: Engine, user: str, mode: Mode[Any], conversation: Conversation, given: dict[str, Any]
) -> tuple[Conversation, dict[str, Any]]:
    """What came before: its conversation, if the mode has follow-ups in it, else its question and answer."""
    with _known(given["previous_response_id"], "previous_response_id") as run_id:
        earlier = await engine.run(run_id, user)
    if earlier.mode == mode.id and mode.entry.supports_multi_turn and not conversation.before:
        return conversation, {"conversationId": earlier.conversation_id}
    answer = (await read_deliberation(engine, earlier, calls=False)).answer or ""
    before = (("user", earlier.question), ("assistant", answer), *conversation.before)
    return Conversation(conversation.question, before, conversation.system), {}


async def _found(engine: Engine, user: str, response_id: str) -> Responding:
    with _known(response_id) as run_id:
        record = await engine.run(run_id, user)
    begun = Begun.of(record)
    directions = orjson.loads(record.directions) if record.directions else {}
    asked = {
        "instructions": directions.get("system"),
        "temperature": directions.get("temperature"),
        "text": _text(directions.get("schema")),
    }
    return Responding(engine, user, begun, ResponseObject(begun, f"{MODEL_PREFIX}{record.mode}", asked))


def _text(schema: dict[str, Any] | None) -> dict[str, Any]:
    if schema is None:
        return {"format": PLAIN}
    name = str(schema.get("title", "answer"))
    return {"format": {"type": "json_schema", "name": name, "schema": schema, "strict": True}}


@contextmanager
def _known(response_id: Any, param: str = "") -> Iterator[str]:
    """The id of the run that a response is another name of; what is not found inside is this response."""
    message = f"There is no response {str(response_id)[:200]!r}"
    try:
        if not isinstance(response_id, str) or not response_id.startswith(PREFIX):
            raise NotFound(message)
        yield response_id.removeprefix(PREFIX)
    except NotFound:
        raise NotFound(message, ((param, message),)) from None


def _error(message: str) -> bytes:
    error = openai_error(503, message)
    event = {"type": "error", "code": error["code"], "message": message, "param": None, "sequence_number": 0}
    return b"event: error\ndata: %b\n\n" % orjson.dumps(event)


def _last_words() -> bytes:
    return _error(STOPPED)
