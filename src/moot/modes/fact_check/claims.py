"""Claims: statements of a text that can be true or false, read from a reply and found again in the text.

    CLAIM 1: The tower is 330 m high.       Claim(id="claim_1", type="STATISTIC", start=4, end=29,
    Quote: tower is 330 metres high               quote="tower is 330 metres high", …)
    Type: STATISTIC

Ids are given here, by order of appearance: a model's own numbers may repeat. Nobody retypes the text;
verdicts are written behind the passages that were found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from moot.deliberation.json_reply import json_in
from moot.deliberation.parsing import NOTHING_SHOWN, QUOTATION_MARKS, Line, Shown, fold, lines, plain
from moot.deliberation.sections import Block, blocks, sections
from moot.deliberation.text import sentence_spans
from moot.kernel.values import Wire

ClaimType = Literal["STATISTIC", "DATE", "ATTRIBUTION", "TECHNICAL", "COMPARISON", "CAUSAL", "OTHER"]
CLAIM_TYPES: tuple[ClaimType, ...] = get_args(ClaimType)
LEAST_ALIKE = 92
LEAST_ALIGNED = 90
LONGEST_ALIGNED = 1000
"""A longer quote is looked for word for word only: aligning takes time that grows with both texts."""

_TYPE = re.compile(r"\b(?:(STATISTIC)|(DATE)|(ATTRIBUTION)|(TECHNICAL)|(COMPARISON)|(CAUSAL))", re.IGNORECASE)
_FIELDS = {
    "Statement": (),
    "Quote": ("Quotation", "Exact quote"),
    "Context": (),
    "Type": ("Claim type", "Category"),
}
_NO_CLAIMS = re.compile(r"NO CLAIMS\s*(?:[.!]*$|[:=.](?!\s*<)|[-–—]\s)", re.IGNORECASE)
_NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty "
    "seventy eighty ninety hundred thousand million billion trillion half third quarter double twice"
)
_NUMBERS = re.compile(
    rf"(?<!\w)[-−]?\d+(?:[.,]\d+)*|\d+|\b(?:{'|'.join(_NUMBER_WORDS.split())})\b", re.IGNORECASE
)
_NEGATION = re.compile(r"\b(?:not?|never|none|nobody|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W_]+|[$€£¥<>=≤≥±%°+]")
_SAME_SIGN = {
    **dict.fromkeys("“”„‟«»″", '"'),
    **dict.fromkeys("‘’‚‛‹›′`", "'"),
    **dict.fromkeys("‐‑‒–—―−", "-"),
}
_EMPHASIS = "*_`"


class Claim(Wire):
    """`start` and `end` say where the quote stands in the text; null if it is not found there."""

    id: str
    claim: str
    quote: str
    context: str
    type: ClaimType
    start: int | None
    end: int | None


class ClaimEntry(NamedTuple):
    """A claim as the reply has it."""

    claim: str
    quote: str = ""
    type: ClaimType = "OTHER"


class ClaimSelection(NamedTuple):
    """The claims that stay; how many were left out, and whether the limit was among the reasons."""

    claims: list[ClaimEntry]
    dropped: int
    over_limit: bool


class Span(NamedTuple):
    start: int
    end: int


def read_claims(text: str, shown: Shown = NOTHING_SHOWN) -> list[ClaimEntry] | None:
    """The claims of a reply, an empty list if it says NO CLAIMS, None if it says neither.

    A header that stands in the shown text and has no field under it is a quotation.
    """
    prepared = lines(text)
    candidates = [(_entry(block), _is_quoted(block, prepared, shown)) for block in blocks(prepared, "CLAIM")]
    own = [entry for entry, quoted in candidates if not quoted] or [entry for entry, _ in candidates]
    own = own or _json_entries(text)
    if any(entry.claim for entry in own):
        return own
    return [] if _says_no_claims(prepared, shown) else None


def _entry(block: Block) -> ClaimEntry:
    first = f"Statement: {block.title}"
    fields = sections([Line(first, plain(first)), *block.lines], _FIELDS)
    claim, quote, kind = (
        _first_paragraph(fields[n].text) if n in fields else "" for n in ("Statement", "Quote", "Type")
    )
    if not quote and "Context" in fields:
        quote = _first_paragraph(fields["Context"].text)
    return ClaimEntry(" ".join(claim.split()), quote, claim_type(kind))


def _is_quoted(block: Block, prepared: Sequence[Line], shown: Shown) -> bool:
    return shown.has_line(prepared[block.index].plain) and not sections(block.lines, _FIELDS)


def _first_paragraph(text: str) -> str:
    return re.split(r"\n\s*\n", text.strip(), maxsplit=1)[0].strip()


def claim_type(value: str) -> ClaimType:
    """The first known type a value names."""
    match = _TYPE.search(fold(value))
    return CLAIM_TYPES[match.lastindex - 1] if match and match.lastindex else "OTHER"


def _json_entries(text: str) -> list[ClaimEntry]:
    value = json_in(text)
    entries = value.get("claims") if isinstance(value, dict) else value
    if not isinstance(entries, list):
        return []
    return [_from_object(entry) for entry in entries if isinstance(entry, dict)]


def _from_object(entry: Mapping[str, object]) -> ClaimEntry:
    fields = {str(key).casefold(): value for key, value in entry.items() if isinstance(value, str)}
    claim = fields.get("claim") or fields.get("statement") or fields.get("text") or ""
    quote = fields.get("quote") or fields.get("context") or ""
    return ClaimEntry(" ".join(claim.split()), quote.strip(), claim_type(fields.get("type", "")))


def _says_no_claims(prepared: Sequence[Line], shown: Shown) -> bool:
    """Absence must be stated, in a line of its own; as the whole reply where the text says it too."""
    texts = [line.plain for line in prepared if line.plain]
    statements = [text for text in texts if _NO_CLAIMS.match(text)]
    return any(len(texts) == 1 or not shown.has_line(text) for text in statements)


def select_claims(entries: Sequence[ClaimEntry], most: int) -> ClaimSelection:
    """Without empty ones, those said before, and those beyond the limit."""
    chosen: list[ClaimEntry] = []
    over_limit = False
    for entry in entries:
        if not entry.claim or any(same_claim(entry.claim, other.claim) for other in chosen):
            continue
        if len(chosen) == most:
            over_limit = True
            break
        chosen.append(entry)
    return ClaimSelection(chosen, len(entries) - len(chosen), over_limit)


def same_claim(one: str, other: str) -> bool:
    """Whether two statements say the same: other numbers, or one negation more, make another claim."""
    if _numbers(one) != _numbers(other) or len(_NEGATION.findall(one)) != len(_NEGATION.findall(other)):
        return False
    return word_likeness(one, other) >= LEAST_ALIKE


def _numbers(claim: str) -> Counter[str]:
    return Counter(number.casefold() for number in _NUMBERS.findall(claim))


def word_likeness(one: str, other: str) -> float:
    """How alike two texts are if the order of their words, case and punctuation do not count; 0 to 100."""
    from rapidfuzz import fuzz

    sorted_words = (" ".join(sorted(_WORD.findall(text.casefold()))) for text in (one, other))
    return fuzz.ratio(*sorted_words)


class Source:
    """The text that is checked, made fit for quotes to be looked for in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._level, self._places = _level(text)
        self._sentences = sentence_spans(text)

    def claims(self, entries: Sequence[ClaimEntry]) -> list[Claim]:
        return [self._claim(f"claim_{number}", entry) for number, entry in enumerate(entries, 1)]

    def _claim(self, id: str, entry: ClaimEntry) -> Claim:
        quote = entry.quote or entry.claim
        span = self.find(quote)
        return Claim(
            id=id,
            claim=entry.claim,
            quote=quote,
            context=self.around(span) if span else quote,
            type=entry.type,
            start=span.start if span else None,
            end=span.end if span else None,
        )

    def find(self, quote: str) -> Span | None:
        """Where the quote stands: word for word, else but for layout and case, else very nearly."""
        bare = quote.strip().strip(QUOTATION_MARKS).strip()
        for words in (quote.strip(), bare):
            span = _first(words, self.text)
            if span:
                return span
        words = _level(bare)[0].strip()
        span = _first(words, self._level)
        if span:
            return Span(self._places[span.start], self._places[span.end - 1] + 1)
        return self._align(bare)

    def around(self, span: Span) -> str:
        """The sentence the span stands in, or those it runs over."""
        sentences = [
            sentence for sentence in self._sentences if sentence[0] < span.end and span.start < sentence[1]
        ]
        return (
            self.text[sentences[0][0] : sentences[-1][1]] if sentences else self.text[span.start : span.end]
        )

    def _align(self, quote: str) -> Span | None:
        from rapidfuzz import fuzz

        if not quote or len(quote) > min(LONGEST_ALIGNED, len(self.text)):
            return None
        place = fuzz.partial_ratio_alignment(quote, self.text, score_cutoff=LEAST_ALIGNED)
        if place is None or place.dest_start == place.dest_end:
            return None
        start, end = place.dest_start, place.dest_end
        while start > 0 and self.text[start].isalnum() and self.text[start - 1].isalnum():
            start -= 1
        while end < len(self.text) and self.text[end].isalnum() and self.text[end - 1].isalnum():
            end += 1
        return Span(start, end)


