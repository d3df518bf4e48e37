"""From options to a mode's config, by its JSON schema alone.

moot ask --mode vote --models a/x,b/y,c/z --chairman a/x --set timeout-ms=60000
{"councilModels": ["a/x", "b/y", "c/z"], "chairmanModel": "a/x", "timeoutMs": 60000}
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from moot.cli.suggestions import check_fields
from moot.kernel.errors import Rejected
from moot.kernel.panel_fields import Schema, resolved, roles, with_models

_SEPARATOR = re.compile(r"[-_]+([a-zA-Z0-9])")


def config_from(
    schema: Schema,
    *,
    base: Mapping[str, Any] | None,
    models: str | None,
    special: str | None,
    settings: Sequence[str],
) -> dict[str, Any] | None:
    """The config that the options spell out, or None if they say nothing. Raises Rejected.

    What is said more closely wins: `--set`, then `--models` and `--chairman`, then `--config`.
    """
    config = dict(base or {})
    if models is not None:
        config |= panel(schema, [one.strip() for one in models.split(",") if one.strip()])
    if special is not None:
        config[special_field(schema)] = special
    for setting in settings:
        set_value(config, setting, schema)
    check_fields(config, schema.get("properties", {}))
    return config or ({} if base is not None else None)


def read_json(option: str, source: str, expected: str) -> dict[str, Any]:
    """JSON itself, the name of a file with it, or `-` for stdin."""
    try:
        if source.lstrip().startswith("{"):
            text = source
        else:
            text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
        value = json.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        raise Rejected(f"{option}: {source!r} cannot be read: {error}") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise Rejected(f"{option}: this is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Rejected(f"{option}: {expected}")
    return value


def read_config(source: str) -> dict[str, Any]:
    config = read_json("--config", source, 'a config is a JSON object, such as {"timeoutMs": 60000}')
    spelled = {key: camel(key) for key in config}
    for key, name in spelled.items():
        others = [other for other in spelled if other != key and spelled[other] == name]
        if others:
            raise Rejected(f"--config: {name} is given twice, as {key} and as {others[0]}")
    return {spelled[key]: value for key, value in config.items()}


def panel(schema: Schema, models: Sequence[str]) -> dict[str, Any]:
    """`--models`: the mode's list of models, whatever it is called; without one, its roles in order."""
    if not models:
        raise Rejected("--models: separate them by commas, such as openai/o3,google/gemini-2.5-pro")
    try:
        return with_models(schema, models)
    except Rejected as error:
        raise Rejected(f"--models: {error}") from None


def special_field(schema: Schema) -> str:
    """`--chairman`: the mode's one role beside the list, whatever it is called."""
    names = roles(schema)
    if len(names) == 1:
        return names[0]
    if not names:
        raise Rejected("--chairman: this mode has no such role")
    sets = " or ".join(f"--set {role}=…" for role in names)
    raise Rejected(f"--chairman: this mode has several roles; choose one with {sets}")


def set_value(config: dict[str, Any], setting: str, schema: Schema) -> None:
    """`--set key=value` or `--set some.0.key=value`, into the config."""
    path, equals, text = setting.partition("=")
    if not equals or not path.strip():
        raise Rejected(f"--set {setting!r}: write key=value, such as timeoutMs=60000")
    keys = [camel(part.strip()) for part in path.split(".")]
    place: Any = config
    for key, following in pairwise(keys):
        place = _enter(place, key, [] if following.isdigit() else {}, setting)
    _put(place, keys[-1], _value(text, _shape_at(schema, keys)), setting)


def _enter(place: Any, key: str, empty: Any, setting: str) -> Any:
    inner = _look_up(place, key)
    if inner is None:
        _put(place, key, empty, setting)
        return empty
    if not isinstance(inner, dict | list):
        raise Rejected(f"--set {setting!r}: {key} is {inner!r}, so nothing inside it can be set")
    return inner


def _look_up(place: Any, key: str) -> Any:
    if isinstance(place, list):
        return place[int(key)] if key.isdigit() and int(key) < len(place) else None
    return place.get(key)


def _put(place: Any, key: str, value: Any, setting: str) -> None:
    if isinstance(place, dict):
        place[key] = value
    elif not key.isdigit() or int(key) > len(place):
        raise Rejected(
            f"--set {setting!r}: {key!r} is not a position in a list of {len(place)}; positions start at 0"
        )
    else:
        place[int(key) : int(key) + 1] = [value]


def _value(text: str, shape: Schema) -> Any:
    """JSON if it is JSON; but a number for a field that holds text is that text."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return text
    return text if shape.get("type") == "string" and not isinstance(value, str | None) else value


def _shape_at(schema: Schema, keys: Sequence[str]) -> Schema:
    """What the schema says of the place that these keys lead to; nothing where it says nothing."""
    shape = schema
    for key in keys:
        inner = shape.get("items", {}) if key.isdigit() else shape.get("properties", {}).get(key, {})
        shape = resolved(inner, schema)
    return shape


def camel(key: str) -> str:
    """`council-models` and `council_models` are `councilModels`."""
    return _SEPARATOR.sub(lambda found: found[1].upper(), key)
