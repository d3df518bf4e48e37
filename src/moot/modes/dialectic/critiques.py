"""Critiques: what a skeptic's reply says, and whether the debate goes on after it.

    🔴 C1 | The premise is false | second paragraph
    why it fails, what would mend it              → CritiqueIssue(id="C1", severity="critical", …)
    ✅ RESOLVED M2 - a source is named now         → Status(id="M2", status="resolved")
    Score: 7/10                                   → 7.0
    Ready for Synthesis ✅                         → the debate ends

Signs are looked for in the text as it was written (`emoji.normalize_signs`); all functions are pure and never
raise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from moot.deliberation.dressing import undressed
from moot.deliberation.parsing import fold, in_code
from moot.kernel.values import Maybe, Wire
from moot.modes.dialectic.emoji import normalize_signs
from moot.modes.dialectic.layouts import ISSUE_SAMPLES

Severity = Literal["critical", "major", "minor"]
IssueStatus = Literal["resolved", "partial", "unresolved"]
Policy = Literal["seed", "strict"]
Reason = Literal["ready_signal", "max_rounds", "no_critical_issues"]

SIGNAL = "Ready for Synthesis ✅"
SIGNAL_PLACEHOLDER = "[signal phrase]"
SIGNS: dict[str, Severity] = {"🔴": "critical", "🟡": "major", "🟢": "minor"}
LETTERS: dict[Severity, str] = {"critical": "C", "major": "M", "minor": "N"}
_STATUS_SIGNS: dict[str, IssueStatus] = {
    "✅": "resolved",
    "✔": "resolved",
    "⚠": "partial",
    "❌": "unresolved",
}

_GAP = r"[\s*_`]{0,20}"
_READY = re.compile(rf"Ready{_GAP}for{_GAP}Synthesis{_GAP}[✅✔✓]")
# However it may be typed or garbled: what a text shown to the skeptic must not contain.
_READY_RAW = re.compile(rf"ready{_GAP}for{_GAP}synthesis{_GAP}(?:[✅✔✓]|âœ…|âœ”|âœ“)\ufe0f?", re.IGNORECASE)
_WORD = re.compile(r"[\w'’]+")
_NEGATIONS = re.compile(
    r"(?:not|never|no|cannot|without|nor|hardly|nicht|kein|keine|noch|pas|jamais|non|nunca|\w+n't)",
    re.IGNORECASE,
)
_DECORATION = re.compile(r"^[\s>#*_`]*(?:[-+•–—·]\s+|\d{1,3}[.)]\s+)?[\s>#*_`]*")
_ISSUE = re.compile(r"([🔴🟡🟢])[\s*_`:\[(]{0,10}(?:([CMN]\d{1,3})\b)?[\s*_`:\])|.–—-]{0,10}(.*)$")
_ID = re.compile(r"\b([CMN]\d{1,3})\b")
_STATUS_WORD = re.compile(r"(UN|NOT |PARTIALLY |PARTLY )?RESOLVED\b", re.IGNORECASE)
_NOT_AN_ISSUE = re.compile(
    r"\W*(?:critical|major|minor)?\W*(?:issues?|problems?)?\W*"
    r"(?:(?:none|nothing|no (?:\w+ ){0,2}(?:issues?|problems?|objections?))\b.{0,40})?$",
    re.IGNORECASE,
)
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*\n]{1,40}\*\*:?\s*$)")
_SCORE = re.compile(
    r"\bscore\W{0,5}?\s*[:=]\s*(\d{1,4}(?:[.,]\d{1,4})?)\s*(%|/\s*100\b|/\s*10\b)?", re.IGNORECASE
)
_SCORE_APART = re.compile(
    r"^\W{0,9}score[^\S\n]*[–—:-]?\s{0,9}(\d{1,4}(?:[.,]\d{1,4})?)\s*(%|/\s*100\b|/\s*10\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""Below its heading, or after a dash."""


LONGEST_TITLE = 80
"""Of an objection that has only its text."""


class CritiqueIssue(Wire):
    """An objection as one critique words it."""

    id: str
    severity: Severity
    title: str
    where: str | None
    body: str


