"""What is repeated to a specialist or synthesizer whose reply lacks a part."""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.markdown import cell
from moot.deliberation.samples import Samples

CROSS_REVIEW_LAYOUT = """\
One line for each finding that your field lets you judge, its id first, then SUPPORT, CHALLENGE or EXTEND, \
then a dash and your reason:
REACTION <id of the finding>: <SUPPORT, CHALLENGE or EXTEND> - <your reason>
Close with the line: END OF CROSS-REVIEW"""

SYNTHESIS_SAMPLES = Samples(
    "",
    "A bullet per point on which two or more experts agree. End each bullet with the ids it rests on",
    'One row per real conflict; write "None." if there is none. Do not smooth a conflict over.',
    "Risk Level is Critical, High, Medium or Low; worst first.",
    "Numbered, most important first, at most 10, each with its ids.",
    "Two or three paragraphs: overall state, strengths, what needs attention, next steps.",
    "Two or three paragraphs: overall state, strengths, what needs attention, next steps. Say what the "
    "missing perspectives leave open.",
)
"""What the synthesizer's prompt says below its headings."""

SYNTHESIS_LAYOUT = """\
### Convergent Findings
### Divergent Findings
### Consolidated Risk Matrix
### Unified Recommendations
### Executive Summary"""


def report_layout(criteria: Sequence[str]) -> str:
    return "\n".join(
        [
            "### Key Findings",
            "(numbered lines, one finding each)",
            "### Risk Assessment",
            "| Criterion | Rating | Notes |",
            "|---|---|---|",
            *(f"| {cell(criterion)} |  |  |" for criterion in criteria),
            "### Top 3 Recommendations",
            "(three numbered lines)",
        ]
    )
