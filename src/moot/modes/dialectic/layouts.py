"""What is repeated to a skeptic whose critique could not be read."""

from __future__ import annotations

from moot.deliberation.samples import Samples

CRITIQUE_LAYOUT = """\
## Issues
One block for each, worst first, with its sign (🔴 critical, 🟡 major, 🟢 minor), or the word None:
🔴 C1 | <title> | <where in the answer>
<what is wrong>
## Score
Score: <1 to 10>/10"""

ISSUE_SAMPLES = Samples(
    CRITIQUE_LAYOUT, "title", "where", "why it fails, counterexample if any, what would mend it"
)
"""Of this layout, and of the one in the skeptic's first prompt."""
