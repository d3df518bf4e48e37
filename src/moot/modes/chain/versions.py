"""Versions of a text that passes from hand to hand: read, compared, and refused when they regress.

NOTE: Removed the outdated table.
BEGIN-7f3a90c1
…the complete new version…
END-7f3a90c1
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from moot.deliberation.parsing import Line, lines, marker, plain, without_cut_label
from moot.deliberation.samples import Samples
from moot.deliberation.sections import says_none
from moot.deliberation.similarity import Change
from moot.deliberation.text import word_count
from moot.kernel.fences import resembles
from moot.kernel.values import Answer, Failure, cut_off

_PREAMBLE = re.compile(r"(?:sure|certainly|here is|here['’]s|below is|of course)\b.*:$", re.IGNORECASE)
_OFFER = re.compile(r"\b(?:let me know|would you like|feel free)\b", re.IGNORECASE)
_WHOLE_FENCE = re.compile(r"\A```(?:markdown|md|text)?[ \t]*\n(.*)\n```\Z", re.DOTALL | re.IGNORECASE)
_EDITORS_NOTE = re.compile(r"\A\s*\[\s*Editor['’]?s?\s+Note\s*:\s*([^\]]*)\]\s*", re.IGNORECASE)
_STAND_IN = re.compile(
    r"(?:the\s+)?(?:rest|remainder|remaining\s+\w+|other\s+\w+|everything\s+else)\b.{0,40}\b(?:unchanged|the\s+same|as\s+before|omitted)"
    r"|(?:\w+\s+){0,4}(?:remains?|stays?|is|are)\s+(?:the\s+same|unchanged)"
    r"|(?:same\s+as\s+(?:above|before)|unchanged|as\s+above|as\s+before|omitted\s+for\s+brevity)",
    re.IGNORECASE,
)
SAMPLES = Samples("<the complete text>", "<the complete new version>")
_ANY_MARK = re.compile(r"^[^\w\n]*(BEGIN|END)[-–—_]([0-9a-f]{3,40})[^\w\n]*$", re.MULTILINE)
_WORD = re.compile(r"\w")
_FEWEST_WORDS = 3
"""Between two marks in a line: "between BEGIN-… and END-…" speaks of them."""
_LONGEST_STAND_IN = 90
PIPELINE_TIME_LIMIT = "Pipeline time limit reached"
SMALL_TEXT = 40
"""Texts of fewer words may shrink as they like."""


@dataclass(frozen=True, slots=True)
class Version:
    """What a reply holds: the text, the editor's remark on it, and whether its end mark is missing.
    `several`: it holds versions that differ, and nobody can tell which is meant."""

    text: str
    note: str | None
    end_missing: bool = False
    several: bool = False


def read_version(reply: str, nonce: str, shown: Sequence[str] = ()) -> Version:
    """The text between the first `BEGIN-` and the last `END-`; without them the whole reply, cleaned of
    chatter. `shown`: the texts that the model was shown."""
    reply = "\n".join(_apart(line, nonce) for line in _with_own_nonce(reply, nonce, shown).split("\n"))
    prepared = without_cut_label(lines(reply), ["END-" + nonce[:at] for at in range(len(nonce))])
    marks = [(i, name) for i, line in enumerate(prepared) if (name := _mark(line, nonce))]
    begin = next((i for i, name in marks if name == "BEGIN"), None)
    if begin is None and nonce in reply.casefold():
        return _within_a_line(reply, nonce)
    if begin is None:
        leading, text = _leading_note(_without_chatter(reply))
        return _with_note(text, leading)
    texts = _between(prepared, [*(one for one in marks if one[0] >= begin), (len(prepared), "")])
    if len(texts) > 1:
        return Version("", None, several=True)
    note = marker(prepared[:begin], "NOTE")
    text = "" if not texts or SAMPLES.is_sample(texts[0]) else _without_marks(texts[0], nonce)
    is_open = all(i < begin for i, name in marks if name == "END")
    return _with_note(text, _without_marks(note.raw, nonce) if note else None, end_missing=is_open)


def _between(prepared: Sequence[Line], marks: Sequence[tuple[int, str]]) -> list[str]:
    """The texts between the marks that differ. What follows an end belongs to the text still, if another end
    follows."""
    texts = [""]
    for (at, name), (until, then) in pairwise(marks):
        inside = "\n".join(line.raw for line in prepared[at + 1 : until])
        if name == "BEGIN":
            texts.append(inside)
        elif then == "END":
            texts[-1] = f"{texts[-1]}\n{inside}"
    said = {text.strip(): text for text in texts if text.strip()}
    return list(said.values())


def _with_own_nonce(reply: str, nonce: str, shown: Sequence[str]) -> str:
    """Marks whose nonce was copied badly, as if it had been copied well: a pair of them, or one that looks
    like it. What the model was shown it may quote."""
    found = {mark.groups() for mark in _ANY_MARK.finditer(reply)}
    bad = {
        digits
        for _, digits in found
        if digits != nonce
        and (resembles(digits, nonce) or {("BEGIN", digits), ("END", digits)} <= found)
        and not any(digits in text for text in shown)
    }
    return (
        _ANY_MARK.sub(lambda mark: f"{mark[1]}-{nonce}" if mark[2] in bad else mark[0], reply)
        if bad
        else reply
    )


def _apart(line: str, nonce: str) -> str:
    """A line with a break between a mark at its edge and the words beside it. One that has both marks speaks
    of them, or is all of the text."""
    marks = (
        list(re.finditer(rf"(BEGIN|END)-{nonce}", line, re.IGNORECASE)) if nonce in line.casefold() else []
    )
    if len(marks) != 1:
        return line
    before, mark, after = line[: marks[0].start()], marks[0][0], line[marks[0].end() :]
    if mark[0] in "Bb" and not _WORD.search(before) and _WORD.search(after):
        return f"{before}{mark}\n{after.lstrip(' :*_`')}"
    if mark[0] in "Ee" and _WORD.search(before) and not _WORD.search(after):
        return f"{before.rstrip(' *_`')}\n{mark}{after}"
    return line


def _without_marks(text: str, nonce: str) -> str:
    """Without marks that a text speaks of."""
    return _mentions(nonce).sub("", text) if nonce in text.casefold() else text


def _mentions(nonce: str) -> re.Pattern[str]:
    return re.compile(rf"[^\S\n]?(?:BEGIN|END)[\W_]{{0,3}}{nonce}", re.IGNORECASE)


def _within_a_line(reply: str, nonce: str) -> Version:
    """The text between marks that have no line of their own. A reply that only speaks of its marks holds
    none."""
    found = re.search(rf"BEGIN-{nonce}\s*(.*?)\s*(END-{nonce}|\Z)", reply, re.DOTALL | re.IGNORECASE)
    text = _without_marks(found[1].strip(" *_`"), nonce) if found else ""
    if found is None or word_count(text) < _FEWEST_WORDS or SAMPLES.is_sample(text):
        return Version("", None)
    note = marker(reply[: found.start()], "NOTE")
    return _with_note(text, note.raw if note else None, end_missing=not found[2])


def _mark(line: Line, nonce: str) -> str:
    """Which mark a line is, if it is nothing else."""
    bare = line.plain.strip(' :.=-<>[]()"').casefold()
    found = re.fullmatch(rf"(begin|end)[\W_]{{0,3}}{nonce}", bare)
    return found[1].upper() if found else ""


def _with_note(text: str, note: str | None, *, end_missing: bool = False) -> Version:
    inner = _EDITORS_NOTE.match(text)
    if inner:
        text = text[inner.end() :]
        note = note if note and not says_none(note) else inner[1].strip()
    return Version(text.strip("\n").rstrip(), note if note and not says_none(note) else None, end_missing)


def _leading_note(text: str) -> tuple[str | None, str]:
    """A note is no version, also where nothing follows it."""
    first, _, rest = text.partition("\n")
    note = marker(first, "NOTE")
    return (note.raw, rest) if note else (None, text)


def _without_chatter(reply: str) -> str:
    text = reply.replace("\r\n", "\n").replace("\r", "\n").strip()
    fence = _WHOLE_FENCE.match(text)
    if fence and "\n```" not in fence[1]:
        return fence[1]
    first, _, rest = text.partition("\n")
    if _PREAMBLE.match(plain(first)):
        text = rest.strip("\n")
    head, _, last = text.rpartition("\n\n")
    return head if head.strip() and _OFFER.search(last) else text


def regression(before: str, version: Version, change: Change, finish_reason: str | None) -> str | None:
    """Why a version cannot replace the one before it, or None if it can."""
    if version.end_missing or cut_off(finish_reason):
        return "truncated"
    if _stand_ins(version.text) - _stand_ins(before):
        return "abbreviated"
    words_before, words = word_count(before), word_count(version.text)
    if words_before < SMALL_TEXT:
        return None
    floor = Fraction(20 if version.note else 50, 100)
    if words < floor * words_before:
        return "shrunk"
    if change.similarity < 0.05 and words < Fraction(30, 100) * words_before:
        return "not the document"
    return None


def _stand_ins(text: str) -> set[str]:
    """The lines that stand for omitted text: `[rest unchanged]`, `(same as above)`."""
    bare = (line.plain.strip("[]()<>…. -–—*") for line in lines(text) if len(line.raw) <= _LONGEST_STAND_IN)
    return {line.casefold() for line in bare if line and _STAND_IN.fullmatch(line)}


@dataclass(frozen=True)
class Delivery:
    """What came of a step's calls: a version that can be used. `change` is what it did to the one before."""

    answer: Answer
    version: Version
    change: Change
    attempts: int


@dataclass(frozen=True)
class Refusal:
    """What came of a step's calls: nothing that can be used. `failure` is why the seat is given up,
    `rejected_text` the version that was turned down."""

    reason: str
    attempts: int = 0
    failure: Failure | None = None
    rejected_text: str | None = None


def skip_reason(failure: Failure) -> str:
    """A failure in the words of the relay line; a call that took no time at all was never sent."""
    if failure.kind == "timeout":
        elapsed = failure.response_time_ms
        return f"Model timeout after {elapsed}ms" if elapsed else PIPELINE_TIME_LIMIT
    return "Model returned empty output" if failure.kind == "empty" else "Model failed to respond"
