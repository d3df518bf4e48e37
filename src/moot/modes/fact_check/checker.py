"""A checker at work: it judges claims in batches of twelve, and once more those it left out.

Each checker begins at another claim, so that replies that break off never miss the same ones. It sees
single statements with the sentence they came from, not the text: a text would speak for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Shown
from moot.kernel.run import Run, answered
from moot.kernel.values import Answer, Failure
from moot.modes.fact_check.claims import Claim
from moot.modes.fact_check.config import FactCheckConfig
from moot.modes.fact_check.consensus import CheckerCount, Verification, read_verifications
from moot.modes.fact_check.events import CheckerReport
from moot.modes.fact_check.prompts import verify_prompt

BATCH = 12


class CheckerOutcome(NamedTuple):
    """A checker's report, and why it failed if it did."""

    report: CheckerReport
    failure: Failure | None


class Batches(NamedTuple):
    """What came of the calls of one step."""

    verifications: dict[str, Verification]
    replies: list[Answer]
    failures: list[Failure]

    @property
    def longest_ms(self) -> int:
        times = [reply.response_time_ms for reply in self.replies]
        return max([*times, *(failure.response_time_ms for failure in self.failures)], default=0)


async def check_claims(
    run: Run[FactCheckConfig], seat: int, model: str, claims: Sequence[Claim], reserve: float
) -> CheckerOutcome:
    """What the checker in this seat says of the claims, in their order."""
    step = f"verify_{seat - 1}"
    order = rotate_claims(claims, seat - 1, len(run.config.checker_models))
    first = await _ask_in_batches(run, step, seat, model, order, reserve)
    left_out = [claim for claim in order if claim.id not in first.verifications]
    second = await _ask_in_batches(run, f"{step}/repair", seat, model, left_out, reserve)
    by_claim = first.verifications | second.verifications
    verifications = [by_claim.get(claim.id) or Verification.absent(claim.id) for claim in claims]
    replies = [*first.replies, *second.replies]
    report = CheckerReport(
        index=seat - 1,
        seat=seat,
        model=model,
        verifications=verifications,
        summary=CheckerCount.of(verifications),
        failed=not by_claim,
        raw_text="\n\n---\n\n".join(reply.response for reply in replies),
        response_time_ms=first.longest_ms + second.longest_ms,
    )
    if by_claim:
        return CheckerOutcome(report, None)
    if replies:
        reason = f"{model} gave no verdict that could be read."
        return CheckerOutcome(report, run.unreadable(replies[-1], step, reason))
    return CheckerOutcome(report, [*second.failures, *first.failures][0])


def rotate_claims(claims: Sequence[Claim], index: int, checkers: int) -> list[Claim]:
    """The claims as the checker at this place of the list sees them."""
    start = index * -(-len(claims) // checkers) % len(claims)
    return [*claims[start:], *claims[:start]]


async def _ask_in_batches(
    run: Run[FactCheckConfig], step: str, seat: int, model: str, claims: Sequence[Claim], reserve: float
) -> Batches:
    batches = [claims[start : start + BATCH] for start in range(0, len(claims), BATCH)]
    outcomes = await run.together(
        run.ask(
            step,
            model,
            verify_prompt(run, batch),
            seat=seat,
            reserve=reserve,
            report_failure=False,
            # A reply that is cut off at its limit has left out claims, which are asked for again.
            require_complete=False,
        )
        for batch in batches
    )
    verifications: dict[str, Verification] = {}
    for batch, outcome in zip(batches, outcomes, strict=True):
        if isinstance(outcome, Answer):
            shown = Shown(text for claim in batch for text in (claim.claim, claim.context))
            verifications |= read_verifications(legible(outcome), [claim.id for claim in batch], shown)
    failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    return Batches(verifications, answered(outcomes), failures)
