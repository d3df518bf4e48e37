"""A checker at work: it judges claims in batches of twelve, and once more those it left out.

Each checker begins at another claim, so that replies that break off never miss the same ones. It sees
single statements with the sentence they came from, not the text: a text would speak for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from moot.deliberation.parsing import Shown
from moot.kernel.fences import Foreign, Part
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Answer, Failure, Wire
from moot.modes.fact_check.claims import Claim
from moot.modes.fact_check.consensus import CheckerCount, Consensus, Verification, read_verifications

if TYPE_CHECKING:
    from moot.kernel.run import Run

BATCH = 12


class CheckerReport(Wire):
    """`failed`: not one of its verdicts could be had."""

    index: int
    seat: int
    model: str
    verifications: list[Verification]
    summary: CheckerCount
    failed: bool
    raw_text: str
    response_time_ms: int

    def seat_result(self, ruled: Sequence[Consensus]) -> SeatResult:
        """How often it said what the checkers together say."""
        common = {one.claim_id: one.consensus_verdict for one in ruled}
        said = [one for one in self.verifications if not one.missing and one.claim_id in common]
        agreed = sum(one.verdict == common[one.claim_id] for one in said)
        return SeatResult(self.seat, self.model, agreed=agreed, cases=len(said))


class Judged(NamedTuple):
    """A checker's report, and why it failed if it did."""

    report: CheckerReport
    failure: Failure | None


class Batches(NamedTuple):
    """What came of the calls of one step."""

    read: dict[str, Verification]
    replies: list[Answer]
    failures: list[Failure]

    @property
    def longest_ms(self) -> int:
        took = [reply.response_time_ms for reply in self.replies]
        return max([*took, *(failure.response_time_ms for failure in self.failures)], default=0)


async def judged(run: Run[Any], seat: int, model: str, claims: Sequence[Claim], reserve: float) -> Judged:
    """What the checker in this seat says of the claims, in their order."""
    step = f"verify_{seat - 1}"
    turn = rotated(claims, seat - 1, len(run.config.checker_models))
    first = await _asked(run, step, seat, model, turn, reserve)
    left_out = [claim for claim in turn if claim.id not in first.read]
    second = await _asked(run, f"{step}/repair", seat, model, left_out, reserve)
    read = first.read | second.read
    verifications = [read.get(claim.id) or Verification.absent(claim.id) for claim in claims]
    replies = [*first.replies, *second.replies]
    report = CheckerReport(
        index=seat - 1,
        seat=seat,
        model=model,
        verifications=verifications,
        summary=CheckerCount.of(verifications),
        failed=not read,
        raw_text="\n\n---\n\n".join(reply.response for reply in replies),
        response_time_ms=first.longest_ms + second.longest_ms,
    )
    if read:
        return Judged(report, None)
    failures = [*second.failures, *first.failures]
    reason = f"{model} gave no verdict that could be read."
    return Judged(report, run.unreadable(replies[-1], step, reason) if replies else failures[0])


def rotated(claims: Sequence[Claim], index: int, checkers: int) -> list[Claim]:
    """The claims as the checker at this place of the list sees them."""
    start = index * -(-len(claims) // checkers) % len(claims)
    return [*claims[start:], *claims[:start]]


async def _asked(
    run: Run[Any], step: str, seat: int, model: str, claims: Sequence[Claim], reserve: float
) -> Batches:
    batches = [claims[start : start + BATCH] for start in range(0, len(claims), BATCH)]
    # A reply that is cut off at its limit has left out claims, which are asked for again.
    outcomes = await run.together(
        run.ask(
            step,
            model,
            verify_prompt(run, batch),
            seat=seat,
            reserve=reserve,
            report_failure=False,
            require_complete=False,
        )
        for batch in batches
    )
    read: dict[str, Verification] = {}
    for batch, outcome in zip(batches, outcomes, strict=True):
        if isinstance(outcome, Answer):
            shown = Shown(text for claim in batch for text in (claim.claim, claim.context))
            read |= read_verifications(outcome.response, [claim.id for claim in batch], shown)
    replies = [outcome for outcome in outcomes if isinstance(outcome, Answer)]
    return Batches(read, replies, [outcome for outcome in outcomes if isinstance(outcome, Failure)])


def verify_prompt(run: Run[Any], claims: Sequence[Claim]) -> str:
    shown: list[Part] = []
    for claim in claims:
        shown += [f"CLAIM id={claim.id} type={claim.type}\n", Foreign(claim.claim)]
        shown += [f"\nCONTEXT of={claim.id}\n", Foreign(claim.context), "\n"]
    return run.fill(PROMPT, date=run.started_on.isoformat(), claims=shown, n=str(len(claims)))


PROMPT = """\
Judge each statement below on its own merits. You do not know who wrote them; some are wrong on purpose or \
by accident. Today is {date}.

{claims}
First recall or look up the fact itself, then compare. Verdicts:
VERIFIED: you have specific grounds that it is right, including its numbers, dates and names.
DISPUTED: you have specific grounds that it is wrong, or so misleading that a reader would come away with a \
false belief. Half right is DISPUTED.
UNVERIFIABLE: you lack grounds either way, or it may have changed since you last knew. A guess is \
UNVERIFIABLE, not VERIFIED.

One block per claim, all {n} of them, labels at line start, no bold:

VERIFICATION <claim id>: <VERIFIED, DISPUTED or UNVERIFIABLE>
Evidence: <the grounds, one to three sentences>
Correction: <the right statement if DISPUTED, else N/A>
Confidence: <HIGH, MEDIUM or LOW>"""
