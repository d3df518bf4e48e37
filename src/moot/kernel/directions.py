"""Directions: what whoever asks wants beside an answer to the question. Stored with the run.

    {"question": "Tabs or spaces?", "system": "You advise a team of two.", "temperature": 0.3}

System prompt and temperature go to every seat and every role; only the title is made without them. The
answer's schema is for the step after the pipeline. A run without directions asks word for word what it would
have asked before there were any.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from moot.kernel.values import Maybe, Message, Wire

FORM = "Where a task asks for a certain form of reply, keep to that form."
"""A person's system prompt was written for answers; ballots and lists have to stay readable."""


AnswerSchema = Annotated[
    dict[str, Any] | None,
    Field(
        default=None,
        alias="schema",
        exclude_if=lambda value: value is None,
        description="A JSON schema: the answer is given as JSON that is valid against it too.",
    ),
]
"""`schema` on the wire, a name that pydantic's models keep for themselves."""


class Directions(Wire):
    """`system`: put before every prompt. `temperature`: of every call for which the mode sets none.
    `answer_schema`: the JSON schema that the answer is held to."""

    system: Maybe[str]
    temperature: Maybe[float]
    answer_schema: AnswerSchema

    @property
    def is_empty(self) -> bool:
        return self == NO_DIRECTIONS

    def after(self, earlier: Directions) -> Directions:
        """Those of a follow-up: what it does not say anew holds on, save the schema of one answer."""
        if self.system is not None or self.temperature is not None:
            return self
        return earlier.model_copy(update={"answer_schema": self.answer_schema})

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


NO_DIRECTIONS = Directions(system=None, temperature=None, answer_schema=None)
WITHOUT_THEM = frozenset({"title"})
"""The steps that are nobody's contribution."""
