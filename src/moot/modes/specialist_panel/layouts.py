"""What is repeated to a specialist or synthesizer whose reply lacks a part."""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.markdown import cell

CROSS_REVIEW_LAYOUT = """\
One line for each finding that your field lets you judge, its id first, then SUPPORT, CHALLENGE or EXTEND, \
then a dash and your reason:
REACTION <id of the finding>: <SUPPORT, CHALLENGE or EXTEND> - <your reason>
Close with the line: END OF CROSS-REVIEW"""

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
