"""A run as a response of the Responses API: the object, and the numbered events by which it comes about.

    created, in_progress,
    a reasoning item, its text in pieces,      the deliberation
    a message item, its text,                  the answer
    completed or failed

Both are functions of the stored run alone, so that a reader who comes back, `starting_after` an event, gets
exactly the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from moot.http.openai.outcome import Begun, Outcome

STATUS = {"complete": "completed", "degraded": "completed", "failed": "failed", "cancelled": "cancelled"}
PREFIX = "resp_"


class ResponseObject:
    """`asked`: what the request said that the object repeats."""

    def __init__(self, begun: Begun, model: str, asked: dict[str, Any]) -> None:
        self._begun = begun
        unsaid: dict[str, Any] = {"background": False, "previous_response_id": None, "metadata": {}}
        self._asked = {**unsaid, "text": {"format": {"type": "text"}}, **asked}
        self._model = model

    @property
    def reasoning_id(self) -> str:
        return f"rs_{self._begun.run_id}"

    @property
    def message_id(self) -> str:
        return f"msg_{self._begun.run_id}"

    def running(self) -> dict[str, Any]:
        return {**self._whole("in_progress"), "moot": {**self._begun.moot, "status": "running"}}

    def ended(self, outcome: Outcome) -> dict[str, Any]:
        document = {**self._whole(STATUS[outcome.record.status]), "moot": outcome.moot}
        document["output"] = [self.reasoning(outcome.reasoning)]
        if outcome.has_answer:
            document["output"].append(self.message(outcome.content))
        elif outcome.record.status == "failed":
            _, error = outcome.failure
            document["error"] = {"code": error["code"], "message": error["message"]}
        document["usage"] = _usage(outcome.usage)
        return document

    def reasoning(self, text: str | None) -> dict[str, Any]:
        summary = [] if text is None else [{"type": "summary_text", "text": text}]
        status = "in_progress" if text is None else "completed"
        return {"id": self.reasoning_id, "type": "reasoning", "status": status, "summary": summary}

    def message(self, text: str | None) -> dict[str, Any]:
        return {
            "id": self.message_id,
            "type": "message",
            "role": "assistant",
            "status": "in_progress" if text is None else "completed",
            "content": [] if text is None else [part(text)],
        }

    def _whole(self, status: str) -> dict[str, Any]:
        return {
            "id": f"{PREFIX}{self._begun.run_id}",
            "object": "response",
            "created_at": self._begun.at // 1000,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "max_output_tokens": None,
            "model": self._model,
            "output": [],
            "parallel_tool_calls": False,
            "reasoning": {"effort": None, "summary": "detailed"},
            "store": True,
            "temperature": None,
            "tool_choice": "none",
            "tools": [],
            "top_p": None,
            "truncation": "disabled",
            "usage": None,
            **self._asked,
        }


def part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _usage(usage: dict[str, Any] | None) -> dict[str, Any] | None:
    if usage is None:
        return None
    details = usage.get("completion_tokens_details", {})
    cost = {"cost": usage["cost"]} if "cost" in usage else {}
    return {
        "input_tokens": usage["prompt_tokens"],
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": usage["completion_tokens"],
        "output_tokens_details": {"reasoning_tokens": details.get("reasoning_tokens", 0)},
        "total_tokens": usage["total_tokens"],
        **cost,
    }


class ResponseEvents:
    """Numbered from 0; those up to `after` are made and not sent."""

    def __init__(self, response: ResponseObject, after: int = -1) -> None:
        self._response = response
        self._after = after
        self._number = -1
        self._told: list[str] = []

    def begin(self) -> bytes:
        running = self._response.running()
        return b"".join(
            [
                self._event("response.created", response=running),
                self._event("response.in_progress", response=running),
                self._item("added", 0, self._response.reasoning(None)),
                self._event(
                    "response.reasoning_summary_part.added",
                    **self._summary(),
                    part={"type": "summary_text", "text": ""},
                ),
            ]
        )

    def tell(self, text: str) -> bytes:
        """A piece of the deliberation; nothing for no text."""
        if not text:
            return b""
        self._told.append(text)
        return self._event("response.reasoning_summary_text.delta", **self._summary(), delta=text)

    def end(self, outcome: Outcome) -> bytes:
        return b"".join(self._end(outcome))

    def _end(self, outcome: Outcome) -> Iterator[bytes]:
        reasoning = "".join(self._told)
        yield self._event("response.reasoning_summary_text.done", **self._summary(), text=reasoning)
        summary = {"type": "summary_text", "text": reasoning}
        yield self._event("response.reasoning_summary_part.done", **self._summary(), part=summary)
        yield self._item("done", 0, self._response.reasoning(reasoning))
        ended = self._response.ended(outcome)
        if not outcome.has_answer:
            yield self._event("response.failed", response=ended)
            return
        content, place = outcome.content, self._place()
        yield self._item("added", 1, self._response.message(None))
        yield self._event("response.content_part.added", **place, part=part(""))
        yield self._event("response.output_text.delta", **place, delta=content, logprobs=[])
        yield self._event("response.output_text.done", **place, text=content, logprobs=[])
        yield self._event("response.content_part.done", **place, part=part(content))
        yield self._item("done", 1, self._response.message(content))
        yield self._event("response.completed", response=ended)

    def _summary(self) -> dict[str, Any]:
        return {"item_id": self._response.reasoning_id, "output_index": 0, "summary_index": 0}

    def _place(self) -> dict[str, Any]:
        return {"item_id": self._response.message_id, "output_index": 1, "content_index": 0}

    def _item(self, what: str, index: int, item: dict[str, Any]) -> bytes:
        return self._event(f"response.output_item.{what}", output_index=index, item=item)

    def _event(self, type: str, **fields: Any) -> bytes:
        self._number += 1
        if self._number <= self._after:
            return b""
        document = {"type": type, "sequence_number": self._number, **fields}
        return b"event: %b\ndata: %b\n\n" % (type.encode(), orjson.dumps(document))
