"""A reply that was cut off is read as far as it is certain.

    VOTE: Response B        the token limit came here: `42` may be the beginning of `425`, `42 mil` of
    ESTIMATE: 42 mil        `42 million`. The line is no value; what stands above it is.

Its provider says that a reply was cut off (`finish_reason`), so this is known, not guessed. A short last
line is left out, but for a value that has something behind it, such as `VOTE: Response B [k7`. Of a long one,
which is prose, the sentences stay that came to their end; of one long sentence, what stands before its last
comma, unless it is a field's value.
"""

from __future__ import annotations

import re

from moot.deliberation.dressing import is_greeting
from moot.deliberation.text import sentence_spans
from moot.kernel.values import Answer

_LONGEST_VALUE = 100
"""So long a line may be a label and its value, an item of a list, a row of a table."""
_CLOSED_VALUE = re.compile(r"[^|\[:=]+[:=][^|\[]*[^|\[\s](?=\s[|\[])|")
_FIELD = re.compile(r"\W{0,8}[^\W\d_][\w ]{0,30}\W{0,4}[:：]")
_LABEL_ALONE = re.compile(rf"{_FIELD.pattern}\W{{0,4}}")
_CLAUSE = re.compile(r".*[,;](?=\s)|.*(?=\s)|")


def legible(reply: Answer) -> str:
    """What a parser may read of a reply."""
    return certain(reply.response) if reply.breaks_off else reply.response


def certain(text: str) -> str:
    """A text that was cut off, as far as nothing that could still have come changes what it says. A greeting
    before that says nothing, nor does a label whose value was still to come."""
    rest = _without_cut_value(text)
    above, edge, last = rest.rstrip().rpartition("\n")
    rest = above + edge if _LABEL_ALONE.fullmatch(last) else rest
    return "" if is_greeting(rest) else rest


def _without_cut_value(text: str) -> str:
    above, edge, last = text.rpartition("\n")
    if len(last) <= _LONGEST_VALUE:
        complete = _CLOSED_VALUE.match(last)
        return above + edge + (complete[0] if complete else "")
    ends = [end for _, end in sentence_spans(last)[:-1]]
    if ends:
        return above + edge + last[: ends[-1]]
    clause = None if _FIELD.match(last) else _CLAUSE.match(last)
    return above + edge + (clause[0] if clause else "")
