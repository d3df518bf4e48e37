"""What a confidence_weighted asks of its models."""

from __future__ import annotations

ANSWER_PROMPT = """\
Answer the question below as well as you can, then report how likely your answer is to be right.

QUESTION
{question}

How to choose the number:
- It is a probability between 0.00 and 1.00. Of all the answers you label 0.70, about 70 in 100 should turn out right.
- Before you write it, name to yourself the strongest reason your answer might be wrong, and let that lower the number.
- If the answer has several parts, give the chance that every important part is right.
- If the question is one of judgement, give the chance that a well-informed expert would accept your main recommendation.
- Others answer too and your number decides how much yours counts. Overclaiming harms the result and is reported to the reader.

Reply in exactly this layout. Plain labels at the start of a line, no bold, no code fence around the whole reply:

RESPONSE:
<your full answer; Markdown is fine here>

CONFIDENCE: <one decimal number such as 0.74>
CONFIDENCE_REASONING: <one or two sentences: what you are sure of, what you are not>"""
