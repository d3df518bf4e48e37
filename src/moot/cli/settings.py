"""moot config: every setting, its value, and where it was set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from moot.cli import plain
from moot.cli.runs import JsonOption
from moot.cli.session import complain, exit_on_error, load_configuration

if TYPE_CHECKING:
    from moot.settings import Configuration

DEFAULT = "default"
UNSET = "–"


def config(json: JsonOption = False) -> None:
    """List every setting with its value and where it was set.

    Keys and passwords are never shown. What the folder's moot.toml may not set is listed on stderr:
    see `moot trust`.
    """
    with exit_on_error():
        from moot.cli.listing import print_table

        configuration = load_configuration()
        rows = list(_rows(configuration))
        if json:
            for name, value, place in rows:
                plain.write_json(orjson.dumps({"setting": name, "value": value, "from": place}))
        else:
            print_table(
                ("setting", "from", "value"), [(name, place, value) for name, value, place in rows], ""
            )
        if configuration.notice:
            complain(configuration.notice)


def _rows(configuration: Configuration) -> Iterator[tuple[str, str, str]]:
    from moot.settings import Settings, variable_of

    values = configuration.settings
    for name in Settings.model_fields:
        if name == "providers":
            continue
        place = configuration.origins.get(name, DEFAULT)
        shown = values.database_address if name == "database_url" else _shown(getattr(values, name))
        yield name, shown, f"{variable_of(name)}" if place == "the environment" else place
    for name, endpoint in values.providers.items():
        key = f", key in {endpoint.api_key_env}" if endpoint.api_key_env else ""
        yield f"providers.{name}", f"{endpoint.base_url}{key}", configuration.origins[f"providers.{name}"]


def _shown(value: object) -> str:
    from pydantic import SecretStr

    match value:
        case None | ():
            return UNSET
        case SecretStr():
            return "set"
        case tuple():
            return ", ".join(value)
        case str() | int() | float() | Path():
            return str(value)
    raise TypeError(f"A setting of type {type(value).__name__} has no way to be shown yet")
