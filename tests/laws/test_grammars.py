"""Of thousands of ballots drawn from the grammars none is read as what its judge did not decide.

`make attack` draws twenty thousand of each kind; here it is a deterministic part of them.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from moot.deliberation.ballots import voted_label
from moot.deliberation.parsing import Shown
from moot.kernel.values import Answer
from moot.modes.council.rankings import parse_ranking
from moot.modes.debate.revisions import read_revision
from moot.modes.jury.scorecards import read_verdict as juror_verdict
from moot.modes.red_team.findings import read_attack
from moot.modes.tournament.judging import read_verdict
from tests.harness import grammars
from tests.harness.grammars import Case

LEAST_READ = 0.95
OWN = Answer(seat=1, model="a/ann", response="mine", response_time_ms=1)


def ranking(text: str, shown: Shown) -> str | None:
    return "".join(entry.label[-1] for entry in parse_ranking(text, grammars.LABELS, shown)) or None


def decision(text: str, shown: Shown) -> str | None:
    revision = read_revision(OWN, OWN.model_copy(update={"response": text}), shown)
    if revision.decision not in (None, "STAND") and revision.revised_response != grammars.REVISED:
        return f"{revision.decision} with another text"
    return revision.decision


def findings(text: str, shown: Shown) -> str | None:
    report = read_attack(text, 1, "md5(password)", [], shown)
    return "; ".join(f"{one.title}: {one.severity}" for one in report.findings) or None


Draw = Callable[[Random], Case]
Read = Callable[[str, Shown], str | None]
READERS: dict[str, Read] = {
    "votes": lambda text, shown: voted_label(text, grammars.LABELS, shown),
    "rankings": ranking,
    "winners": read_verdict,
    "verdicts": juror_verdict,
    "decisions": decision,
    "findings": findings,
}


@pytest.fixture
def count(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--grammar-cases"))


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> str:
    return str(request.config.getoption("--grammar-seed"))


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", READERS)
def test_no_honest_ballot_is_read_as_another_whatever_its_judge_quotes(
    kind: str, count: int, seed: str
) -> None:
    draw: Draw = getattr(grammars, f"hostile_{kind}")
    read, lost, wrong = READERS[kind], 0, []
    for case in grammars.cases(draw, count, seed):
        found = read(case.reply, case.shown)
        if found is None and not case.signed:
            lost += 1
        elif found != case.own:
            wrong.append((case.own, found, case.signed, case.reply))
    print(f"{kind}: {count} ballots among hostile texts, {len(wrong)} misread, {lost} told as lost")
    assert wrong == []
    assert lost <= count * 0.25


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", READERS)
def test_an_everyday_ballot_is_read_or_told_as_lost(kind: str, count: int, seed: str) -> None:
    draw: Draw = getattr(grammars, f"everyday_{kind}")
    read, lost, wrong = READERS[kind], [], []
    for case in grammars.cases(draw, count, seed):
        found = read(case.reply, case.shown)
        if found is None:
            lost.append((case.own, case.reply))
        elif found != case.own:
            wrong.append((case.own, found, case.reply))
    print(f"{kind}: {count} ballots of everyday, {len(wrong)} misread, {len(lost)} told as lost")
    assert wrong == []
    assert len(lost) <= count * (1 - LEAST_READ)
