"""What there is to ask: moot's modes, and the presets of whoever asks.

LLM lists its models at every start, for whatever it is used. So the modes stand here, and presets are
remembered from the last time that moot was asked: no engine is imported, and no server is waited for.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import llm

if TYPE_CHECKING:
    from llm_moot.door import Door

FOLLOW_UPS = frozenset({"confidence_weighted", "council", "vote"})
"""Modes that take a further question."""
JUDGES = {
    "fact_check": "contentToCheck",
    "jury": "content",
    "peer_review": "question",
    "red_team": "question",
}
"""Modes that judge a text, and the field of their config for it; `question`: the question is the text."""
MODES = (
    "vote",
    "council",
    "jury",
    "debate",
    "delphi",
    "red_team",
    "chain",
    "specialist_panel",
    "blueprint",
    "peer_review",
    "tournament",
    "confidence_weighted",
    "decompose",
    "brainstorm",
    "fact_check",
    "dialectic",
)


@dataclass(frozen=True, slots=True)
class Target:
    """A model of LLM: `name` is what comes after `moot/` at moot's own door."""

    model_id: str
    name: str
    mode: str

    @property
    def aliases(self) -> tuple[str, ...]:
        """A mode's name may be written with hyphens."""
        hyphens = self.model_id.replace("_", "-")
        return (hyphens,) if self.name == self.mode and hyphens != self.model_id else ()

    @property
    def takes_follow_ups(self) -> bool:
        return self.mode in FOLLOW_UPS

    @property
    def judged_field(self) -> str | None:
        return JUDGES.get(self.mode)


def modes() -> tuple[Target, ...]:
    return tuple(Target(f"moot-{mode}", mode, mode) for mode in MODES)


def server() -> str | None:
    """The address of the server to ask; None: this process deliberates."""
    return os.environ.get("MOOT_URL", "").rstrip("/") or None


def known_presets() -> tuple[Target, ...]:
    """Those of the last time that the same moot was asked."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(_file().read_text())
        if kept["server"] == server():
            return tuple(_targets(kept["presets"]))
    return ()


async def read_presets(door: Door) -> tuple[Target, ...]:
    """Those there are now. They are remembered."""
    found = await door.read("/api/presets")
    presets = [{name: one[name] for name in ("id", "name", "mode")} for one in found["presets"]]
    file, new = _file(), json.dumps({"server": server(), "presets": presets})
    file.parent.mkdir(parents=True, exist_ok=True)
    file.with_suffix(".new").write_text(new)
    file.with_suffix(".new").replace(file)
    return tuple(_targets(presets))


def _targets(presets: list[dict[str, Any]]) -> Iterator[Target]:
    """By name where that says which, else by id."""
    names = [*MODES, *(mode.replace("_", "-") for mode in MODES), *(one["name"] for one in presets)]
    for one in presets:
        shown = one["name"] if names.count(one["name"]) == 1 else one["id"]
        yield Target(f"moot-{shown}", one["id"], one["mode"])


def _file() -> Path:
    folder: Path = llm.user_dir()  # type: ignore[no-untyped-call]
    return folder / "moot-presets.json"
