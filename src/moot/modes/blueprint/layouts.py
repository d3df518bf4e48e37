"""What a planner's prompt prints to be replaced, and the layout of an editor's lines, as it is and as it was
first released: its numbers came back as data."""

from __future__ import annotations

from moot.deliberation.samples import Samples

OUTLINE_SAMPLES = Samples(
    "",
    "a title",
    "section title",
    "one or two sentences",
    "a topic",
    "another topic",
    "the parts of the source it uses",
    "what a reader may look for here but finds in another section; or none",
    "three to five, separated by semicolons",
)
"""What the planner's prompt prints for its lines."""

ASSEMBLY_LAYOUT = """\
EXECUTIVE SUMMARY:
<three to five paragraphs on scope, main points and recommendations>
END SUMMARY
TRANSITION <section>: <one or two sentences that lead from the section before into this one>
TERM: <preferred term> <= <variant>; <variant>
CUT <paragraph> REPEATS <paragraph>
CONFLICT <paragraph> / <paragraph>: <what contradicts what>
TODO <section>: <what the section still lacks>
END OF ASSEMBLY"""
CUT_ONLY = "the first paragraph says nothing that the second does not say"

ORIGINAL_ASSEMBLY_LAYOUT = """\
EXECUTIVE SUMMARY:
three to five paragraphs on scope, main points and recommendations
END SUMMARY
TRANSITION 2: one or two sentences that lead from section 1 into section 2
TERM: preferred term <= variant; variant
CUT 5.3 REPEATS 2.4
CONFLICT 3.2 / 6.1: what contradicts what
TODO 4: what section 4 still lacks
END OF ASSEMBLY"""
ORIGINAL_CUT_ONLY = "paragraph 5.3 says nothing that 2.4 does not say"

SUMMARY_LAYOUT = """\
EXECUTIVE SUMMARY:
<three to five paragraphs on scope, main points and recommendations>
END SUMMARY"""
