"""The request: what a person asks for, checked in one place before anything starts.

{"question": "Tabs or spaces?", "mode": "vote", "modeConfig": {"councilModels": […]}}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Annotated, Any, TypeVar

import orjson
from pydantic import Field, ValidationError
from pydantic.alias_generators import to_camel

from moot.kernel.answer_schema import check_schema
from moot.kernel.directions import AnswerSchema, Directions
from moot.kernel.errors import Rejected
from moot.kernel.mode import ASKED, Between, Mode, ModeConfig, ModelId, Panel
from moot.kernel.refusals import check_spelling, plain, refusal, rejected
from moot.kernel.values import Maybe, Message, Wire
from moot.settings import Settings

W = TypeVar("W", bound=Wire)


class WebhookAddress(Wire):
    """Where to tell that the run has ended: see docs/webhooks.md."""

    url: str


class AskRequest(Wire):
    """The body of a request, of all doors. `mode_config` is checked by its mode."""

    question: str = ""
    mode: str | None = None
    conversation_id: Maybe[str]
    council_models: Maybe[list[ModelId]]
    chairman_model: Maybe[ModelId]
    mode_config: Maybe[dict[str, Any]]
    system: Maybe[Annotated[str, Field(description="A system prompt for every seat.")]]
    temperature: Maybe[
        Annotated[float, Field(ge=0, le=2, description="For every call for which the mode sets none.")]
    ]
    history: Maybe[
        Annotated[
            list[Message],
            Field(description="Earlier turns that the caller keeps itself, in place of a conversation."),
        ]
    ]
    answer_schema: AnswerSchema
    webhook: Maybe[WebhookAddress]
    stream_tokens: bool = False

    @classmethod
    def read(cls, body: bytes) -> AskRequest:
        """From the bytes of a request; Rejected says what is wrong with them."""
        try:
            value = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise Rejected(f"The body is not JSON: {error}") from None
        if not isinstance(value, dict):
            raise Rejected("The body must be a JSON object")
        return cls.of(value)

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> AskRequest:
        return parse(cls, value)

    def given_config(self, mode_id: str) -> dict[str, Any] | None:
        """`modeConfig`, with council's two fields at top level folded in."""
        council, chairman = ("councilModels", self.council_models), ("chairmanModel", self.chairman_model)
        top = {key: value for key, value in (council, chairman) if value is not None}
        if top and mode_id != "council":
            raise Rejected(
                f"{next(iter(top))} at the top level is for council only; use modeConfig",
                _at(next(iter(top))),
            )
        both = [key for key in top if key in {to_camel(given) for given in self.mode_config or ()}]
        if both:
            raise Rejected(f"{both[0]} is given both at the top level and in modeConfig", _at(both[0]))
        return {**(self.mode_config or {}), **top} if top or self.mode_config is not None else None

    def given_directions(self, settings: Settings) -> Directions:
        """What is wanted beside an answer. Raises Rejected."""
        system = self.system if (self.system or "").strip() else None
        _check_length("system", len(system or ""), settings)
        if self.answer_schema is not None:
            check_schema(self.answer_schema)
        return Directions(system=system, temperature=self.temperature, answer_schema=self.answer_schema)

    def given_history(self, mode: Mode[Any], settings: Settings) -> list[dict[str, str]]:
        """The turns before the question, where the caller keeps them itself. Raises Rejected."""
        if not self.history:
            return []
        if self.conversation_id is not None:
            raise Rejected("Use either history or conversationId, not both", _at("history"))
        if any(turn.role == "system" for turn in self.history):
            raise Rejected("history holds user and assistant turns; use system for the rest", _at("history"))
        require_follow_ups(mode)
        _check_length("history", sum(len(turn.content) for turn in self.history), settings)
        return [{"role": turn.role, "content": turn.content} for turn in self.history]


def require_follow_ups(mode: Mode[Any]) -> None:
    """Raises Rejected."""
    if not mode.entry.supports_multi_turn:
        raise Rejected(f"{mode.entry.name} takes no follow-up questions: start a new conversation")


def _check_length(name: str, length: int, settings: Settings) -> None:
    if length > settings.max_content_chars:
        said = f"{name} has {length} characters, the limit is {settings.max_content_chars}"
        raise Rejected(said, ((name, said),))