def _first(words: str, text: str) -> Span | None:
    """The first place where the words stand whole, else the first at all."""
    if not words:
        return None
    whole = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text)
    start = whole.start() if whole else text.find(words)
    return None if start < 0 else Span(start, start + len(words))


def _level(text: str) -> tuple[str, list[int]]:
    """The text with blanks, quotation marks, dashes, emphasis and case made equal, and where each sign of
    it stood."""
    signs: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        if sign in _EMPHASIS or (sign.isspace() and signs and signs[-1] == " "):
            continue
        level = " " if sign.isspace() else _SAME_SIGN.get(sign, sign).casefold()
        signs += level
        places += [place] * len(level)
    return "".join(signs), places


def shorten(text: str, longest: int) -> str:
    """The text up to the last sentence that ends in the final tenth of what may stay, else cut off there."""
    if len(text) <= longest:
        return text
    cut = text[:longest]
    ends = [end for _, end in sentence_spans(cut)[:-1] if 10 * end >= 9 * longest]
    return cut[: ends[-1]] if ends else cut


def annotate(text: str, claims: Sequence[Claim], verdicts: Mapping[str, str]) -> str:
    """The text with a verdict behind each passage; claims that were not found in it stand below."""
    marks: dict[int, str] = {}
    for claim in claims:
        if claim.end is not None:
            marks[claim.end] = f"{marks.get(claim.end, '')} [{verdicts[claim.id]}]"
    for end in sorted(marks, reverse=True):
        text = text[:end] + marks[end] + text[end:]
    not_located = [
        f"- {claim.id}: {claim.claim} [{verdicts[claim.id]}]" for claim in claims if claim.end is None
    ]
    return "\n".join([text, "", "Not located in the text:", "", *not_located]) if not_located else text