class Status(Wire):
    """What became of an earlier objection, as the skeptic sees it."""

    id: str
    status: IssueStatus
    note: str
    unknown_id: Maybe[bool] = None


class Critique(Wire):
    """A skeptic's reply, read."""

    issues: tuple[CritiqueIssue, ...]
    statuses: tuple[Status, ...]
    score: float | None
    ready: bool
    has_critical: bool
    contradictory_signal: bool

    @property
    def readable(self) -> bool:
        return bool(self.issues or self.statuses or self.ready or self.score is not None)


@dataclass(frozen=True, slots=True)
class Limits:
    """When a debate may end."""

    min_rounds: int = 3
    max_rounds: int = 5
    early_stop_score: float = 8
    policy: Policy = "seed"


def should_continue(critique: str, round: int, limits: Limits, open_critical: bool = False) -> Reason | None:
    """None if the debate goes on, else why it ends. The order of the rules matters.

    `open_critical`: this critique marks a critical objection as not resolved. It counts, as do doubts
    about the signal, only under the strict policy.
    """
    strict = limits.policy == "strict"
    if is_ready(critique, outside_code=strict) and not (strict and contradicts_signal(critique, limits)):
        return "ready_signal"
    if round >= limits.max_rounds:
        return "max_rounds"
    if not has_critical(critique) and round >= limits.min_rounds and not (strict and open_critical):
        return "no_critical_issues"
    return None


def is_ready(critique: str, *, outside_code: bool = False) -> bool:
    text = fold(normalize_signs(critique))
    return _READY.search(_without_code(text) if outside_code else text) is not None


def has_critical(critique: str) -> bool:
    return "🔴" in normalize_signs(critique)


def contradicts_signal(critique: str, limits: Limits) -> bool:
    """Whether a critique that gives the signal contradicts it: by its score, a critical issue, or a word
    of denial just before it."""
    score = read_score(critique)
    low = score is not None and score < limits.early_stop_score
    return low or has_critical(critique) or _is_negated(normalize_signs(critique))


def hide_signal(text: str) -> str:
    """A text as the skeptic may see it: what it quotes from it cannot end the debate."""
    shown = "\n".join(map(_hide_signal, _READY_RAW.sub(SIGNAL_PLACEHOLDER, text).split("\n")))
    return _hide_signal(shown)  # it may stand on two lines


def _hide_signal(text: str) -> str:
    return _READY.sub(SIGNAL_PLACEHOLDER, fold(normalize_signs(text))) if is_ready(text) else text


def read_critique(text: str, limits: Limits, known: Iterable[tuple[str, Severity, str]] = ()) -> Critique:
    """`known`: id, severity and title of the objections raised before."""
    earlier = list(known)
    issues = read_issues(text, earlier)
    statuses = read_statuses(text, {id for id, _, _ in earlier} | {issue.id for issue in issues})
    ready = is_ready(text)
    critical = {id for id, severity, _ in earlier if severity == "critical"}
    has_open_critical = any(status.id in critical and status.status != "resolved" for status in statuses)
    has_critical_issue = any(issue.severity == "critical" for issue in issues)
    return Critique(
        issues=issues,
        statuses=statuses,
        score=read_score(text),
        ready=ready,
        has_critical=has_critical(text),
        contradictory_signal=(ready and contradicts_signal(text, limits))
        or (has_critical(text) and not has_critical_issue)
        or (has_open_critical and not has_critical(text)),
    )


def read_issues(text: str, known: Sequence[tuple[str, Severity, str]] = ()) -> tuple[CritiqueIssue, ...]:
    """The objections, in their order. One without an id takes the id of an earlier one of the same title,
    else the next free number."""
    ids = {_key(title): id for id, _, title in known}
    highest = _highest([id for id, _, _ in known] + _ID.findall(text))
    issues: list[CritiqueIssue] = []
    used_ids: set[str] = set()
    for sign, id, rest, body in _issue_blocks(text):
        severity = SIGNS[sign]
        title, where = _title(rest)
        if ISSUE_SAMPLES.is_sample(title):
            if not ISSUE_SAMPLES.filled(body):
                continue
            title = body.partition("\n")[0][:LONGEST_TITLE]
        if not id:
            id = ids.get(_key(title), "")
        if not id or id in used_ids:
            letter = LETTERS[severity]
            highest[letter] = highest.get(letter, 0) + 1
            id = f"{letter}{highest[letter]}"
        used_ids.add(id)
        issues.append(CritiqueIssue(id=id, severity=severity, title=title, where=where, body=body))
    return tuple(issues)


