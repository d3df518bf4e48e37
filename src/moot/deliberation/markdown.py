"""Markdown around what others wrote: their text is quoted, ours stands outside, and it stays that way.

    blockquote("# Me first\\n<!--")    > # Me first
                                      > &lt;!--

Every line of a quotation begins with `>`, so that headings, lists and unclosed code blocks end with
it. What would reach beyond is disarmed: raw HTML (an unclosed comment swallows the rest of a page),
images (they are fetched when the page is looked at), link definitions (they hold for the whole page).
Code is left as it is, wherever it surely is code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE_END = re.compile(r"\r\n|\r|\n")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_READ = re.compile(r"([\\`*_\[\]<>&~|$])|^(?=[-+#=])")
_NUMBERED = re.compile(r"^(\d{1,9})(?=[.)])")

_OPENING = re.compile(r"( *)(`{3,}(?=[^`]*$)|~{3,})")
_CLOSING = re.compile(r"( *)(`{3,}|~{3,})[ \t]*$")
_UNCLEAR = re.compile(r"(?: *\t[ \t]*| {4,}|\s*(?:(?:[-+*]|\d{1,9}[.)])\s+)+)(?:`{3,}|~{3,})")
# Backticks on one line with nothing in between that could part them: a cell's border would.
_SPAN = re.compile(r"(?<![\\`])(`+)[^`|]+\1(?!`)")
_ALIVE = re.compile(r"<(?=[A-Za-z/!?])|!\[")
_ALIVE_OR_SPAN = re.compile(f"{_ALIVE.pattern}|{_SPAN.pattern}")
# At the start of a line, whatever it is nested in: a definition, or a mark like [!WARNING].
_DEFINITION = re.compile(r"^((?:\s*(?:>|[-+*]|\d{1,9}[.)]))*\s*)\[(?=!|[^\]]*$|(?:[^\]\\]|\\.)*\]:)")
_HARMLESS = {"<": "&lt;", "![": "!&#91;"}


def plain(text: str) -> str:
    """A text on one line, with no sign that Markdown would read: for titles, names and reasons."""
    line = " ".join(_TURNING.sub("", _CONTROLS.sub(" ", text)).split())
    return _NUMBERED.sub(r"\1\\", _READ.sub(r"\\\g<0>", line))


def cell(text: str) -> str:
    """A text as a table's cell: on one line, and its bars are no borders."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")


def blockquote(text: str) -> str:
    """A text as a quotation from which nothing can escape."""
    lines = _Reader().read(_LINE_END.split(text))
    return "\n".join(f"> {line}" if line else ">" for line in lines)


class _Reader:
    """Goes through a text line by line and knows whether it is inside a block of code.

    A fence that is indented may belong to a list, which ends sooner than the text: where the two
    readings part, no later fence is believed, and everything is taken for text.
    """

    def __init__(self) -> None:
        self._fence: tuple[int, str] | None = None
        self._believing = True
        self._spans_are_clear = True

    def read(self, lines: list[str]) -> Iterator[str]:
        for line in lines:
            line = _CONTROLS.sub("", line)
            yield line if self._is_code(line) else self._disarm(line)

    def _is_code(self, line: str) -> bool:
        """Or a fence around it."""
        return self._opens(line) if self._fence is None else self._inside(line, *self._fence)

    def _opens(self, line: str) -> bool:
        if _UNCLEAR.match(line):
            self._believing = False
        fence = _OPENING.match(line) if self._believing else None
        if fence is None or len(fence[1]) > 3:
            return False
        self._fence = (len(fence[1]), fence[2])
        self._spans_are_clear = True
        return True

    def _inside(self, line: str, indent: int, marks: str) -> bool:
        """Whether the line is code, or ends it, in every reading."""
        if not line.strip():
            return True
        own = len(line) - len(line.lstrip(" "))
        fence = _CLOSING.match(line)
        closes = fence is not None and fence[2].startswith(marks)
        if own < indent or (closes and own > 3 and indent > 0):
            self._believing, self._fence = False, None
            return False
        if closes and own <= 3:
            self._fence = None
        return True

    def _disarm(self, line: str) -> str:
        if not line.strip():
            self._spans_are_clear = True
        elif "`" in _SPAN.sub("", line):
            # This backtick may pair with one on a later line, up to the end of the paragraph.
            self._spans_are_clear = False
        alive = _ALIVE_OR_SPAN if self._spans_are_clear else _ALIVE
        line = _DEFINITION.sub(r"\1&#91;", line)
        return alive.sub(lambda match: _HARMLESS.get(match[0], match[0]), line)
