"""The messages of a request as a question: who said what, and what is to be judged.

system, developer      the system prompt of every seat
user, assistant …      the turns before, for modes with follow-ups; for others behind the question
user                   the question, or the text to be judged
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from moot.kernel.errors import Rejected
from moot.kernel.mode import Mode
from moot.kernel.title import trimmed

SYSTEM_ROLES = ("system", "developer")
TEXT_PARTS = ("text", "input_text", "output_text")
BEFORE = "This follows on a conversation. What was said before, the oldest first:"
History = Literal["turns", "condensed"]
"""How a mode is given what was said before: as turns, or behind the question."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The last user message, what came before it, and the system prompt."""

    question: str
    before: tuple[tuple[str, str], ...] = ()
    system: str | None = None


def read_messages(messages: Any, name: str = "messages") -> Conversation:
    """Raises Rejected with the path of what cannot be used."""
    if not isinstance(messages, list) or not messages:
        raise _refused(name, "must be a list with at least one message")
    turns = [_turn(message, f"{name}[{place}]") for place, message in enumerate(messages)]
    system = "\n\n".join(text for role, text in turns if role in SYSTEM_ROLES and text.strip())
    said = tuple((role, text) for role, text in turns if role not in SYSTEM_ROLES)
    if not said or said[-1][0] != "user":
        raise _refused(name, "must end with a user message")
    return Conversation(said[-1][1], said[:-1], system or None)


def _turn(message: Any, path: str) -> tuple[str, str]:
    if not isinstance(message, dict):
        raise _refused(path, "must be an object")
    role = message.get("role")
    if role in ("tool", "function") or message.get("tool_calls") or message.get("function_call"):
        raise _refused(path, "is about tools, which the panel does not call yet")
    if role not in (*SYSTEM_ROLES, "user", "assistant"):
        raise _refused(f"{path}.role", "must be system, developer, user or assistant")
    if message.get("name"):
        raise _refused(f"{path}.name", "is not supported: a panel has only one user")
    return str(role), _text(message.get("content"), f"{path}.content")


def _text(content: Any, path: str) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise _refused(path, "must be text")
    texts = []
    for place, part in enumerate(content):
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in TEXT_PARTS:
            what = f"is of the type {kind!r}" if isinstance(kind, str) else "has no type"
            raise _refused(f"{path}[{place}]", f"{what}: the panel reads only text, no images or files")
        if not isinstance(part.get("text"), str):
            raise _refused(f"{path}[{place}].text", "must be text")
        texts.append(part["text"])
    return "\n\n".join(texts)


def question_for(mode: Mode[Any], conversation: Conversation, config: Mapping[str, Any]) -> dict[str, Any]:
    """The conversation as parts of an AskRequest; nothing of it is left out. Raises Rejected."""
    text, before = conversation.question, conversation.before
    if mode.judges is not None and not config.get(mode.judges):
        question, more = _judged(mode, text, before)
        return _body(conversation, question, {**config, **more})
    if not before:
        return _body(conversation, text, config)
    if mode.entry.supports_multi_turn:
        turns = [{"role": role, "content": said} for role, said in before]
        return {**_body(conversation, text, config), "history": turns}
    return _body(conversation, f"{text}\n\n{_told(before)}", config)


def _judged(mode: Mode[Any], text: str, before: Sequence[tuple[str, str]]) -> tuple[str, dict[str, Any]]:
    """The question and the config's field for a text to be judged; what was said before is no part of it."""
    if mode.judges == "question":
        if before:
            why = f"{mode.entry.name} judges a single text and takes no earlier turns"
            raise _refused("messages", f"must contain one user message: {why}. Start a new chat")
        return text, {}
    question = f"Judge this text: {trimmed(text)}"
    return (f"{question}\n\n{_told(before)}" if before else question), {str(mode.judges): text}


def _told(before: Sequence[tuple[str, str]]) -> str:
    return "\n\n".join([BEFORE, *(f"{role.capitalize()}: {said}" for role, said in before)])


def _body(conversation: Conversation, question: str, config: Mapping[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = {"question": question, "modeConfig": dict(config)}
    return body if conversation.system is None else {**body, "system": conversation.system}


def _refused(path: str, said: str) -> Rejected:
    message = f"{path} {said}"
    return Rejected(message, ((path, message),))
