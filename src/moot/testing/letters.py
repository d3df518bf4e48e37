"""Which letter an answer was dealt, read from the prompt that shows it.

--- Response B ---
<<<7f3a90c1
spaces
7f3a90c1>>>
"""

from __future__ import annotations

import re

_SHOWN = re.compile(
    r"^--- (?:[^\n]*\()?(Response [A-Z])(?:\)| \(\d+ votes\))? ---\n<<<([0-9a-f]+)\n(.*?)\n\2>>>", re.M | re.S
)


def letters_in(prompt: str) -> dict[str, str]:
    """Label → the text shown under it."""
    return {label: text for label, _, text in _SHOWN.findall(prompt)}


def letter_of(answer: str, prompt: str) -> str:
    """The label of an answer: the text that is it, else the only one that begins with it."""
    shown = letters_in(prompt)
    same = [label for label, text in shown.items() if text.strip() == answer.strip()]
    found = same or [label for label, text in shown.items() if text.strip().startswith(answer.strip())]
    if not same and len(found) != 1:
        raise AssertionError(f"{len(found)} of the answers shown begin with {answer!r}: {shown}")
    return found[0]
