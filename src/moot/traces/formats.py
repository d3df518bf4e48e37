"""Training records: a trace as lines that a model can be fine-tuned on.

    chat     {"messages": [{"role": "system", …}, {"role": "user", …}, {"role": "assistant", …}]}
    alpaca   {"instruction": "…", "input": "", "output": "…"}
    dpo      {"prompt": […], "chosen": […], "rejected": […], "score_chosen": 8.0, "score_rejected": 5.0, …}
    raw      the trace itself

Pairs are made of Answer sections only: with the replies in them, a model would learn that mentioning a
critique wins. No key of the first three is ever null.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from moot.kernel.retriever import Scaffold
from moot.modes.dialectic.trace import THRESHOLD, DialecticResult, RoundResult

Format = Literal["chat", "alpaca", "dpo", "raw"]
SPLIT_SEED = 42
VALIDATION_SHARE = 0.10
MOST_PAIRS = 3
NEAR_EQUAL = 0.95
MOST_LENGTH_RATIO = 2.5
LOW_FIRST_SCORE = 6.0
SYSTEM = "Answer carefully and state assumptions."
REMOVED = "[removed]"

_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_KEY = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abpr]|hf)[-_][A-Za-z0-9_-]{16,200}"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|\beyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{5,2000}"
    r"|\bBearer\s+[A-Za-z0-9._~+/-]{16,400}=*"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,10000}?-----END [A-Z ]{0,30}PRIVATE KEY-----"
)


class Pair(NamedTuple):
    """A better answer and a worse one, with their scores."""

    chosen: str
    rejected: str
    score_chosen: float
    score_rejected: float
    source: str


def normal_question(question: str) -> str:
    """A question as it is compared: case, blanks and final signs do not count."""
    return " ".join(question.casefold().split()).rstrip("?!. ")


def place_in_split(question: str) -> float:
    """From 0 to 1, the same for ever: below 0.1 a question's records are for validation."""
    digest = sha256(f"{SPLIT_SEED}\x00{normal_question(question)}".encode()).hexdigest()
    return int(digest[:13], 16) / 16**13


def tokens_of(*texts: str) -> int:
    """About how many tokens; four characters each."""
    return -(-sum(len(text) for text in texts) // 4)


def has_secrets(text: str) -> bool:
    return mask(text) != text


def mask(text: str) -> str:
    # To look for an address takes long, and most texts have none.
    without = _ADDRESS.sub(REMOVED, text) if "@" in text else text
    return _KEY.sub(REMOVED, without)


def records(
    format: Format,
    result: DialecticResult,
    trace: dict[str, Any],
    scaffolds: Sequence[Scaffold],
    with_scaffold: bool = False,
) -> Iterator[dict[str, Any]]:
    """The lines of one trace, what is secret masked. `scaffolds`: those it was built on, as far as known."""
    question, answer = mask(result.query), mask(result.final_answer or "")
    match format:
        case "chat":
            system = " ".join([SYSTEM, *map(_steps, scaffolds[:1])]) if with_scaffold else SYSTEM
            yield {"messages": [_turn("system", system), _turn("user", question), _turn("assistant", answer)]}
        case "alpaca":
            yield {"instruction": question, "input": "".join(map(_steps, scaffolds[:1])), "output": answer}
        case "dpo":
            for pair in pairs(result, trace["quality_score"]):
                yield {
                    "prompt": [_turn("user", question)],
                    "chosen": [_turn("assistant", mask(pair.chosen))],
                    "rejected": [_turn("assistant", mask(pair.rejected))],
                    "score_chosen": float(pair.score_chosen),
                    "score_rejected": float(pair.score_rejected),
                    "source": pair.source,
                    "trace_id": str(result.trace_id),
                }
        case "raw":
            yield _mask_deeply(trace)


def pairs(result: DialecticResult, quality: float | None) -> list[Pair]:
    """At most three: of neighbouring rounds where the later is better, and the final over a poor first."""
    candidates = []
    for before, after in zip(result.rounds, result.rounds[1:], strict=False):
        if before.score is None or after.score is None:
            continue
        if after.score - before.score >= 1 or _is_mended(before, after):
            source = f"round_{after.round}>round_{before.round}"
            candidates.append(Pair(after.answer, before.answer, after.score, before.score, source))
    first = result.rounds[0] if result.rounds else None
    if (
        first is not None
        and first.score is not None
        and first.score <= LOW_FIRST_SCORE
        and quality is not None
        and quality >= THRESHOLD
    ):
        candidates.append(
            Pair(result.final_answer or "", first.answer, quality, first.score, "final>round_1")
        )
    return [pair for pair in candidates if _is_instructive(pair)][:MOST_PAIRS]


def _is_mended(before: RoundResult, after: RoundResult) -> bool:
    """A critical issue was resolved, no new one raised, and the score did not fall."""
    assert before.score is not None
    assert after.score is not None
    critical = {issue.id for issue in before.issues if issue.severity == "critical"}
    resolved = {status.id for status in after.statuses if status.status == "resolved"}
    raised = {issue.id for issue in after.issues if issue.severity == "critical"} - critical
    return bool(critical & resolved) and not raised and after.score >= before.score


def _is_instructive(pair: Pair) -> bool:
    """Whether the two differ enough to learn from, and not by their length."""
    from rapidfuzz.distance import Indel

    short, long = sorted((len(pair.chosen), len(pair.rejected)))
    if not short or long / short > MOST_LENGTH_RATIO:
        return False
    return Indel.normalized_similarity(pair.chosen, pair.rejected) <= NEAR_EQUAL


def _turn(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def _steps(scaffold: Scaffold) -> str:
    steps = " ".join(f"{number}. {step}." for number, step in enumerate(scaffold.steps, 1))
    return f"Scaffold: {scaffold.name}. {steps}"


def _mask_deeply(value: Any) -> Any:
    match value:
        case str():
            return mask(value)
        case list():
            return [_mask_deeply(item) for item in value]
        case dict():
            return {key: _mask_deeply(item) for key, item in value.items()}
        case _:
            return value
