"""What a debate asks of its models."""

from __future__ import annotations

from moot.deliberation.ballots import ballot_prompt
from moot.deliberation.signatures import ballot_nonce, signing
from moot.kernel.fences import Foreign
from moot.kernel.labels import Deal, shown
from moot.kernel.run import Run
from moot.kernel.values import Answer, Prompt, Rewording
from moot.modes.debate.config import DebateConfig


def revision_prompt(run: Run[DebateConfig], labels: Deal[Answer], seat: int) -> Prompt:
    """A debater's own answer, and those of the others in an order of this debater's own."""
    own = labels.label_of(seat)
    others = [(label, labels[label].response) for label in labels.order_for(seat) if label != own]
    prompt = run.fill(
        REVISION_PROMPT,
        question=Foreign(run.question),
        own=Foreign(labels[own].response),
        others=shown(others),
    )
    signature = signing("DECISION", "[REVISE|STAND|MERGE]", revision_nonce(run, labels, seat))
    return Rewording(f"{prompt}\n\n{REVISION_PARTS}\n\n{signature}", original=prompt)


def revision_nonce(run: Run[DebateConfig], labels: Deal[Answer], seat: int) -> str:
    """The code with which this debater alone is asked to sign its decision."""
    return ballot_nonce(run.seed, "revision", seat, shown_texts(run, labels))


def shown_texts(run: Run[DebateConfig], labels: Deal[Answer]) -> list[str]:
    """What every debater reads before it revises."""
    return [run.question, *(labels[label].response for label in labels)]


def vote_prompt(run: Run[DebateConfig], finals: Deal[Answer], voter: int) -> Prompt:
    return ballot_prompt(run, VOTE_PROMPT, finals, "debate_vote", voter)


REVISION_PROMPT = """\
You previously answered a question. Now you will see how other respondents answered the same question \
(anonymously). You may revise your response or stand by your original if you believe it was superior.

ORIGINAL QUESTION:
{question}

YOUR ORIGINAL RESPONSE:
{own}

OTHER RESPONSES:
{others}Instructions:
1. Carefully consider the other responses. What insights do they offer that yours missed?
2. Identify any errors or omissions in your original response.
3. You have three options:
   a) REVISE: Produce an improved response incorporating insights from others
   b) STAND: Keep your original response unchanged (explain why)
   c) MERGE: Substantially rewrite by combining the best elements of all responses

State your choice, then provide the response:

DECISION: [REVISE|STAND|MERGE]
REASONING: [1-2 sentences on why]

REVISED RESPONSE:
[Your final response — if STAND, repeat your original]"""


REVISION_PARTS = """\
Your reply has three parts, in this order: the DECISION line, the REASONING, and below the heading "REVISED \
RESPONSE:" the full text of your final response, as the person who asked will read it. End with the third."""


VOTE_PROMPT = """\
After a round of deliberation, all respondents have finalized their answers. Vote for the single best \
response.

Question: {question}

{responses}Consider: accuracy, completeness, clarity, helpfulness, and practical value.

You MUST end your response with your vote in this exact format:
VOTE: Response X

where X is the letter of your chosen response. You may provide brief reasoning before the vote, but the last \
line MUST be your vote."""
