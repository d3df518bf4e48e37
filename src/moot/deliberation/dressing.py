"""What models put around the whole of a reply, and what is left without it.

    Sure! Here is my reply:          ┐
                                     │ a greeting, a fence, an offer
    ```text                          ┘
    VERDICT: REVISE                  the reply
    ```
    Let me know if you need more!

A block quote around all of it and `<answer>` tags are taken off too; a label or value in HTML or a TeX box is
read as if it were plain. Whatever may be meant as part of the reply
stays: a fence around code, prose that is no greeting, an offer that stands inside.
"""

from __future__ import annotations

import re

_FENCE = re.compile(r"^[^\S\n]*```[^\S\n]*(\w*)[^\S\n]*$", re.MULTILINE)
_NO_CODE = {"", "text", "txt", "plain", "plaintext", "markdown", "md"}
_GREETING = re.compile(
    r"\W{0,4}(?:sure|certainly|of course|okay|alright|absolutely|understood|below is"
    r"|here(?:['’]s| is| are| it is)"
    r"|my (?:reply|answer|verdict|vote|review|assessment)|hier (?:ist|sind)|voici|aquí|ecco|以下|好的|当然)"
    r"(?:(?!\bresponse [a-z]\b|\b(?:says?|said|wrote|writes|contains?|quot\w+|claims?|instruct\w*)\b).)"
    r"{0,200}[:：.!]\W{0,4}",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST_PROSE = 400
_LAYOUT = re.compile(
    r"^\W{0,8}(?:[A-Z][A-Z_ ]{2,40}(?:\b| \w{1,8})\W{0,4}[:：=–-]|[A-Z][a-z]+ \d{1,2}\W{0,4}[:：])"
    r"|^#{2,6} |^=== |^BEGIN-",
    re.MULTILINE,
)
_FIELD = re.compile(r"^\W{0,8}[A-Z][\w -]{1,30}\W{0,4}[:：] ?\S", re.MULTILINE)
_LEAST_FIELDS = 3
_TAGS = re.compile(r"\s*<(answer|output|response|result|final|final_answer)>\n?(.*?)\n?</\1>\s*", re.DOTALL)
_QUOTE = re.compile(r"^[^\S\n]*> ?", re.MULTILINE)
_BOLD_LABEL = re.compile(
    r"^([^\S\n]*(?:[-*] )?)<(b|strong|i|em|u)>([^<>\n]{1,60}:|[^<>\n]{1,60}(?=</\2>\s*:))</\2>", re.MULTILINE
)
_BOX = re.compile(
    r"^(\W{0,6}[A-Za-z][\w ]{0,30}[*_]{0,2}[:=][^\S\n]*[*_]{0,2})"
    r"\$?\\boxed\{(?:\\text\{)?([^{}\n]{1,60})\}{1,2}\$?"
    r"(?=[.*_\s]*$)",
    re.MULTILINE,
)
# Signs that only turn the direction of writing, at the edge of a line or of a value.
_TURNS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_TURN = f"[{_TURNS}]"
_DIRECTION = re.compile(rf"^{_TURN}+|{_TURN}+$|(?<=[:=|] ){_TURN}+|{_TURN}+(?= \|)", re.MULTILINE)
# A table of fields, headed as one: no table of a text names its rows as a layout does.
_NAME_CELL = r"[*_`]{0,2}[A-Z][A-Z_]{2,}(?: [A-Z_\d]+){0,3}[*_`]{0,2}:?"
_FIELD_TABLE = re.compile(
    r"^[^\S\n]*\|[ *_]*(?i:field|label|part|key|item|marker|line)[ *_]*\|[^|\n]{1,30}\|[^\S\n]*\n"
    r"[^\S\n]*\|[-: ]+\|[-: ]+\|[^\S\n]*\n"
    rf"(?P<rows>(?:[^\S\n]*\|[ ]*{_NAME_CELL}[ ]*\|[^|\n]*\|[^\S\n]*(?:\n|\Z))+)",
    re.MULTILINE,
)
_FIELD_ROW = re.compile(
    r"^[^\S\n]*\|[^\S\n]*([^|\n]*?):?[^\S\n]*\|[^\S\n]*([^|\n]*?)[^\S\n]*\|[^\S\n]*$", re.MULTILINE
)


def is_greeting(text: str) -> bool:
    """Whether a text only announces what is to come: "Here is my reply:"."""
    return len(text) <= _LONGEST_PROSE and _GREETING.fullmatch(text.strip()) is not None


def undressed(text: str) -> str:
    """The reply itself, with LF line ends."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    # To look for each of them takes a hundredth of the time that trying the pattern at every sign would.
    if not text.isascii() and any(sign in text for sign in _TURNS):
        text = _DIRECTION.sub("", text)
    if "<" in text:
        tags = _TAGS.fullmatch(text)
        text = tags[2] if tags and f"<{tags[1]}>" not in tags[2] else text
    if ">" in text and _is_quoted(text):
        text = _QUOTE.sub("", text)
    if "</" in text:
        text = _BOLD_LABEL.sub(r"\1**\3**", text)
    if "\\boxed{" in text:
        text = _BOX.sub(r"\1\2", text)
    if "\n|" in text:
        text = _FIELD_TABLE.sub(lambda table: _FIELD_ROW.sub(r"\1: \2", table["rows"]), text)
    if "```" in text:
        text = _out_of_greeting(_unfenced(text))
    return text


def _is_quoted(text: str) -> bool:
    return text.lstrip()[:1] == ">" and all(
        line.lstrip()[:1] == ">" for line in text.split("\n") if line.strip()
    )


def _out_of_greeting(text: str) -> str:
    """A layout in the only fence of a reply that is otherwise a greeting, with an offer after it or not."""
    edges = list(_FENCE.finditer(text))
    if len(edges) != 2 or text.count("```") != 2 or edges[0][1].lower() not in _NO_CODE or edges[1][1]:
        return text
    before, inner = text[: edges[0].start()].strip(), text[edges[0].end() + 1 : edges[1].start()].rstrip("\n")
    after = text[edges[1].end() :].strip()
    if max(len(before), len(after)) > _LONGEST_PROSE or _LAYOUT.search(after):
        return text
    return inner if _GREETING.fullmatch(before) and _is_layout(inner) else text


def _is_layout(inner: str) -> bool:
    return _LAYOUT.search(inner) is not None or len(_FIELD.findall(inner)) >= _LEAST_FIELDS


def _unfenced(text: str) -> str:
    """Without a code fence around the whole of it."""
    first, _, rest = text.strip().partition("\n")
    if not first.startswith("```") or "`" in first.lstrip("`") or not rest.endswith("```"):
        return text
    inner, _, last = rest.rpartition("\n")
    return inner if last.strip() == "```" and _stays_open(inner) else text


def _stays_open(inner: str) -> bool:
    """Whether a fence opened before this text is still open after it."""
    depth = 1
    for line in inner.split("\n"):
        mark = line.strip()
        if mark.startswith("```"):
            depth += 1 if mark.strip("`") else -1
        if depth == 0:
            return False
    return depth == 1
