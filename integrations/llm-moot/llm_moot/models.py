"""A model of LLM that is a panel: the deliberation is its reasoning, the outcome its text."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, closing, suppress
from functools import partial
from typing import Any

import llm
from llm.parts import AttachmentPart, StreamEvent, TextPart
from pydantic import Field, field_validator

from llm_moot.catalogue import Target, read_presets
from llm_moot.door import Answer, open_door, refuse
from llm_moot.work import in_task, in_thread
from moot.history.safe_text import safe_text

TEXTS = frozenset(
    {
        "application/json",
        "application/xml",
        "application/yaml",
        "text/csv",
        "text/html",
        "text/markdown",
        "text/plain",
        "text/x-diff",
        "text/x-patch",
        "text/x-python",
        "text/xml",
    }
)
DETAILS = ("completion_tokens_details", "cost")
"""What moot counts beyond LLM's own two figures."""


def token(explicit: str | None = None) -> str | None:
    """For a server where people sign in: `--key`, `llm keys set moot`, or MOOT_TOKEN."""
    found: str | None = llm.get_key(input=explicit, alias="moot", env="MOOT_TOKEN")
    return found


class Options(llm.Options):
    models: list[str] | None = Field(
        default=None, description="The panel, separated by commas; default: moot's own choice"
    )
    config: dict[str, Any] | None = Field(
        default=None, description="The mode's config as a JSON object; see `moot modes MODE`"
    )
    temperature: float | None = Field(default=None, description="For every model of the panel", ge=0, le=2)

    @field_validator("models", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return [name.strip() for name in value.split(",") if name.strip()]

    @field_validator("config", mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError as error:
            raise ValueError(f"it must be JSON: {error}") from None


class _Panel:
    """What the two kinds of model share."""

    can_stream = True
    needs_key: str | None = None
    key_env_var: str | None = "MOOT_TOKEN"
    attachment_types: set[str] | frozenset[str] = TEXTS

    def __init__(self, target: Target) -> None:
        self.model_id = target.model_id
        self.target = target
        self.supports_conversation = target.takes_follow_ups

    def __str__(self) -> str:
        return f"moot: {self.model_id}"

    def get_key(self, explicit_key: str | None = None) -> str | None:
        return token(explicit_key)


class MootModel(_Panel, llm.KeyModel):
    Options = Options  # type: ignore[assignment]  # LLM looks for it under this name

    def execute(
        self,
        prompt: llm.Prompt,
        stream: bool,
        response: llm.Response,
        conversation: llm.Conversation | None,
        key: str | None = None,
    ) -> Iterator[StreamEvent]:
        with closing(in_thread(partial(_ask, key, request_body(self.target, prompt)))) as frames:
            for frame in frames:
                yield from events_of(frame, response)


class AsyncMootModel(_Panel, llm.AsyncKeyModel):
    Options = Options  # type: ignore[assignment]  # LLM looks for it under this name

    async def execute(
        self,
        prompt: llm.Prompt,
        stream: bool,
        response: llm.AsyncResponse,
        conversation: llm.AsyncConversation | None,
        key: str | None = None,
    ) -> AsyncGenerator[StreamEvent, None]:
        async with aclosing(in_task(partial(_ask, key, request_body(self.target, prompt)))) as frames:
            async for frame in frames:
                for event in events_of(frame, response):
                    yield event


async def _ask(key: str | None, body: dict[str, Any], put: Callable[[Any], None]) -> None:
    async with open_door(key) as door:
        async with door.request("POST", "/v1/chat/completions", body) as answer:
            await refuse(answer)
            async for frame in _frames(answer):
                put(frame)
        with suppress(llm.ModelError, OSError):  # the answer is there
            await read_presets(door)


async def _frames(answer: Answer) -> AsyncIterator[dict[str, Any]]:
    rest = b""
    async for piece in answer.pieces:
        *whole, rest = (rest + piece).split(b"\n\n")
        for frame in whole:
            data = frame.removeprefix(b"data: ")
            if data != frame and data != b"[DONE]":
                yield json.loads(data)


def events_of(frame: dict[str, Any], response: Any) -> Iterator[StreamEvent]:
    """What a chunk says, made safe for a terminal. Raises ModelError for a run without an answer."""
    if "moot" in frame:
        response.response_json = {"moot": {**(response.response_json or {}).get("moot", {}), **frame["moot"]}}
    if "error" in frame:
        raise llm.ModelError(safe_text(frame["error"]["message"]))
    if usage := frame.get("usage"):
        details = {name: usage[name] for name in DETAILS if usage.get(name) is not None}
        response.set_usage(
            input=usage["prompt_tokens"], output=usage["completion_tokens"], details=details or None
        )
    for choice in frame.get("choices", ()):
        if reasoning := choice["delta"].get("reasoning"):
            yield StreamEvent(type="reasoning", chunk=safe_text(reasoning))
        if content := choice["delta"].get("content"):
            yield StreamEvent(type="text", chunk=safe_text(content))


def request_body(target: Target, prompt: llm.Prompt) -> dict[str, Any]:
    """The request at moot's own door."""
    options: Any = prompt.options
    messages = [_message(one) for one in prompt.messages]
    config = dict(options.config or {})
    field, text, question = target.judged_field, _given_text(prompt), _question(prompt)
    if field not in (None, "question") and text and question and field not in config:
        messages[-1] = {"role": "user", "content": question}
        config[str(field)] = text
    moot = {"models": options.models, "config": config or None}
    body = {
        "model": f"moot/{target.name}",
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": options.temperature,
        "moot": {name: value for name, value in moot.items() if value is not None},
    }
    return {name: value for name, value in body.items() if value is not None}


def _given_text(prompt: llm.Prompt) -> str:
    """What came as fragments and attachments: the text that a question is about."""
    texts = [str(one) for one in prompt.fragments or ()] + [_read_text(one) for one in prompt.attachments]
    return "\n\n".join(texts)


def _question(prompt: llm.Prompt) -> str:
    """The prompt without its fragments."""
    fragments = "\n".join(str(one) for one in prompt.fragments or ())
    whole: str = prompt.prompt
    return whole.removeprefix(fragments).strip()


def _message(message: Any) -> dict[str, Any]:
    texts = []
    for part in message.parts:
        if isinstance(part, TextPart):
            texts.append(part.text)
        elif isinstance(part, AttachmentPart) and part.attachment is not None:
            texts.append(_read_text(part.attachment))
    return {"role": message.role, "content": "\n\n".join(texts)}


def _read_text(attachment: llm.Attachment) -> str:
    try:
        content: bytes = attachment.content_bytes()  # type: ignore[no-untyped-call]
        return content.decode()
    except UnicodeDecodeError:
        raise llm.ModelError("A panel reads text: an attachment is not UTF-8.") from None
