"""The layouts of ideas, themes and scores, with what they print to be replaced; beside one that has changed,
how it was first released."""

from __future__ import annotations

from moot.deliberation.samples import Samples

IDEAS_LAYOUT = """\
IDEA 1: <title of at most 8 words>
<2-3 sentences>

IDEA 2: <title>
<2-3 sentences>"""

SCORE_LAYOUT = """\
Cluster <its number>: Novelty=<1-5> Feasibility=<1-5> Impact=<1-5>
Reason: <one sentence>"""

ORIGINAL_SCORE_LAYOUT = """\
Cluster 1: Novelty=3 Feasibility=4 Impact=2
Reason: <one sentence>"""

IDEA_SAMPLES = Samples(IDEAS_LAYOUT)
