"""A model that does not answer any more, and how long it is left alone: a breaker.

    silent, silent, silent, silent, silent     five calls in a row whose time was up without a word
    refused … for 30 s                         further calls fail at once, and say why
    one call                                   a word: all is well; silence: refused for 60 s, 120 s, … 300 s

A call counts as silent if its time was up and nothing had come for the better half of it. One that was
answered, however late, ends the row. A run that is cancelled says nothing about a model.
"""

from __future__ import annotations

from dataclasses import dataclass

from moot.kernel.clock import monotonic

SILENT_CALLS = 5
FIRST_PAUSE = 30.0
LONGEST_PAUSE = 300.0
"""How long a silent model is left alone, at first and at most; also, how long it stays suspect."""


@dataclass(slots=True)
class _Row:
    """Calls of one model that went by in silence, one after the other."""

    calls: int = 0
    latest: float = 0.0
    pause: float = 0.0
    until: float = 0.0
    probing: bool = False


class Silence:
    """The silent models of one provider."""

    def __init__(self) -> None:
        self._rows: dict[str, _Row] = {}

    def is_suspect(self, model: str) -> bool:
        """Whether its last call went by in silence, not long ago."""
        row = self._rows.get(model)
        return row is not None and monotonic() - row.latest < LONGEST_PAUSE + row.pause

    def refusal(self, model: str) -> str | None:
        """Why it is not to be asked now. Once its pause is over, one call may find out whether it is back."""
        row = self._rows.get(model)
        if row is None or not row.pause:
            return None
        left = row.until - monotonic()
        if left > 0:
            return f"did not answer its last {row.calls} calls and is not asked for another {left:.0f} s."
        if row.probing:
            return f"did not answer its last {row.calls} calls; one call is testing whether it does now."
        return None

    def probe(self, model: str) -> bool:
        """A call is sent; whether it is the one that finds out if the model is back."""
        row = self._rows.get(model)
        if row is None or not row.pause or row.probing:
            return False
        row.probing = True
        return True

    def heard(self, model: str) -> bool:
        """A word of it came; whether it had been silent before."""
        return self._rows.pop(model, None) is not None

    def kept_silent(self, model: str, probe: bool) -> None:
        """A call's time was up, and nothing had come."""
        row = self._rows.setdefault(model, _Row())
        row.calls += 1
        row.latest = monotonic()
        if row.calls >= SILENT_CALLS and (probe or not row.pause):
            row.pause = min(2 * row.pause or FIRST_PAUSE, LONGEST_PAUSE)
            row.until = row.latest + row.pause

    def probed(self, model: str) -> None:
        """The call that was to find out has ended; if it found out nothing, the next one may."""
        if model in self._rows:
            self._rows[model].probing = False
