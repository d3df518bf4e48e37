"""Chat completions: ask with messages, get the deliberation as reasoning and the answer as content."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from moot.history.story_text import StoryText
from moot.history.views import deliberation_of, read_deliberation
from moot.http.dependencies import OneEngine, OpenStreams, User
from moot.http.openai import chat_tasks
from moot.http.openai.delivery import NO_RETRY, STOPPED, RunStream, Watch, WholeAnswer, document
from moot.http.openai.messages import question_for, read_messages
from moot.http.openai.models import ERRORS, configured, target_of
from moot.http.openai.outcome import Begun, Outcome, failure_of, usage_of
from moot.http.openai.parameters import (
    answer_schema,
    cut_at,
    flag,
    in_background,
    moot_options,
    read_parameters,
    stop_texts,
    stream_options,
    unsupported,
)
from moot.http.problems import openai_error
from moot.http.stream import PING, PING_SECONDS
from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import StoreUnavailable
from moot.kernel.followers import TERMINAL
from moot.kernel.request import AskRequest
from moot.kernel.run import Run
from moot.kernel.values import Call

OWN = frozenset(
    {
        *("model", "messages", "stream", "stream_options", "stop", "temperature", "response_format"),
        *("metadata", "moot"),
    }
)
CHAT_PATH = "/v1/chat/completions"
DONE = b"data: [DONE]\n\n"

router = APIRouter(tags=["openai"], responses=ERRORS)


@dataclass(frozen=True, slots=True)
class Wishes:
    """How the answer is to be given."""

    model: str
    stream: bool
    usage: bool
    stops: list[str]
    background: bool


@router.post(CHAT_PATH, response_class=StreamingResponse)
async def complete_chat(request: Request, engine: OneEngine, user: User, streams: OpenStreams) -> Response:
    """Deliberate over the last user message with the mode or preset that `model` names, streamed or whole."""
    given = read_parameters(await request.body(), OWN)
    wishes = _wishes(given)
    target = await target_of(given.get("model"), engine, user)
    conversation = read_messages(given.get("messages"))
    options = moot_options(given)
    config = configured(target, options.models, options.config)
    directions = _directions(given)
    ask = AskRequest.of(
        {**question_for(target.mode, conversation, config), "mode": target.mode.id, **directions}
    )
    if chat_tasks.is_task(conversation) and ask.answer_schema is None:
        call = await chat_tasks.perform(engine, user, target, config, conversation, ask.temperature)
        return _task_answer(wishes, call)
    record = await engine.start(ask, user=user)
    chat = Chat(engine, user, Begun.of(record), wishes)
    watch = Watch(engine, record.id, user, background=wishes.background)
    if wishes.stream:
        return RunStream(chat.chunks(), streams, watch, sse({"error": openai_error(503, STOPPED)}))
    return WholeAnswer(chat.whole, streams, watch)


def _wishes(given: dict[str, Any]) -> Wishes:
    return Wishes(
        model=str(given.get("model")),
        stream=flag(given, "stream"),
        usage=stream_options(given).include_usage,
        stops=stop_texts(given.get("stop", [])),
        background=in_background(given),
    )


def _directions(given: dict[str, Any]) -> dict[str, Any]:
    """Those of the parameters that the panel is to follow."""
    directions = {"temperature": given["temperature"]} if "temperature" in given else {}
    schema = answer_schema(given.get("response_format", {"type": "text"}), "response_format")
    if schema is None:
        return directions
    if given.get("stop"):
        raise unsupported("stop", "stop would cut the JSON that response_format asks for: leave it out")
    return {**directions, "schema": schema}


@dataclass(frozen=True, slots=True)
class Form:
    """What all chunks of one completion, or the whole of it, have in common."""

    id: str
    model: str
    at: int

    def whole(self, message: dict[str, Any], usage: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
        said = {"role": "assistant", "refusal": None, **message}
        choice = {"index": 0, "message": said, "logprobs": None, "finish_reason": "stop"}
        counted = {} if usage is None else {"usage": usage}
        return {**self._head("chat.completion"), "choices": [choice], **counted, **more}

    def chunk(self, delta: dict[str, Any], finish_reason: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return sse({**self._head("chat.completion.chunk"), "choices": [choice], **more})

    def usage(self, usage: dict[str, Any] | None) -> bytes:
        """A chunk of its own, and only for who asked for it: others stumble over a chunk without a choice."""
        return sse({**self._head("chat.completion.chunk"), "choices": [], "usage": usage})

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": f"chatcmpl-{self.id}", "object": kind, "created": self.at // 1000, "model": self.model}


class Chat:
    """One run as a chat completion."""

    def __init__(self, engine: Engine, user: str, begun: Begun, wishes: Wishes) -> None:
        self._engine = engine
        self._user = user
        self._begun = begun
        self._wishes = wishes
        self._form = Form(begun.run_id, wishes.model, begun.at)

    async def whole(self) -> Response:
        await self._engine.finished(self._begun.run_id)
        outcome = await self._outcome()
        if not outcome.has_answer:
            status, error = outcome.failure
            return document(status, {"error": error, "moot": outcome.moot}, NO_RETRY)
        message = {"content": outcome.content, **_reasoning(outcome.reasoning)}
        return document(200, self._form.whole(message, outcome.usage, moot=outcome.moot))

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        yield self._form.chunk({"role": "assistant", "content": ""}, moot=self._begun.moot)
        run = self._engine.running.get(self._begun.run_id)
        story = StoryText(self._engine.modes[self._begun.mode], run)
        text = self._begun.preface
        try:
            async for batch in self._engine.follow(self._begun.run_id, ping=PING_SECONDS):
                text += "".join(map(story.take, batch))
                if batch and batch[-1].type in TERMINAL:
                    continue  # the rest is told with the answer, in one write
                yield self._form.chunk(_reasoning(text)) if text else PING
                text = ""
            outcome = await self._outcome(run)
            yield b"".join(self._ending(text + story.finish(outcome.answer), outcome))
        except StoreUnavailable as error:
            yield (
                sse({"error": openai_error(503, f"{error} The run continues when the server is back.")})
                + DONE
            )

    def _ending(self, rest: str, outcome: Outcome) -> Iterator[bytes]:
        if rest:
            yield self._form.chunk(_reasoning(rest))
        if not outcome.has_answer:
            _, error = outcome.failure
            yield sse({"error": error, "moot": outcome.moot}) + DONE
            return
        yield self._form.chunk({"content": outcome.content})
        yield self._form.chunk({}, "stop", moot=outcome.moot)
        if self._wishes.usage:
            yield self._form.usage(outcome.usage)
        yield DONE

    async def _outcome(self, run: Run[Any] | None = None) -> Outcome:
        """`run`: the run itself, if this process worked on it from the start."""
        deliberation = deliberation_of(run) if run is not None else None
        if deliberation is None:
            record = await self._engine.run(self._begun.run_id, self._user)
            deliberation = await read_deliberation(self._engine, record)
        return Outcome(deliberation, self._begun, self._wishes.stops)


def _reasoning(text: str) -> dict[str, str]:
    """Under both names: half of the clients know the one, half the other."""
    return {"reasoning_content": text, "reasoning": text}


def sse(value: dict[str, Any]) -> bytes:
    return b"data: %b\n\n" % orjson.dumps(value)


def _task_answer(wishes: Wishes, call: Call) -> Response:
    """A completion by one model: there was no deliberation, and so there is no `moot` object."""
    if call.text is None:
        status, error = failure_of(call)
        return document(status, {"error": error}, NO_RETRY)
    form, usage = Form(call.digest, call.model, now_ms()), usage_of(call)
    text = cut_at(call.text, wishes.stops)
    if not wishes.stream:
        return document(200, form.whole({"content": text}, usage))
    bodies = [form.chunk({"role": "assistant", "content": text}), form.chunk({}, "stop")]
    last = [form.usage(usage)] if wishes.usage else []
    return Response(b"".join([*bodies, *last, DONE]), media_type="text/event-stream")
