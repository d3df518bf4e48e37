"""What is repeated to a skeptic whose critique could not be read."""

from __future__ import annotations

CRITIQUE_LAYOUT = """\
## Issues
One block for each, worst first, with its sign (🔴 critical, 🟡 major, 🟢 minor), or the word None:
🔴 C1 | <title> | <where in the answer>
<what is wrong>
## Score
Score: <1 to 10>/10"""
