"""What a council asks of its models."""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.signatures import ballot_nonce, signing
from moot.kernel.fences import Foreign
from moot.kernel.labels import Deal, shown
from moot.kernel.run import Run
from moot.kernel.values import Answer, Message, Prompt, Rewording
from moot.modes.council.config import CouncilConfig
from moot.modes.council.events import Stage2Response


def ranking_prompt(run: Run[CouncilConfig], labels: Deal[Answer], seat: int, nonce: str) -> Prompt:
    """The question and all answers under their letters, in an order of this evaluator's own."""
    responses = [(label, labels[label].response) for label in labels.order_for(seat)]
    prompt = run.fill(RANKING_PROMPT, question=Foreign(run.question), responses=shown(responses))
    signature = signing("FINAL RANKING", "", nonce)
    # With the title alone, small models leave out the list, or the whole section: see docs/prompts.md.
    places = "\n".join(f"{place}. Response <letter>" for place, _ in enumerate(responses, 1))
    return Rewording(f"{prompt} {signature}\n{places}", original=prompt)


def ranking_nonce(run: Run[CouncilConfig], labels: Deal[Answer], seat: int) -> str:
    """The code with which this evaluator alone is asked to sign its ranking."""
    return ballot_nonce(run.seed, "stage2", seat, shown_texts(run, labels))


def shown_texts(run: Run[CouncilConfig], labels: Deal[Answer]) -> list[str]:
    """What every evaluator reads before it ranks."""
    return [run.question, *(labels[label].response for label in labels)]


def synthesis_prompt(
    run: Run[CouncilConfig], labels: Deal[Answer], rankings: Sequence[Stage2Response]
) -> tuple[Message, ...]:
    """The conversation so far; in place of the last question, all answers with their models and what the
    evaluators wrote about them."""
    by_seat = sorted(labels, key=lambda label: labels[label].seat or 0)
    responses = [(f"{labels[label].model} ({label})", labels[label].response) for label in by_seat]
    # Rankings in which nobody placed anything are noise to the chairman.
    readable = any(ranking.parsed_ranking for ranking in rankings)
    evaluations = [(f"Evaluator: {one.model}", one.ranking_text) for one in rankings] if readable else []
    prompt = run.fill(
        SYNTHESIS_PROMPT,
        question=Foreign(run.question),
        responses=shown(responses),
        rankings=shown(evaluations),
    )
    return (*run.history, run.conversation[-1].model_copy(update={"content": prompt}))


RANKING_PROMPT = """\
You are an expert evaluator. Below is a question and several responses from different sources. Your task is \
to evaluate each response and rank them from best to worst.

Question: {question}

{responses}Instructions:
1. Evaluate each response for accuracy, completeness, clarity, and helpfulness.
2. Consider the strengths and weaknesses of each response.
3. Provide your ranking from best to worst.

CRITICAL: You MUST end your response with a section titled "FINAL RANKING:" followed by a numbered list. \
Each item must be ONLY the response label (e.g., "Response A"). Example:

FINAL RANKING:
1. Response C
2. Response A
3. Response B

Do not include any other text in the FINAL RANKING section."""


RANKING_REPAIR = """\
End with a section titled "FINAL RANKING:" followed by a numbered list, best first, one line for each response. \
Each item must be ONLY the response label. Do not include any other text in the FINAL RANKING section."""


SYNTHESIS_PROMPT = """\
You are a chairman synthesizing the best possible answer from multiple AI model responses and their peer \
evaluations.

Original Question: {question}

STAGE 1 — Individual Responses:

{responses}STAGE 2 — Peer Rankings:

{rankings}Synthesize the best possible answer to the original question. Consider:
1. The individual responses and their unique insights
2. The peer rankings and which responses were consistently rated highly
3. Areas of agreement and disagreement across responses
4. Any important nuances or caveats that individual responses captured

Provide a comprehensive, well-structured synthesis that represents the collective intelligence of all the \
models."""
