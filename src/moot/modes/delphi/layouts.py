"""The layouts that a panel is asked to keep to, with what they print for a panelist to replace."""

from __future__ import annotations

from moot.deliberation.samples import Samples

CLASSIFY_LAYOUT = """\
TYPE: <NUMERIC or QUALITATIVE>
SCALE: <RATIO, MAGNITUDE, BOUNDED or DATE; NONE if QUALITATIVE>
BOUNDS: <low to high if BOUNDED, otherwise NONE>
UNIT: <unit every panelist must use, e.g. people, USD, %, year; NONE if QUALITATIVE>
OPTIONS:
- <one option per line; leave empty if NUMERIC>
REASONING: <one sentence>"""

ESTIMATE_LINE = "ESTIMATE: <number{in_unit}>"
CHOICE_LINE = "ANSWER: <letter and option text>"
OPEN_LINE = "ANSWER: <at most 12 words>"

ANSWER_LAYOUT = """\
{line}
CONFIDENCE: <LOW or MEDIUM or HIGH>
REASONING: <{why}>"""

OTHER_LINE = "Z) Other: <say what>"

SAMPLES = Samples(
    "\n".join((CLASSIFY_LAYOUT, ESTIMATE_LINE, CHOICE_LINE, OPEN_LINE, ANSWER_LAYOUT, OTHER_LINE))
)
