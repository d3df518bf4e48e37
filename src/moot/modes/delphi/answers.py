"""What panelists answer: a number as people write numbers, an option as they name it, a confidence.

    >>> read_figure("~$42.5 million", None)
    Figure(value=42500000.0, is_range=False)
    >>> read_figure("40–50 bn", None)
    Figure(value=45000000000.0, is_range=True)
    >>> match_option("godot!", ["Go", "Godot"])
    'Godot'

Never the first number in a text: that is usually a year, or the number of a list.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from moot.deliberation.choices import chosen_word
from moot.deliberation.parsing import Line, Marker, Shown, fold, last_own, lines, marker, markers
from moot.deliberation.sections import sections
from moot.deliberation.text import closest, sentence_spans
from moot.modes.delphi.layouts import SAMPLES

Confidence = Literal["LOW", "MEDIUM", "HIGH"]
LARGEST: Final = 1e300
LONGEST_ANSWER: Final = 120
OTHER: Final = "Other"

_BLANK = r"[ \u00a0\u2009\u202f]"
_LEAD = re.compile(
    r"\s*(?:[-+•–—]\s+)?[\s*_`\"'“”‘(\[]*(?:(?:[~≈∼=]|about|approximately|approx\.?|around|roughly|circa|ca\.)\s*)*"
    r"(?P<between>(?:between|from)\s+)?",
    re.IGNORECASE,
)
_SIGN_AND_MONEY = re.compile(
    r"(?P<sign>[-−–+])?\s*(?:(?:[A-Z]{1,3}\s?)?[$€£¥₹₩₽₺₫฿]|[A-Z]{3}(?=[\s\d]))?\s*(?P<sign_after>[-−–])?"
)
_DIGITS = re.compile(
    rf"(?:\d{{1,3}}(?:(?:{_BLANK}|[_'’])\d{{3}}(?!\d))+|\d{{1,320}})(?:[.,]\d{{1,320}})*|[.,]\d{{1,320}}"
)
_SUPERSCRIPT = "[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}"
_POWER = re.compile(rf"\s*(?:\^|\*\*)\s*[({{]?(?P<power>[-−+]?\d{{1,3}})[)}}]?|(?P<raised>{_SUPERSCRIPT})")
_TIMES_TEN = re.compile(r"\s*[x×*·∙⋅]\s*10(?=\s*\^|\s*\*\*|[⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹])", re.IGNORECASE)
_EXPONENT = re.compile(r"e([-−+]?\d{1,3})(?!\w)", re.IGNORECASE)
_MULTIPLIER = re.compile(
    r"(?P<gap>\s*)(?P<word>thousand|million|billion|trillion|mn|bn|tn|k|m|b|t)(?!\w)", re.IGNORECASE
)
_MULTIPLIERS = {"k": 3, "t": 12, "m": 6, "b": 9, "mn": 6, "bn": 9, "tn": 12} | {
    "thousand": 3,
    "million": 6,
    "billion": 9,
    "trillion": 12,
}
_UPTO = re.compile(r"\s*%?\s*(?:[-–—−]|\bto\b|\band\b)\s*", re.IGNORECASE)
_ENDS = re.compile(r"$|\s|[%)\]}*_`\"'”’…]|[.,;:!?](?!\d)")
_ARABIC_SIGNS = str.maketrans("٫٬٪", ".,%")
_PLAIN = str.maketrans("−–⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "--" + "-+0123456789")
_LETTER = re.compile(r"\W*(?:option\s+)?([A-Z])\s*(?:[).:\]]|[-–—]\s|$)\s*", re.IGNORECASE)
_PLACE = re.compile(r"\W*(?:option\s+)?(\d{1,2})\s*(?:[).:\]]\s*|$)", re.IGNORECASE)
_OTHER = re.compile(r"\W*other\b\s*(?:\([^)]*\))?\s*[:=–—-]?\s*", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_SAYS = re.compile(
    r"\b(?:answer|estimate|number|total|count|value|figure|amount|price|cost|share|rate|year|date|population"
    r"|probability|length|duration)\b.*\b(?:is|are|equals|stays|remains|(?:would|should|will|must)\s+be)\s*:?\s+(?=\S+)",
    re.IGNORECASE,
)
_SAYS_OF_OTHERS = re.compile(
    r"\b(?:panel|median|mean|average|others?|previous\w*|earlier|before|round|last|middle|highest|lowest|range"
    r"|spread|not|never|if|or|might|could|deviation|confidence|\w+n['’]t)\b|\?",
    re.IGNORECASE,
)
_UNFIT = re.compile(r"<<<+|>>>+|[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_JOINERS = "\u200c\u200d"  # Persian words and emoji are spelled with them


@dataclass(frozen=True, slots=True)
class Figure:
    """A number; of a range its middle."""

    value: float
    is_range: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """Both ends of what a value begins with, and where that ends; one number has both ends the same."""

    low: Decimal
    high: Decimal
    end: int


def read_figure(value: str, unit: str | None, *, alone: bool = False) -> Figure | None:
    """The number a value begins with. `alone`: nothing but it and its unit may stand there."""
    span = read_span(value, unit)
    if span is None:
        return None
    rest = value[span.end :].strip(" \t%.*_`\"'”’)]").casefold()
    if alone and rest not in ("", (unit or "").casefold()):
        return None
    middle = float((span.low + span.high) / 2)
    return Figure(middle, span.low != span.high) if abs(middle) <= LARGEST else None


def read_span(value: str, unit: str | None) -> Span | None:
    """A number or a range: `40–50 bn`, `a to b`, `between a and b`. A multiplier of the second end holds
    for the first too. What falls is no range: `2031-05` is a date, and unreadable."""
    value = value[:1000].translate(_ARABIC_SIGNS)
    lead = _LEAD.match(value)
    first = _amount(value, lead.end() if lead else 0, unit)
    if first is None:
        return None
    upto = _UPTO.match(value, first.end)
    joins = upto is not None and ("and" not in upto[0].casefold() or bool(lead and lead["between"]))
    second = _amount(value, upto.end(), unit) if upto and joins else None
    if second is None:
        return Span(first.value, first.value, first.end) if _ends_well(value, first.end, unit) else None
    power = second.power if first.power == 0 else 0
    low, high = first.value.scaleb(power), second.value
    return Span(low, high, second.end) if low <= high and _ends_well(value, second.end, unit) else None


@dataclass(frozen=True, slots=True)
class _Amount:
    value: Decimal
    power: int
    end: int


def _amount(text: str, at: int, unit: str | None) -> _Amount | None:
    if unit and text[at : at + len(unit)].casefold() == unit.casefold():
        at += len(unit) + len(text[at + len(unit) :]) - len(text[at + len(unit) :].lstrip())
    before = _SIGN_AND_MONEY.match(text, at)
    assert before is not None  # every part of it is optional
    digits = _DIGITS.match(text, before.end())
    number = _decimal(digits[0]) if digits else None
    if digits is None or number is None:
        return None
    number, end = _apply_power(text, digits, number)
    power, end = _multiplier(text, end, unit)
    minus = before["sign"] not in (None, "+") or before["sign_after"] is not None
    # Scaled by hand: an exponent must not make the digits round.
    return _Amount((-number if minus else number).scaleb(power), power, end)


def _decimal(digits: str) -> Decimal | None:
    """Thousands told from decimals: of `.` and `,` the later is decimal; a `,` before exactly three
    digits parts thousands."""
    bare = re.sub(rf"{_BLANK}|[_'’]", "", digits)
    dots, commas = bare.count("."), bare.count(",")
    if dots and commas:
        point, other = (".", ",") if bare.rfind(".") > bare.rfind(",") else (",", ".")
        bare = bare.replace(other, "")
    else:
        point = "," if commas else "."
        whole, *groups = bare.split(point)
        thousands = [len(group) == 3 for group in groups]
        if all(thousands) and whole.strip("0") and (commas or dots > 1):
            bare = bare.replace(point, "")
        elif len(groups) > 1 and all(thousands[:-1]):
            bare = "".join([whole, *groups[:-1]]) + point + groups[-1]
    if bare.count(point) > 1 or len(bare) > 320:
        return None
    return Decimal(f"0{bare.replace(point, '.')}")


def _apply_power(text: str, digits: re.Match[str], number: Decimal) -> tuple[Decimal, int]:
    """The number with its power of ten, in any spelling: `e6`, `× 10^6`, `x 10⁶`, or a bare `10⁶`."""
    end = digits.end()
    exponent = _EXPONENT.match(text, end)
    if exponent:
        return number.scaleb(int(exponent[1].translate(_PLAIN))), exponent.end()
    times = _TIMES_TEN.match(text, end)
    power = _POWER.match(text, times.end() if times else end)
    if power is None or (times is None and digits[0] != "10"):
        return number, end
    tens = int((power["power"] or power["raised"]).translate(_PLAIN))
    return (number if times else Decimal(1)).scaleb(tens), power.end()


def _multiplier(text: str, at: int, unit: str | None) -> tuple[int, int]:
    """A bare `m`, `b` or `t` must touch the digits; a word that is the unit is no multiplier."""
    match = _MULTIPLIER.match(text, at)
    if match is None:
        return 0, at
    word = match["word"].casefold()
    is_unit = bool(unit) and (unit or "").casefold().split()[:1] == [word]
    if is_unit or (word in ("m", "b", "t") and match["gap"]):
        return 0, at
    return _MULTIPLIERS[word], match.end()


def _ends_well(text: str, at: int, unit: str | None) -> bool:
    """`3rd`, `12:30` and `1/3` only begin like numbers."""
    touches = unit is not None and text[at : at + len(unit)].casefold() == unit.casefold()
    falls = re.match(r"\s*[-–—]\s*\d", text[at:]) is not None
    return (touches or _ENDS.match(text, at) is not None) and not falls


def read_estimate(
    reply: str, unit: str | None, bounds: tuple[float, float] | None, shown: Shown
) -> Figure | None:
    """The number after the last `ESTIMATE` that has one; without the marker, a last line that is a number, or
    a last sentence that ends in one: "The number of members is 196."
    """
    prepared = lines(reply)
    estimates = [line for line in markers(prepared, "ESTIMATE") if read_figure(line.raw, unit)]
    last = last_own(estimates, shown)
    if last is not None:
        figure = read_figure(last.raw, unit)
    else:
        last_line = _last_line(prepared)
        figure = read_figure(last_line, unit, alone=True) or _figure_said(last_line, unit)
    if figure is None or (bounds is not None and not bounds[0] <= figure.value <= bounds[1]):
        return None
    return figure


def _figure_said(line: str, unit: str | None) -> Figure | None:
    """The number that a line's last sentence says the answer is; none if it speaks of the panel, of what was
    said before, or of what is not so."""
    spans = sentence_spans(line)
    sentence = fold(line[spans[-1][0] : spans[-1][1]]) if spans else ""
    said = _SAYS.search(sentence)
    if said is None or _SAYS_OF_OTHERS.search(sentence) or len(_DIGITS.findall(sentence)) > 1:
        return None
    return read_figure(sentence[said.end() :], unit, alone=True)


def _last_line(prepared: Sequence[Line]) -> str:
    return next((line.raw.strip() for line in reversed(prepared) if line.plain), "")


def read_confidence(reply: str, shown: Shown) -> Confidence | None:
    words = {"LOW": "LOW", "MEDIUM": "MEDIUM", "MED": "MEDIUM", "MODERATE": "MEDIUM", "HIGH": "HIGH"}
    word = chosen_word(reply, "CONFIDENCE", words, shown=shown)
    return "LOW" if word == "LOW" else "HIGH" if word == "HIGH" else "MEDIUM" if word else None


def read_reasoning(reply: str) -> str | None:
    section = sections(reply, ("ESTIMATE", "ANSWER", "CONFIDENCE", "REASONING")).get("REASONING")
    return section.text if section else None


def read_answer(reply: str, options: Sequence[str], shown: Shown) -> str | None:
    """The option after the last `ANSWER`, by the order in which this seat saw them; `Other: …` if it is
    none of them. Without that line a reply that is nothing but an option, `A) 96`; None without an answer."""
    line = marker(reply, "ANSWER", shown=shown)
    if line is None:
        return _bare_option(reply, options)
    if SAMPLES.is_sample(line.raw):
        return None
    letter = _LETTER.match(line.value)
    if letter and letter[1].upper() != "Z":
        place = ord(letter[1].upper()) - ord("A")
        if place < len(options):
            return options[place]
    text = _after_letter(line) if letter else line.raw
    option = match_option(text, options) if text.strip() else None
    return option or other_answer(text)


def _bare_option(reply: str, options: Sequence[str]) -> str | None:
    """The option that a reply of one line names word for word, under its letter if it gives one."""
    written = [line.plain for line in lines(reply) if line.plain]
    if len(written) != 1:
        return None
    letter = _LETTER.match(written[0])
    text = written[0][letter.end() :] if letter else written[0]
    same = [at for at, option in enumerate(options) if option.casefold() == text.casefold().strip(" .")]
    place = ord(letter[1].upper()) - ord("A") if letter else None
    return options[same[0]] if len(same) == 1 and place in (None, same[0]) else None


def _after_letter(line: Marker) -> str:
    letter = _LETTER.match(line.raw)
    return line.raw[letter.end() :] if letter else line.raw


def match_option(text: str, options: Sequence[str]) -> str | None:
    """The one option a text names: the same text, its number, words within words, or nearly the same."""
    folded = text.casefold().strip(" .!*`\"'")
    same = [option for option in options if option.casefold() == folded]
    words = _words(text)
    equal = same or [option for option in options if words and _words(option) == words]
    if len(equal) == 1:
        return equal[0]
    place = _PLACE.match(text)
    if place and 1 <= int(place[1]) <= len(options):
        return options[int(place[1]) - 1]
    within = [option for option in options if _holds(words, _words(option)) or _holds(_words(option), words)]
    if len(within) == 1:
        return within[0]
    return closest(text, options, at_least=0.85, ahead=0.10)


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _holds(outer: str, inner: str) -> bool:
    return bool(inner) and f" {inner} " in f" {outer} "


def other_answer(text: str) -> str:
    words = short_answer(_OTHER.sub("", text, count=1))
    return f"{OTHER}: {words}" if words else OTHER


def short_answer(text: str) -> str:
    """An answer in one short line that may stand in a prompt or a table."""
    seen = "".join(sign for sign in _UNFIT.sub(" ", text) if not _is_unseen(sign))
    line = " ".join(seen.split()).strip(' *`"“”|').rstrip(".")
    return line[:LONGEST_ANSWER].strip()


def _is_unseen(sign: str) -> bool:
    """It would turn the line round, or make two answers differ that look the same."""
    return unicodedata.category(sign) in ("Cf", "Cs") and sign not in _JOINERS


def answer_key(answer: str) -> str:
    """What makes two answers the same: their words."""
    return _words(answer) or answer.casefold()


def rotate(options: Sequence[str], seat: int) -> list[str]:
    """The options in this seat's own order, so that none is first for everybody."""
    turn = seat % len(options) if options else 0
    return [*options[turn:], *options[:turn]]
