"""The layouts of a review and of its consolidation, with what they print to be replaced."""

from __future__ import annotations

from moot.deliberation.samples import Samples

FINDING_LAYOUT = """\
FINDING 1: short title
Category: one of the criteria
Severity: CRITICAL or MAJOR or MINOR or SUGGESTION
Location: section, line or component
Quote: up to 20 words copied letter by letter from the work, or none
Description: what is wrong
Impact: what follows if it stays
Recommendation: what to do"""

REPAIR_LAYOUT = """\
### Scores
| Criterion | Score | Justification |
|---|---|---|
{criterionRows}
### Findings
One block for each, or the words NO FINDINGS:
{findingLayout}"""

ISSUE_LAYOUT = """\
ISSUE 1: title
Findings: R1-F2, R3-F1
Description: one merged description
Action: what to do, starting with a verb
Effort: Low or Medium or High
Credibility: sound or doubtful - why"""

FINDING_SAMPLES = Samples("", *(line.partition(": ")[2] for line in FINDING_LAYOUT.split("\n")))
ISSUE_SAMPLES = Samples("", "title", "one merged description", "what to do, starting with a verb")
