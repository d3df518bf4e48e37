"""From five places to one value, and for every value the place it came from.

configuration = Configuration.load()
configuration.settings.port                 8765
configuration.origins.get("port")           "the environment"; None: the default
configuration.notice                        what a project's file also wanted, if it wanted too much
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from moot.settings.files import SettingsFile
from moot.settings.places import FILE_NAME, default_database, default_secret_file, default_weights, user_file
from moot.settings.problems import BadSetting, closest, complaint, unknown_setting
from moot.settings.project import ProjectFile
from moot.settings.table import Endpoint, Settings, variable_of
from moot.settings.trust import TrustList

ENVIRONMENT = "the environment"
COMMAND_LINE = "the command line"


@dataclass(frozen=True, slots=True)
class Source:
    """A place and what it sets."""

    name: str
    values: Mapping[str, Any]

    def tables(self) -> Mapping[str, Any]:
        tables = self.values.get("providers")
        return tables if isinstance(tables, dict) else {}

    def sets(self, path: Sequence[str]) -> bool:
        in_table = path[0] == "providers" and len(path) > 1
        return path[1] in self.tables() if in_table else path[0] in self.values


@dataclass(frozen=True, slots=True)
class Configuration:
    """`origins`: where each setting that is not a default was set; an endpoint of one's own is
    `providers.<name>`. `strays`: variables that look like settings but are none, with what was meant."""

    settings: Settings
    origins: Mapping[str, str]
    project: ProjectFile | None
    strays: Mapping[str, str]

    @classmethod
    def load(
        cls,
        overrides: Mapping[str, object] | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> Configuration:
        """Read the five places. Raises BadSetting, whose message names the place and the setting."""
        environ = os.environ if environ is None else environ
        user = SettingsFile.read(user_file(environ), own=True)
        user_values = user.values if user else {}
        project = _project(folder, user_values, environ)
        sources = [
            Source(str(user_file(environ)), user_values),
            *([Source(str(project.path), project.values)] if project else []),
            Source(ENVIRONMENT, _set_in(environ)),
            Source(COMMAND_LINE, {k: v for k, v in (overrides or {}).items() if v is not None}),
        ]
        for source in sources:
            _refuse_keys(source)
        settings, origins = _validated(sources, environ), _origins(sources)
        elsewhere = (ENVIRONMENT, COMMAND_LINE)
        settings._in_files = frozenset(name for name, place in origins.items() if place not in elsewhere)
        return cls(settings, origins, project, _strays(environ))

    @property
    def notice(self) -> str | None:
        """What a project's file was not allowed, in a line."""
        return self.project.notice if self.project else None


def settings_of(file: SettingsFile) -> Settings:
    """What a file alone says, if all of it counts. No variable is read. Raises BadSetting."""
    source = Source(str(file.path), file.values)
    _refuse_keys(source)
    return _validated([source], {})


def _project(
    folder: Path | None, user_values: Mapping[str, Any], environ: Mapping[str, str]
) -> ProjectFile | None:
    """What counts of the moot.toml of a folder, by default the working directory: no other folder is
    searched. One's own settings file is no project's, though one works in its folder."""
    try:
        path = (folder or Path.cwd()).absolute() / FILE_NAME
    except FileNotFoundError:  # the working directory has been removed
        return None
    with suppress(OSError):  # whatever is wrong with either file is said when it is read
        if path.samefile(user_file(environ)):
            return None
    file = SettingsFile.read(path)
    return ProjectFile.weigh(file, TrustList.load(environ).of(file), user_values) if file else None


def _set_in(environ: Mapping[str, str]) -> dict[str, str]:
    found = {
        name: environ.get(variable_of(name), "").strip()
        for name in Settings.model_fields
        if name != "providers"
    }
    return {name: value for name, value in found.items() if value}


def _refuse_keys(source: Source) -> None:
    for name, table in source.tables().items():
        if isinstance(table, dict) and "api_key" in table:
            raise BadSetting(
                f"{source.name}: providers.{name}.api_key: put the key into an environment variable "
                "and its name into api_key_env."
            )


def _validated(sources: Sequence[Source], environ: Mapping[str, str]) -> Settings:
    merged = {key: value for source in sources for key, value in source.values.items()}
    if isinstance(merged.get("providers"), dict):
        # A table counts whole: the address of one file never meets the key of another.
        tables = {name: table for source in sources for name, table in source.tables().items()}
        merged["providers"] = {name: _with_key(table, environ) for name, table in tables.items()}
    merged.setdefault("database_url", default_database(environ))
    merged.setdefault("embedder_folder", default_weights(environ))
    merged.setdefault("secret_key_file", default_secret_file(environ))
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        raise _explained(error, sources) from None


def _with_key(table: Any, environ: Mapping[str, str]) -> Any:
    if not isinstance(table, dict):
        return table
    key = environ.get(str(table.get("api_key_env")), "").strip()
    return {**table, "api_key": key} if key else table


def _explained(error: ValidationError, sources: Sequence[Source]) -> BadSetting:
    first = error.errors(include_url=False, include_input=False)[0]
    path = [str(part) for part in first["loc"]]
    place = next((source.name for source in reversed(sources) if source.sets(path)), "moot")
    name = variable_of(path[0]) if place == ENVIRONMENT else ".".join(path)
    if first["type"] == "extra_forbidden":
        known = Endpoint.model_fields if len(path) > 1 else Settings.model_fields
        return unknown_setting(place, name, known)
    what = complaint(name, first)
    return BadSetting(what if place == ENVIRONMENT else f"{place}: {what}")


def _origins(sources: Sequence[Source]) -> dict[str, str]:
    origins: dict[str, str] = {}
    for source in sources:
        origins |= {name: source.name for name in source.values if name != "providers"}
        origins |= {f"providers.{name}": source.name for name in source.tables()}
    return origins


def _strays(environ: Mapping[str, str]) -> dict[str, str]:
    known = {variable_of(name) for name in Settings.model_fields}
    meant = {name: closest(name, known) for name in environ if name.startswith("MOOT_") and name not in known}
    return {name: one for name, one in meant.items() if one}
