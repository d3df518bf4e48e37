"""A project's moot.toml: what of it counts, and what is said of the rest.

database_url = "postgresql://…"     trusted only: ignored until `moot trust`
max_dollars = 0.5                   lower only: counts, unless your own limit is lower
default_mode = "vote"               harmless: counts
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from moot.settings.files import SettingsFile
from moot.settings.problems import brief
from moot.settings.table import Settings, Standing, standing_of
from moot.settings.trust import Trust

RULE = "a project file may only choose the mode and lower limits, not where data or keys go"
_MOST_NAMES = 6
_ELSEWHERE = {"database_url": "sqlite:///:memory:", "embedder_folder": Path()}
"""In place of defaults that would look for the person's home."""


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """`values` count; `ignored` are the names of the entries that do not."""

    path: Path
    trust: Trust
    values: Mapping[str, Any]
    ignored: tuple[str, ...] = ()

    @classmethod
    def weigh(cls, file: SettingsFile, trust: Trust, user_values: Mapping[str, Any]) -> ProjectFile:
        if trust == "trusted":
            return cls(file.path, trust, file.values)
        counting = {name: value for name, value in file.values.items() if _counts(name, value, user_values)}
        ignored = [name for key in file.values if key not in counting for name in _entries(file, key)]
        return cls(file.path, trust, counting, tuple(ignored))

    @property
    def notice(self) -> str | None:
        """One line on what was ignored, why, and what to do; None if nothing was."""
        if not self.ignored:
            return None
        sets = "has changed since you trusted it, and sets" if self.trust == "changed" else "also sets"
        head = f"moot.toml in this folder {sets} {_listed(self.ignored)}."
        these, them = ("this", "it") if len(self.ignored) == 1 else ("these", "them")
        return f"{head} moot ignored {these}: {RULE}. To allow {them}, run `moot trust`."


def _counts(name: str, value: Any, user_values: Mapping[str, Any]) -> bool:
    if name not in Settings.model_fields:
        return True  # a typing error, and told as one
    match standing_of(name):
        case Standing.HARMLESS:
            return True
        case Standing.LOWER_ONLY:
            return not _raises(name, value, user_values)
    return False


def _raises(name: str, value: Any, user_values: Mapping[str, Any]) -> bool:
    """Whether this is more than the person's own limit. A value that is none is left to be complained of."""
    try:
        proposed = _limit(name, value)
    except ValidationError:
        return False
    try:
        own = _limit(name, user_values[name] if name in user_values else Settings.model_fields[name].default)
    except ValidationError:
        return True
    return proposed > own


def _limit(name: str, value: Any) -> float:
    number: float | None = getattr(Settings.model_validate({**_ELSEWHERE, name: value}), name)
    return math.inf if number is None else number


def _entries(file: SettingsFile, key: str) -> list[str]:
    return [f"providers.{name}" for name in file.tables()] or [key] if key == "providers" else [key]


def _listed(names: Sequence[str]) -> str:
    # A stranger chose the names: they must not drive a terminal, nor fill it.
    shown = [ascii(brief(name))[1:-1] for name in names[:_MOST_NAMES]]
    if len(names) > _MOST_NAMES:
        shown.append(f"{len(names) - _MOST_NAMES} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
