"""The models of this door: every mode, and every preset that the caller can see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from fastapi import APIRouter
from pydantic import BaseModel

from moot.http.dependencies import OneEngine, User
from moot.kernel.engine import Engine
from moot.kernel.errors import NotFound, Rejected
from moot.kernel.mode import Mode
from moot.kernel.panel_fields import with_models
from moot.presets.presets import Preset, find_preset, list_presets

PREFIX = "moot/"

ERRORS: dict[int | str, dict[str, Any]] = {
    "4XX": {"description": "What is wrong with the request."},
    "5XX": {"description": "What is wrong with the server or its models."},
}
router = APIRouter(tags=["openai"], responses=ERRORS)


class OpenAIModel(BaseModel):
    """`description` is ours: clients that do not know it pass it over."""

    id: str
    object: str = "model"
    created: int
    owned_by: str = "moot"
    name: str
    description: str


class OpenAIModels(BaseModel):
    object: str = "list"
    data: list[OpenAIModel]


class Target(NamedTuple):
    """What a model's name stands for: a mode, and the config that a preset gives it."""

    mode: Mode[Any]
    config: Mapping[str, Any]


@router.get("/v1/models")
async def list_v1_models(engine: OneEngine, user: User) -> OpenAIModels:
    """List the modes as `moot/<mode>`, then presets as `moot/<preset>`."""
    return OpenAIModels(data=await _all(engine, user))


@router.get("/v1/models/moot/{model}")
async def read_v1_model(model: str, engine: OneEngine, user: User) -> OpenAIModel:
    """Read one of these models."""
    if model in engine.modes:
        return _of_mode(engine.modes[model])
    preset = await _preset(engine, user, f"{PREFIX}{model}")
    return _of_presets(engine, [preset])[0]


async def _all(engine: Engine, user: str) -> list[OpenAIModel]:
    presets = await list_presets(engine, user)
    return [*(_of_mode(mode) for mode in engine.modes.values()), *_of_presets(engine, presets)]


def _of_mode(mode: Mode[Any]) -> OpenAIModel:
    about = mode.entry
    return OpenAIModel(
        id=f"{PREFIX}{mode.id}",
        created=0,
        name=about.name,
        description=f"{about.description} {about.good_for}",
    )


def _of_presets(engine: Engine, presets: Sequence[Preset]) -> list[OpenAIModel]:
    """By name where that says which, else by id."""
    names = [one.name for one in presets]
    return [
        OpenAIModel(
            id=f"{PREFIX}{one.id if one.name in engine.modes or names.count(one.name) > 1 else one.name}",
            created=int(datetime.fromisoformat(one.created_at).timestamp()),
            name=one.name,
            description=f"A preset of the mode {one.mode}.",
        )
        for one in presets
    ]


async def target_of(model: Any, engine: Engine, user: str) -> Target:
    """What a request's `model` stands for. Raises NotFound, or Rejected for what is no name."""
    if not isinstance(model, str) or not model:
        message = "model must be the name of a model, such as moot/vote"
        raise Rejected(message, (("model", message),))
    name = model.removeprefix(PREFIX)
    if name == model:
        raise no_model(model, engine)
    if name in engine.modes:
        return Target(engine.modes[name], {})
    preset = await _preset(engine, user, model)
    return Target(engine.modes[preset.mode], preset.config)


async def _preset(engine: Engine, user: str, model: str) -> Preset:
    try:
        preset = await find_preset(engine, user, model.removeprefix(PREFIX))
    except NotFound:
        raise no_model(model, engine) from None
    if preset.mode not in engine.modes:
        raise no_model(model, engine)
    return preset


def no_model(model: str, engine: Engine) -> NotFound:
    meant = model.removeprefix(PREFIX).strip().lower().replace("-", "_").replace(" ", "_")
    hint = f"did you mean {PREFIX}{meant}?" if meant in engine.modes else "GET /v1/models lists them"
    message = f"There is no model {model[:200]!r}; {hint}"
    return NotFound(message, (("model", message),))


def configured(
    target: Target, models: Sequence[str] | None, config: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The config: what the request says over what the preset says. Raises Rejected."""
    merged = {**target.config, **(config or {})}
    if models is None:
        return merged
    try:
        return {**merged, **with_models(_schema(target.mode), models)}
    except Rejected as error:
        message = f"moot.models: {error}"
        raise Rejected(message, (("moot.models", message),)) from None


@cache
def _schema(mode: Mode[Any]) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = mode.config.model_json_schema()
    return schema
