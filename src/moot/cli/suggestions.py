"""Did you mean …? For a mode or a field that was mistyped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from moot.kernel.errors import Rejected

if TYPE_CHECKING:
    from moot.kernel.mode import Mode

LEAST_LIKENESS = 0.6


def suggestion(word: str, choices: Iterable[str]) -> str:
    """
    >>> suggestion("debat", ["vote", "debate"]), suggestion("guess", ["vote", "debate"])
    (' Did you mean debate?', '')
    """
    spelled = {choice.lower(): choice for choice in choices}
    close = get_close_matches(word.lower(), spelled, n=1, cutoff=LEAST_LIKENESS)
    return f" Did you mean {spelled[close[0]]}?" if close else ""


def find_mode(mode_id: str, modes: Mapping[str, Mode[Any]]) -> Mode[Any]:
    """The mode, also by its name or with hyphens. Raises Rejected."""
    plain = mode_id.strip().lower().replace("-", "_").replace(" ", "_")
    if plain in modes:
        return modes[plain]
    hint = suggestion(plain, modes) or " `moot modes` lists them."
    raise Rejected(f"Unknown mode: {mode_id}.{hint}")


def check_fields(names: Iterable[str], fields: Iterable[str]) -> None:
    """Raise Rejected for a field that the mode does not have."""
    known = list(fields)
    for name in names:
        if name not in known:
            hint = suggestion(name, known) or f" The fields are {', '.join(known)}."
            raise Rejected(f"Unknown field: {name}.{hint}")
