"""Anthropic's Messages API, streamed.

POST {base_url}/v1/messages   {"model": "claude-opus-4-6", "system": "…", "messages": […], "max_tokens": …}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Tabs"}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}
"""

from __future__ import annotations

import re
from typing import Any

from moot.kernel.values import Request, Usage
from moot.settings.providers import Provider
from moot.transport.failures import error_in_reply
from moot.transport.reading import Reading, tokens

MAX_TOKENS = 16_000
"""The API wants a limit; this one is room for a long answer, and is lowered for a model that allows less."""

_MOST = re.compile(r"max_tokens: \d+ > (\d+)")
_FINISH_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}


class Messages:
    """How a call is put, and how its reply is read."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._most_tokens: dict[str, int] = {}
        self._no_temperature: set[str] = set()
        version = "" if provider.base_url.endswith("/v1") else "/v1"
        self.url = f"{provider.base_url}{version}/messages"
        self.headers = {"Content-Type": "application/json", "anthropic-version": "2023-06-01"}
        if provider.key is not None:
            self.headers["x-api-key"] = provider.key.get_secret_value()

    def body(self, request: Request) -> dict[str, Any]:
        model = request.model
        most = self._most_tokens.get(model, request.max_tokens or MAX_TOKENS)
        body: dict[str, Any] = {
            "model": self._provider.own_name(model),
            "max_tokens": min(most, request.max_tokens or most),
            "messages": [
                {"role": m.role, "content": m.content} for m in request.messages if m.role != "system"
            ],
            "stream": True,
        }
        system = "\n\n".join(m.content for m in request.messages if m.role == "system")
        if system:
            body["system"] = system
        if request.temperature is not None and model not in self._no_temperature:
            # Anthropic's scale ends at 1, where others go on to 2.
            body["temperature"] = min(request.temperature, 1.0)
        return body

    def give_way(self, body: dict[str, Any], request: Request, words: str) -> bool:
        most = _MOST.search(words)
        if most and 0 < int(most[1]) < body["max_tokens"]:
            self._most_tokens[request.model] = int(most[1])
            return True
        if "temperature" in body and "temperature" in words:
            self._no_temperature.add(request.model)
            return True
        return False

    def reading(self, model: str) -> Reading:
        return MessageReading(self._provider, model)


class MessageReading(Reading):
    def take(self, event: Any) -> None:
        match event["type"]:
            case "content_block_delta":
                delta = event["delta"]
                self.add(str(delta.get("text") or ""))
                self.add_reasoning(str(delta.get("thinking") or ""))
            case "message_start":
                self._take_usage(event["message"].get("usage") or {})
            case "message_delta":
                self._finished(event["delta"].get("stop_reason"))
                self._take_usage(event.get("usage") or {})
            case "message_stop":
                self.done = True
            case "error":
                raise error_in_reply(event["error"], self.provider, self.model)
            case _:
                pass  # pings, the starts and ends of blocks, and whatever is yet to be invented

    def take_whole(self, document: Any) -> None:
        if document.get("type") == "error":
            raise error_in_reply(document["error"], self.provider, self.model)
        for block in document["content"]:
            self.add(str(block.get("text") or ""))
            self.add_reasoning(str(block.get("thinking") or ""))
        self._finished(document.get("stop_reason"))
        self._take_usage(document.get("usage") or {})

    def _finished(self, stop_reason: Any) -> None:
        if stop_reason:
            self.finish_reason = _FINISH_REASONS.get(stop_reason, str(stop_reason))

    def _take_usage(self, usage: Any) -> None:
        """The prompt's tokens come first, the answer's last; what was read from or written to the cache
        is counted apart."""
        before = self.usage or Usage()
        prompt = tokens(usage.get("input_tokens"))
        cached = tokens(usage.get("cache_read_input_tokens")) or 0
        written = tokens(usage.get("cache_creation_input_tokens")) or 0
        self.cached_tokens = max(self.cached_tokens, cached)
        output = tokens(usage.get("output_tokens"))
        self.usage = Usage(
            prompt_tokens=before.prompt_tokens if prompt is None else prompt + cached + written,
            completion_tokens=before.completion_tokens if output is None else output,
        )
