"""Thoughts that a server leaves in the text, as local ones often do.

    "<think>Tabs are wider.</think>\\n\\nSpaces."   →   reasoning "Tabs are wider.", answer "Spaces."

Only a reply that begins so is meant; the sign anywhere else is what somebody wrote.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

_OPEN, _CLOSE = "<think>", "</think>"


class SplitText(NamedTuple):
    answer: str
    reasoning: str


class Thoughts:
    """Parts a text as it arrives. Once `over`, all that comes is answer."""

    def __init__(self) -> None:
        self.over = False
        self._place: Literal["before", "inside", "after"] = "before"
        self._held = ""

    def part(self, text: str) -> SplitText:
        text, self._held = self._held + text, ""
        reasoning = ""
        if self._place == "before":
            text = self._begin(text)
        if self._place == "inside":
            reasoning, closed, text = text.partition(_CLOSE)
            if closed:
                self._place = "after"
            else:
                reasoning = self._hold_back(reasoning)
        if self._place == "after":
            text = text.lstrip()  # the blank lines behind the thoughts belong to neither
            self.over = bool(text)
        return SplitText(text, reasoning)

    def rest(self) -> SplitText:
        """What is held back when no more text comes."""
        held, self._held = self._held, ""
        return SplitText("", held) if self._place == "inside" else SplitText(held, "")

    def _begin(self, text: str) -> str:
        begun = text.lstrip()
        if begun.startswith(_OPEN):
            self._place = "inside"
            return begun.removeprefix(_OPEN)
        if _OPEN.startswith(begun):  # nothing yet, or not enough to tell
            self._held = text
            return ""
        self.over = True
        return text

    def _hold_back(self, text: str) -> str:
        """All but what may be the beginning of the closing sign."""
        for size in range(min(len(text), len(_CLOSE) - 1), 0, -1):
            if _CLOSE.startswith(text[-size:]):
                self._held = text[-size:]
                return text[:-size]
        return text
