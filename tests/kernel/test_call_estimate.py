"""What a run takes at most is said before it starts: no run, however badly its models behave, takes more."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

import pytest

from moot.kernel.call_estimate import FRAME_TOKENS, RunEstimate, estimated
from moot.kernel.context_window import BYTES_PER_TOKEN, tokens_of
from moot.kernel.errors import TransportError
from moot.kernel.mode import Panel
from moot.kernel.request import read_config
from moot.kernel.values import Request
from moot.modes import MODES
from moot.settings import Settings
from moot.simulator.transport import Simulator
from moot.transport import Chunk
from moot.transport.catalogue import ModelInfo
from tests.harness.chamber import Chamber
from tests.harness.long_text import long_text
from tests.laws.test_databases import QUESTION

REPLY_TOKENS = Settings().reply_tokens
PANEL = ("sim/ada", "sim/bo", "sim/cleo", "sim/dov", "sim/eli", "sim/fay")
DEBATE = '{"timeoutMs":120000,"models":["x/dear","x/fair","x/free"]}'
RUBBISH = "I would rather talk about something else."
LARGEST: dict[str, dict[str, Any]] = {
    "dialectic": {"minRounds": 5, "earlyStopScore": 10, "earlyStopPolicy": "strict"},
    "delphi": {"numericConvergenceThreshold": 0.01, "qualitativeConvergenceThreshold": 100},
    "red_team": {"rounds": 3},
}
"""What makes a run of this mode as long as it can be."""


@dataclass
class Unruly:
    """Simulated models at their worst: who is silent, talks nonsense or writes up to the limit follows from
    the lot and the request, or, where `stubborn`, from how often the same was asked."""

    lot: int
    fails: float = 0.0
    rambles: bool = False
    stubborn: bool = False
    asked: int = 0
    longest_prompt: int = 0
    _seen: Counter[str] = field(default_factory=Counter)

    async def stream(self, request: Request) -> AsyncIterator[Chunk]:
        self.asked += 1
        prompt = "".join(message.content for message in request.messages)
        self.longest_prompt = max(self.longest_prompt, tokens_of(prompt))
        yield Chunk()
        mood = self._mood(request.digest())
        if mood == "silent":
            raise TransportError("empty", f"{request.model} said nothing.")
        text = RUBBISH
        if mood == "sober":
            text = "".join([chunk.text async for chunk in Simulator(speed=0).stream(request)])
        if self.rambles:
            room = (request.max_tokens or REPLY_TOKENS) * BYTES_PER_TOKEN - len(text.encode()) - 2
            text = f"{text}\n\n{long_text(room, 'the one hand')}"
        yield Chunk(text=text)
        yield Chunk(finish_reason="stop")

    def _mood(self, digest: str) -> str:
        self._seen[digest] += 1
        if self.stubborn:
            moods = ("silent", "lost", "sober") if self.lot else ("lost", "sober", "sober")
            return moods[min(self._seen[digest], 3) - 1]
        drawn = int(sha256(f"{self.lot}/{digest}".encode()).hexdigest()[:8], 16) / 2**32
        return "silent" if drawn < self.fails / 2 else "lost" if drawn < self.fails else "sober"


WORST = (
    Unruly(0, rambles=True),
    Unruly(1, fails=0.3, rambles=True),
    Unruly(0, stubborn=True),
    Unruly(1, stubborn=True),
    *(Unruly(lot, fails=fails) for lot, fails in enumerate((0.2, 0.4, 0.6), 2)),
)


async def run_of(mode: str, unruly: Unruly) -> Unruly:
    async with Chamber(transport=unruly, panel=PANEL, title_model="sim/ada", embedder="off") as chamber:
        await chamber.deliberate(mode, QUESTION, **LARGEST.get(mode, {}))
    return unruly


def estimate_of(mode: str, models: Sequence[ModelInfo] = (), panel: tuple[str, ...] = PANEL) -> RunEstimate:
    settings = Settings(title_model=panel[0])
    config = read_config(MODES[mode], LARGEST.get(mode, {}), Panel(panel), QUESTION, settings)
    return estimated(MODES[mode], config, QUESTION, models, settings, settings.known_providers())


@pytest.mark.parametrize("mode", MODES)
async def test_no_run_makes_more_or_longer_calls_than_was_said(mode: str) -> None:
    said = estimate_of(mode)
    runs = [await run_of(mode, replace(unruly, _seen=Counter())) for unruly in WORST]
    seen = max(run.asked for run in runs)
    assert seen <= said.calls <= 8 * seen  # a simulated blueprint has three sections of the ten it may have
    longest = max(step.prompt_tokens // step.calls for step in said.steps if step.calls)
    assert max(run.longest_prompt for run in runs) <= longest


def test_a_debate_of_three_costs_what_its_calls_cost_at_their_longest() -> None:
    prices = [
        ModelInfo(id=f"x/{name}", provider="x", prompt_price=price, completion_price=5 * price)
        for name, price in (("dear", 10.0), ("fair", 1.0), ("free", 0.0))
    ]
    said = estimate_of("debate", prices, ("x/dear", "x/fair", "x/free"))
    base = FRAME_TOKENS + tokens_of(QUESTION) + tokens_of(DEBATE)
    prompts = 4 * base + (2 * 4 + 3) * REPLY_TOKENS  # an answer, a revision and its repair, a vote
    each_of_three = (prompts + 5 * 4 * REPLY_TOKENS) / 1e6
    title = 10 * (base + 5 * REPLY_TOKENS) / 1e6
    assert said.calls == 13
    assert said.completion_tokens == 13 * REPLY_TOKENS
    assert said.cost == pytest.approx(10 * each_of_three + 1 * each_of_three + title)
    assert (said.unpriced, said.reason, said.simulated) == ([], None, False)


def test_where_a_price_is_missing_there_is_no_sum_but_the_reason() -> None:
    known = ModelInfo(id="x/ann", provider="x", prompt_price=1.0, completion_price=1.0)
    said = estimate_of("debate", [known], ("x/ann", "x/bob", "sim/ada"))
    assert said.cost is None
    assert said.unpriced == ["x/bob"]
    assert said.reason == "No price is known for x/bob."


def test_a_fee_for_each_call_counts() -> None:
    fee = ModelInfo(id="x/ann", provider="x", prompt_price=0.0, completion_price=0.0, request_price=0.005)
    assert estimate_of("debate", [fee], ("x/ann",)).cost == pytest.approx(13 * 0.005)


def test_simulated_models_cost_nothing() -> None:
    said = estimate_of("council")
    assert (said.cost, said.simulated) == (0.0, True)


def test_a_run_makes_no_more_calls_than_the_settings_allow() -> None:
    settings = Settings(title_model="sim/ada", max_calls=5)
    config = read_config(MODES["council"], {}, Panel(PANEL), QUESTION, settings)
    assert estimated(MODES["council"], config, QUESTION, (), settings, settings.known_providers()).calls == 5


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abc", 1), ("abcd", 2), ("語", 1), ("😀", 2)])
def test_tokens_are_counted_from_bytes_so_that_every_script_has_enough(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens
