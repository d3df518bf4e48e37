"""What a vote asks of its models."""

from __future__ import annotations

from moot.deliberation.ballots import Tally, ballot_prompt
from moot.deliberation.signatures import signing
from moot.kernel.fences import Foreign
from moot.kernel.labels import Deal, shown
from moot.kernel.run import Run
from moot.kernel.values import Answer, Prompt, Rewording
from moot.modes.vote.config import VoteConfig


def vote_prompt(run: Run[VoteConfig], labels: Deal[Answer], voter: int) -> Prompt:
    return ballot_prompt(run, VOTE_PROMPT, labels, "vote", voter)


def tiebreaker_prompt(run: Run[VoteConfig], labels: Deal[Answer], count: Tally, nonce: str) -> Prompt:
    """The tied responses, in an order of the chairman's own."""
    order = labels.order_for("chairman", count.tied)
    responses = [(f"{label} ({count.counts[label]} votes)", labels[label].response) for label in order]
    prompt = run.fill(TIEBREAKER_PROMPT, question=Foreign(run.question), responses=shown(responses))
    return Rewording(f"{prompt}\n{signing('VOTE', 'Response X', nonce)}", original=prompt)


VOTE_PROMPT = """\
You are voting for the single best response to a question. Read all responses carefully, then cast exactly \
ONE vote.

Question: {question}

{responses}Consider: accuracy, completeness, clarity, helpfulness, and practical value.

You MUST end your response with your vote in this exact format:
VOTE: Response X

where X is the letter of your chosen response. You may provide brief reasoning before the vote, but the last \
line MUST be your vote."""


TIEBREAKER_PROMPT = """\
There is a tie in the voting. The following responses received equal votes:

{responses}Original question: {question}

Choose the single best response. Reply with ONLY:
VOTE: Response X"""
