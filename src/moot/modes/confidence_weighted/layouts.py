"""The layouts of an answer with its confidence and of a synthesis, with what they print to be replaced;
beside each, how it was first released."""

from __future__ import annotations

from moot.deliberation.samples import Samples

ANSWER_LAYOUT = """\
RESPONSE:
<your full answer; Markdown is fine here>

CONFIDENCE: <your probability, one decimal number>
CONFIDENCE_REASONING: <one or two sentences: what you are sure of, what you are not>"""

ORIGINAL_ANSWER_LAYOUT = """\
RESPONSE:
<your full answer; Markdown is fine here>

CONFIDENCE: <one decimal number such as 0.74>
CONFIDENCE_REASONING: <one or two sentences: what you are sure of, what you are not>"""

_IN_WORDS = "here the answer to the question, in full sentences, as the person who asked will read it"

SYNTHESIS_LAYOUT = f"""\
Your reply has two parts, each below its own plain label at line start:

SYNTHESIS:
({_IN_WORDS})

CONFIDENCE CALIBRATION NOTES:
Answer <letter>: <OVERCONFIDENT, FAIR or UNDERCONFIDENT> - <one sentence>"""

ORIGINAL_SYNTHESIS_LAYOUT = """\
Layout, with plain labels at line start:

SYNTHESIS:
<the answer>

CONFIDENCE CALIBRATION NOTES:
Answer <letter>: OVERCONFIDENT | FAIR | UNDERCONFIDENT - <one sentence>
(one line per answer, then at most two sentences on the group as a whole)"""

ANSWER_SAMPLES = Samples(f"{ANSWER_LAYOUT}\n{ORIGINAL_ANSWER_LAYOUT}")
SYNTHESIS_SAMPLES = Samples(
    f"{SYNTHESIS_LAYOUT}\n{ORIGINAL_SYNTHESIS_LAYOUT}", "the answer itself", _IN_WORDS
)
