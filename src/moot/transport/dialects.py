"""The dialects providers speak, and which one speaks which."""

from __future__ import annotations

from typing import Any, Protocol

from moot.kernel.values import Request
from moot.settings.providers import Provider
from moot.transport.anthropic import Messages
from moot.transport.openai_chat import ChatCompletions
from moot.transport.reading import Reading


class Dialect(Protocol):
    """How a kind of provider is spoken to."""

    url: str
    headers: dict[str, str]

    def body(self, request: Request) -> dict[str, Any]: ...

    def give_way(self, body: dict[str, Any], request: Request, words: str) -> bool:
        """Whether the call is worth sending again without what these words object to."""
        ...

    def reading(self, model: str) -> Reading: ...


def dialect_of(provider: Provider) -> Dialect:
    return Messages(provider) if provider.kind == "anthropic" else ChatCompletions(provider)