def find_mode(mode_id: str, modes: Mapping[str, Mode[Any]]) -> Mode[Any]:
    if mode_id in modes:
        return modes[mode_id]
    raise Rejected(f"Unknown mode: {mode_id}", (("mode", f"Unknown mode: {mode_id}"),))


def parse(shape: type[W], value: bytes | str | Mapping[str, Any]) -> W:
    """What a person sent, JSON or already read, as the shape it should have. Raises Rejected."""
    try:
        if isinstance(value, bytes | str):
            with suppress(orjson.JSONDecodeError):  # which the validation says better
                check_spelling(shape, orjson.loads(value))
            text = value.encode() if isinstance(value, str) else value
            if b"\\u0000" in text:
                with suppress(orjson.JSONDecodeError):
                    plain(orjson.loads(text))
            return shape.model_validate_json(value, strict=True, context=ASKED)
        plain_value = plain(value)
        check_spelling(shape, plain_value)
        return shape.model_validate(plain_value, strict=True, context=ASKED)
    except ValidationError as error:
        raise rejected(error) from None


def read_config(
    mode: Mode[Any],
    given: Mapping[str, Any],
    panel: Panel,
    question: str,
    settings: Settings,
    *,
    stored: bool = False,
) -> ModeConfig:
    """The whole config: what was given, completed from the panel, checked by the mode's own model.

    The question is offered to a mode whose content defaults to it. `stored`: it is that of an earlier run,
    when less may have been asked of it.
    """
    given = plain(given, ("modeConfig",))
    check_spelling(mode.config, given, ("modeConfig",))
    names = {name: field.alias or name for name, field in mode.config.model_fields.items()}
    asked = {names.get(key, key): value for key, value in given.items()}
    if not panel.models:
        panel = Panel(tuple(_models_named(asked)), problem=panel.problem)
    if not panel.models:
        raise Rejected(
            f"There are no models to draw a panel from: {panel.problem or 'no provider could be reached.'} "
            "`moot doctor` says why; name the models yourself, or use the simulator's (sim/ada, sim/bo, …)."
        )
    if not stored:
        _check_given(mode.config, asked)
    patience = {"timeoutMs": usual_timeout(mode, settings.timeout_ms)}
    filled = {**patience, **mode.defaults(panel, {**asked, "question": question}), **asked}
    try:
        config = _validated(mode.config, filled, stored=stored)
    except ValidationError as error:
        raise rejected(error, "modeConfig") from None
    for name, alias in names.items():
        value = getattr(config, name)
        if isinstance(value, str) and len(value) > settings.max_content_chars:
            said = f"{alias} has {len(value)} characters, the limit is {settings.max_content_chars}"
            raise Rejected(said, ((f"modeConfig.{alias}", said),))
    return config


def _models_named(asked: Mapping[str, Any]) -> Iterator[str]:
    """Whom a request names, for the seats that it leaves open, where nobody else is known."""
    for name, value in asked.items():
        if name.lower().endswith(("model", "models")):
            values = value if isinstance(value, list) else [value]
            yield from (one for one in values if isinstance(one, str))


def _check_given(shape: type[ModeConfig], asked: Mapping[str, Any]) -> None:
    """What was given, before anything is derived from it. Raises Rejected."""
    try:
        _validated(shape, asked)
    except ValidationError as error:
        # What is missing may still be filled in, and then go together with the rest.
        own = [one for one in error.errors(include_url=False) if one["loc"]]
        wrong = [one for one in own if one["type"] != "missing" or len(one["loc"]) > 1]
        if wrong:
            raise refusal(wrong, "modeConfig") from None


def _validated(shape: type[ModeConfig], values: Mapping[str, Any], *, stored: bool = False) -> ModeConfig:
    """From JSON, where a list may become a tuple, but nothing else becomes what it is not."""
    text = orjson.dumps(values)
    if stored:
        return shape.model_validate_json(text)
    return shape.model_validate_json(text, strict=True, context=ASKED)


def usual_timeout(mode: Mode[Any], timeout_ms: int) -> int:
    """The setting, as far as the mode's own limits allow."""
    for limits in mode.config.model_fields["timeout_ms"].metadata:
        if isinstance(limits, Between):
            return int(min(max(timeout_ms, limits.lowest), limits.highest))
    return timeout_ms


def _at(key: str) -> tuple[tuple[str, str], ...]:
    return ((key, f"{key} is not allowed here"),)
