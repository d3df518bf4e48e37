"""Directions: what whoever asks wants of every call, beside the question. Stored with the run.

    {"question": "Tabs or spaces?", "system": "You advise a team of two.", "temperature": 0.3}

They go to every seat and every role; only the title is made without them. A run without directions asks
word for word what it would have asked before there were any.
"""

from __future__ import annotations

from moot.kernel.values import Maybe, Message, Wire

FORM = "Where a task asks for a certain form of reply, keep to that form."
"""A person's system prompt was written for answers; ballots and lists have to stay readable."""


class Directions(Wire):
    """`system`: put before every prompt. `temperature`: of every call for which the mode sets none."""

    system: Maybe[str]
    temperature: Maybe[float]

    @property
    def is_empty(self) -> bool:
        return self.system is None and self.temperature is None

    def before(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """The messages with the system prompt first. One that a mode has of its own follows in the same
        message, for many providers take but one."""
        if self.system is None:
            return messages
        parts = [self.system, FORM]
        if messages[0].role == "system":
            parts.append(messages[0].content)
            messages = messages[1:]
        return (Message(role="system", content="\n\n".join(parts)), *messages)


NO_DIRECTIONS = Directions(system=None, temperature=None)
WITHOUT_THEM = frozenset({"title"})
"""The steps that are nobody's contribution."""
