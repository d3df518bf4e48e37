"""Chat completions, streamed: the dialect of OpenRouter, OpenAI, Ollama, vLLM and many others.

POST {base_url}/chat/completions   {"model": "openai/o3", "messages": […], "stream": true, …}

: OPENROUTER PROCESSING
data: {"choices":[{"index":0,"delta":{"content":"Tabs"},"finish_reason":null}]}
data: {"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":1,"cost":0.0001}}
data: [DONE]
"""

from __future__ import annotations

from typing import Any

import orjson

from moot.kernel.values import Request, Usage
from moot.settings.providers import OPENROUTER, Provider
from moot.transport.failures import error_in_reply
from moot.transport.reading import Reading, dollars, tokens


class ChatCompletions:
    """How a call is put, and how its reply is read. What a server refused once is left out from then on."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._left_out: set[tuple[str, str | None]] = set()
        self.url = f"{provider.base_url}/chat/completions"
        self.headers = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}
        if provider.key is not None:
            self.headers["Authorization"] = f"Bearer {provider.key.get_secret_value()}"
        if provider.name == OPENROUTER:
            self.headers["X-Title"] = "moot"

    def body(self, request: Request) -> dict[str, Any]:
        model = request.model
        body: dict[str, Any] = {
            "model": self._provider.own_name(model),
            "messages": orjson.Fragment(request.messages_json),
            "stream": True,
        }
        if self._provider.name == OPENROUTER:
            body["usage"] = {"include": True}
        if ("stream_options", None) not in self._left_out:
            body["stream_options"] = {"include_usage": True}
        if request.temperature is not None and ("temperature", model) not in self._left_out:
            body["temperature"] = request.temperature
        if request.max_tokens is not None:
            refused = ("max_tokens", model) in self._left_out
            body["max_completion_tokens" if refused else "max_tokens"] = request.max_tokens
        return body

    def give_way(self, body: dict[str, Any], request: Request, words: str) -> bool:
        """Whether the call is worth sending again without what these words object to."""
        objected: list[tuple[str, str | None]] = [
            (field, None if field == "stream_options" else request.model)
            for field in ("stream_options", "temperature", "max_tokens")
            if field in body and field in words
        ]
        self._left_out.update(objected)
        return bool(objected)

    def reading(self, model: str) -> Reading:
        return ChatReading(self._provider, model)


class ChatReading(Reading):
    def take(self, event: Any) -> None:
        choices = event.get("choices")
        if choices:
            choice = choices[0]
            delta = choice.get("delta")
            if delta:
                self._take_message(delta)
            if choice.get("finish_reason"):
                self._finished(choice, event)
        if event.get("usage"):
            self._take_usage(event["usage"])
        if event.get("error"):
            raise error_in_reply(event["error"], self.provider, self.model)

    def take_whole(self, document: Any) -> None:
        if document.get("error"):
            raise error_in_reply(document["error"], self.provider, self.model)
        choice = document["choices"][0]
        self._take_message(choice.get("message") or {})
        self._finished(choice, document)
        self._take_usage(document.get("usage") or {})

    def _take_message(self, message: Any) -> None:
        content = message.get("content")
        if content:
            if type(content) is str:
                self.add(content)
            else:
                self._take_parts(content)
        # Several servers send the same reasoning under both names.
        reasoning = message.get("reasoning") or message.get("reasoning_content")
        if reasoning:
            self.add_reasoning(str(reasoning))
        if message.get("refusal"):
            self.refusal += str(message["refusal"])

    def _take_parts(self, parts: Any) -> None:
        """Content as a list of parts, some of them thoughts: Mistral's way."""
        for part in parts:
            if part.get("type") == "thinking":
                for thought in part.get("thinking") or ():
                    self.add_reasoning(str(thought.get("text") or ""))
            else:
                self.add(str(part.get("text") or ""))

    def _finished(self, choice: Any, event: Any) -> None:
        reason = choice.get("finish_reason")
        if reason == "error" or choice.get("error"):
            error = choice.get("error") or event.get("error") or "the provider gave no reason"
            raise error_in_reply(error, self.provider, self.model)
        self.finish_reason = str(reason) if reason else None

    def _take_usage(self, usage: Any) -> None:
        details = usage.get("completion_tokens_details") or {}
        self.usage = Usage(
            prompt_tokens=tokens(usage.get("prompt_tokens")),
            completion_tokens=tokens(usage.get("completion_tokens")),
            reasoning_tokens=tokens(details.get("reasoning_tokens")),
        )
        self.cached_tokens = tokens((usage.get("prompt_tokens_details") or {}).get("cached_tokens")) or 0
        self.cost = dollars(usage.get("cost"))
        if self.cost is not None and usage.get("is_byok"):
            # With a key of one's own, `cost` is OpenRouter's fee alone; the provider bills the rest.
            self.cost += dollars((usage.get("cost_details") or {}).get("upstream_inference_cost")) or 0
