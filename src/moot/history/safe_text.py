"""Text that cannot drive a terminal: what models, providers and the database say, before it is printed.

>>> safe_text("plain \\x1b[31mred\\x1b[0m \\x1b]0;owned\\x07text")
'plain red text'
"""

from __future__ import annotations

import re

_BREAKS = re.compile("\r\n?|[\x85\u2028\u2029]")
_SEQUENCES = re.compile(
    # Operating system commands and other strings up to their end mark. One that has none, or is
    # longer than any honest one, only loses its escape character: it must not hide what follows.
    "(?:\x1b[]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\\\|\x9c)"
    "|(?:\x1b\\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"
    "|\x1b[ -/]{1,8}[0-~]"
    "|\x1b[0-Z\\\\^-~]"
)
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_CONTROLS_IN_JSON = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_HALVES = re.compile("[\ud800-\udfff]")


_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Where none of these is, none of the others is: most texts are looked through once."""


def safe_text(text: str) -> str:
    """The text without control sequences, control characters (but newline and tab) and marks that turn
    the direction of writing; a carriage return ends the line instead of overwriting it."""
    if _UNSAFE.search(text) is None:
        return text
    text = _SEQUENCES.sub("", _BREAKS.sub("\n", text))
    return _HALVES.sub("�", _CONTROLS.sub("", text))


def safe_json(document: str) -> str:
    """JSON that says the same: it escapes low control characters itself, the others we do."""
    return _CONTROLS_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", document)


def one_line(text: str, longest: int = 400) -> str:
    """The text on one line, cut to a length; cut first, for it may be a megabyte."""
    cut = " ".join(safe_text(text[: longest * 4]).split())
    return cut if len(cut) <= longest else f"{cut[: longest - 1].rstrip()}…"
