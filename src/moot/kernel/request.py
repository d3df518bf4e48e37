"""The request: what a person asks for, checked in one place before anything starts.

{"question": "Tabs or spaces?", "mode": "vote", "modeConfig": {"councilModels": […]}}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypeVar, cast

import orjson
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from moot.kernel.errors import NotBuilt, Rejected
from moot.kernel.mode import Between, Mode, ModeConfig, Panel
from moot.kernel.registry import REGISTRY
from moot.kernel.values import Maybe, Wire
from moot.settings import Settings


class AskRequest(Wire):
    """The body of a request, of all doors. `mode_config` is checked by its mode."""

    question: str = ""
    mode: str | None = None
    conversation_id: Maybe[str]
    council_models: Maybe[list[str]]
    chairman_model: Maybe[str]
    mode_config: Maybe[dict[str, Any]]
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
        refuse_nul(value)
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            raise rejected(error) from None

    def given_config(self, mode_id: str) -> dict[str, Any] | None:
        """`modeConfig`, with council's two fields at top level folded in."""
        top = {
            key: value
            for key, value in (("councilModels", self.council_models), ("chairmanModel", self.chairman_model))
            if value is not None
        }
        if top and mode_id != "council":
            raise Rejected(
                f"{next(iter(top))} at top level belongs to council; use modeConfig", _at(next(iter(top)))
            )
        both = [key for key in top if key in (self.mode_config or {})]
        if both:
            raise Rejected(f"{both[0]} stands both at top level and in modeConfig", _at(both[0]))
        return {**(self.mode_config or {}), **top} if top or self.mode_config is not None else None


def find_mode(mode_id: str, modes: Mapping[str, Mode[Any]]) -> Mode[Any]:
    if mode_id in modes:
        return modes[mode_id]
    if mode_id in REGISTRY:
        raise NotBuilt(
            f"The mode {mode_id} is not built yet", (("mode", f"The mode {mode_id} is not built yet"),)
        )
    raise Rejected(f"Unknown mode: {mode_id}", (("mode", f"Unknown mode: {mode_id}"),))


def read_config(
    mode: Mode[Any], given: Mapping[str, Any], panel: Panel, question: str, settings: Settings
) -> ModeConfig:
    """The whole config: what was given, completed from the panel, checked by the mode's own model.

    The question is offered to a mode whose content defaults to it.
    """
    names = {name: field.alias or name for name, field in mode.config.model_fields.items()}
    asked = {names.get(key, key): value for key, value in given.items()}
    if not panel.models:
        raise Rejected(
            "There are no models to draw a panel from: no configured provider could be reached. "
            "`moot doctor` says why; name the models yourself, or use the simulator's (sim/ada, sim/bo, …)."
        )
    patience = {"timeoutMs": usual_timeout(mode, settings.timeout_ms)}
    filled = {**patience, **mode.defaults(panel, {**asked, "question": question}), **asked}
    try:
        config = cast(ModeConfig, mode.config.model_validate(filled))
    except ValidationError as error:
        raise rejected(error, "modeConfig") from None
    for name, alias in names.items():
        value = getattr(config, name)
        if isinstance(value, str) and len(value) > settings.max_content_chars:
            said = f"{alias} has {len(value)} characters, the limit is {settings.max_content_chars}"
            raise Rejected(said, ((f"modeConfig.{alias}", said),))
    return config


def usual_timeout(mode: Mode[Any], timeout_ms: int) -> int:
    """The setting, as far as the mode's own limits allow."""
    for limits in mode.config.model_fields["timeout_ms"].metadata:
        if isinstance(limits, Between):
            return int(min(max(timeout_ms, limits.lowest), limits.highest))
    return timeout_ms


def rejected(error: ValidationError, under: str = "") -> Rejected:
    """Pydantic's findings in our words, in the order of the fields."""
    details = tuple((_path(entry, under), _message(entry)) for entry in error.errors(include_url=False))
    return Rejected(details[0][1], details)


def _path(entry: ErrorDetails, under: str) -> str:
    return ".".join(str(part) for part in ((under,) if under else ()) + entry["loc"])


def _message(entry: ErrorDetails) -> str:
    if entry["type"] == "extra_forbidden":
        return f"Unknown field: {entry['loc'][-1]}"
    if entry["type"] == "missing":
        return f"{entry['loc'][-1]} is required"
    if entry["type"] == "moot":
        return entry["msg"]
    if entry["type"] == "json_invalid":
        return f"This is not JSON: {entry['ctx']['error']}"
    if entry["type"] == "model_type" and not entry["loc"]:
        return "A JSON object is needed, in braces"
    said = entry["msg"].removeprefix("Value error, ").replace("valid tuple", "valid list")
    return f"{entry['loc'][-1] if entry['loc'] else 'value'}: {said}"


def _at(key: str) -> tuple[tuple[str, str], ...]:
    return ((key, f"{key} is not allowed here"),)


B = TypeVar("B", bound=BaseModel)


def read_body(kind: type[B], body: bytes) -> B:
    """A request's body as this model. Raises Rejected."""
    if b"\\u0000" in body:
        with suppress(ValueError, RecursionError):  # what is no JSON is refused below, with its own words
            refuse_nul(json.loads(body))
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        raise rejected(error) from None


def refuse_nul(value: Any, path: str = "") -> None:
    """Raises Rejected for a null character, which PostgreSQL's texts cannot hold: at every door, and with
    every database, alike."""
    match value:
        case str() if "\x00" in value:
            message = f"{path or 'The body'} holds a null character, which no text may have"
            raise Rejected(message, ((path, message),))
        case Mapping():
            for key, inner in value.items():
                refuse_nul(key, path)
                refuse_nul(inner, f"{path}.{key}" if path else str(key))
        case list() | tuple():
            for place, inner in enumerate(value):
                refuse_nul(inner, f"{path}.{place}")