def read_statuses(text: str, known: Iterable[str]) -> tuple[Status, ...]:
    """What became of earlier objections; of several lines about one, the last counts."""
    ids, statuses = set(known), dict[str, Status]()
    for raw in normalize_signs(undressed(text)).split("\n"):
        line = _DECORATION.sub("", raw)
        status = _status_of(line)
        if status is None:
            continue
        head, _, note = _cut_note(line)
        for id in dict.fromkeys(_ID.findall(head) or _ID.findall(line)[:1]):
            statuses.pop(id, None)
            unknown = None if id in ids else True
            statuses[id] = Status(id=id, status=status, note=note.strip(" *_`"), unknown_id=unknown)
    return tuple(statuses.values())


def read_score(text: str) -> float | None:
    """The last legal `Score: N/10`; a percentage or N/100 is brought to the same scale."""
    plain = re.sub(r"[*_`]", "", fold(normalize_signs(text)))
    for number, unit in reversed(_SCORE.findall(plain) or _SCORE_APART.findall(plain)):
        value = float(number.replace(",", "."))
        if unit == "%" or unit.endswith("100"):
            value /= 10
        if 1 <= value <= 10:
            return value
    return None


def _issue_blocks(text: str) -> list[tuple[str, str, str, str]]:
    """Sign, id, what follows on the line, and the lines below it up to the next issue or heading."""
    blocks: list[tuple[str, str, str, list[str]]] = []
    is_open = False
    for raw in normalize_signs(undressed(text)).split("\n"):
        issue = _ISSUE.match(_DECORATION.sub("", raw))
        if issue and not (issue[2] is None and _NOT_AN_ISSUE.match(issue[3])):
            blocks.append((issue[1], issue[2] or "", issue[3], []))
            is_open = True
        elif issue or _HEADING.match(raw) or _READY.search(raw) or _SCORE.match(raw.lstrip("*_` ")):
            is_open = False
        elif is_open:
            blocks[-1][3].append(raw)
    return [(sign, id, rest, "\n".join(body).strip()) for sign, id, rest, body in blocks]


def _title(rest: str) -> tuple[str, str | None]:
    parts = [part.strip(" *_`") for part in rest.strip(" |").split("|")]
    return parts[0], " | ".join(parts[1:]) or None


def _status_of(line: str) -> IssueStatus | None:
    if line[:1] in _STATUS_SIGNS:
        return _STATUS_SIGNS[line[:1]]
    word = _STATUS_WORD.match(line)
    if word is None:
        return None
    before = (word[1] or "").strip().upper()
    return "unresolved" if before in ("UN", "NOT") else "partial" if before else "resolved"


def _cut_note(line: str) -> tuple[str, str, str]:
    for separator in (" - ", " – ", " — ", ": "):
        if separator in line:
            return line.partition(separator)
    return line, "", ""


def _is_negated(text: str) -> bool:
    """Every place where the signal stands is denied by one of the three words before it."""
    places = [match.start() for match in _READY.finditer(text)]
    return bool(places) and all(
        any(
            _NEGATIONS.fullmatch(word.replace("’", "'"))
            for word in _WORD.findall(text[max(0, at - 200) : at])[-3:]
        )
        for at in places
    )


def _without_code(text: str) -> str:
    raws = undressed(text).split("\n")
    return "\n".join(raw for raw, code in zip(raws, in_code(raws), strict=True) if not code)


def _highest(ids: Iterable[str]) -> dict[str, int]:
    highest: dict[str, int] = {}
    for id in ids:
        highest[id[0]] = max(highest.get(id[0], 0), int(id[1:]))
    return highest


def _key(title: str) -> str:
    return " ".join(_WORD.findall(title.casefold()))
