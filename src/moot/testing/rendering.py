"""Replies as bytes, in the two dialects: chat completions and Anthropic's Messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from moot.testing.replies import Reply
from moot.testing.scripted import pieces

_STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}


@lru_cache(maxsize=512)
def events(reply: Reply, model: str, anthropic: bool) -> tuple[bytes, ...]:
    """The events of a stream: one per piece, then how it ended."""
    made = _anthropic_events(reply, model) if anthropic else _chat_events(reply, model)
    return tuple(made)


def document(reply: Reply, model: str, anthropic: bool) -> bytes:
    """The reply as one JSON document."""
    if reply.error_in_200:
        return error_document(502, reply.message or "provider died")
    if anthropic:
        content = [{"type": "text", "text": reply.text}]
        stop_reason = _STOP_REASONS.get(reply.finish_reason, reply.finish_reason)
        usage = _usage(reply, "input_tokens", "output_tokens")
        return _json({"type": "message", "content": content, "stop_reason": stop_reason, "usage": usage})
    message = {"role": "assistant", "content": reply.text, "reasoning": reply.reasoning or None}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
    return _json({"model": model, "choices": [choice], "usage": _chat_usage(reply)})


def error_document(status: int, message: str) -> bytes:
    return _json({"error": {"message": message, "code": status, "type": "scripted"}})


def _chat_events(reply: Reply, model: str) -> Iterator[bytes]:
    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _event(
            {"id": "gen-1", "object": "chat.completion.chunk", "model": model, "choices": [choice], **more}
        )

    for thought in pieces(reply.reasoning):
        yield chunk({"reasoning": thought})
    for piece in pieces(reply.text):
        yield chunk({"content": piece})
    if reply.error_in_200:
        yield chunk({}, "error", error={"code": 502, "message": reply.message or "provider died"})
    if reply.error_in_200 or reply.unfinished:
        return
    yield chunk({}, reply.finish_reason)
    usage = reply.usage.encode() or _json(_chat_usage(reply))
    yield b'data: {"choices": [], "usage": ' + usage + b"}\n\n"
    yield b"data: [DONE]\n\n"


def _anthropic_events(reply: Reply, model: str) -> Iterator[bytes]:
    def delta(kind: str, name: str, text: str) -> bytes:
        block = {"type": kind, name: text}
        return _event({"type": "content_block_delta", "index": 0, "delta": block}, named=True)

    counts = _usage(reply, "input_tokens", "output_tokens")
    begun = {"model": model, "content": [], "usage": {**counts, "output_tokens": 1}}
    yield _event({"type": "message_start", "message": begun}, named=True)
    yield _event({"type": "ping"}, named=True)
    for thought in pieces(reply.reasoning):
        yield delta("thinking_delta", "thinking", thought)
    for piece in pieces(reply.text):
        yield delta("text_delta", "text", piece)
    if reply.error_in_200:
        error = {"type": "overloaded_error", "message": reply.message or "Overloaded"}
        yield _event({"type": "error", "error": error}, named=True)
    if reply.error_in_200 or reply.unfinished:
        return
    stop_reason = _STOP_REASONS.get(reply.finish_reason, reply.finish_reason)
    spent = {"output_tokens": counts["output_tokens"]}
    yield _event({"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": spent}, named=True)
    yield _event({"type": "message_stop"}, named=True)


def _event(content: dict[str, Any], named: bool = False) -> bytes:
    name = b"event: " + str(content["type"]).encode() + b"\n" if named else b""
    return name + b"data: " + _json(content) + b"\n\n"


def _chat_usage(reply: Reply) -> dict[str, Any]:
    usage = _usage(reply, "prompt_tokens", "completion_tokens")
    usage["completion_tokens_details"] = {"reasoning_tokens": len(reply.reasoning.split())}
    return usage if reply.cost is None else {**usage, "cost": reply.cost}


def _usage(reply: Reply, prompt: str, completion: str) -> dict[str, Any]:
    return {prompt: 100, completion: len(reply.text.split()) + len(reply.reasoning.split())}


def _json(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode()
