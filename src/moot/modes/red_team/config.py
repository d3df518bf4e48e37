"""Options of a red-team review: author, attacker and judge, how many rounds, how long an input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from moot.kernel.mode import Between, ModeConfig, ModelId, Panel, TimeoutMs, problem


class RedTeamConfig(ModeConfig):
    generator_model: Annotated[
        ModelId, Field(title="Author", description="Prepares the work, owns it and defends it.")
    ]
    attacker_model: Annotated[
        ModelId, Field(title="Attacker", description="Hunts for faults; must differ from the author.")
    ]
    synthesizer_model: Annotated[
        ModelId,
        Field(
            title="Judge",
            description="Rules on every finding, writes the hardened work; best a third model, no attacker.",
        ),
    ]
    rounds: Annotated[
        int,
        Between("rounds", 1, 3),
        Field(title="Rounds", description="How often the work is attacked and defended at most."),
    ] = 2
    max_input_length: Annotated[
        int,
        Between("maxInputLength", 1000, 50_000),
        Field(title="Longest input", description="A longer input is cut at a line end, in characters."),
    ] = 25_000
    timeout_ms: Annotated[TimeoutMs, Between("timeoutMs", 30_000, 180_000)] = 120_000

    @model_validator(mode="after")
    def _attacker_stands_apart(self) -> Self:
        if self.generator_model == self.attacker_model:
            raise problem("Generator and attacker must be different models for adversarial integrity")
        if self.synthesizer_model == self.attacker_model:
            raise problem("Synthesizer must be the generator or a third model, not the attacker")
        return self


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    author = given.get("generatorModel", panel.models[0])
    return {
        "generatorModel": author,
        "attackerModel": panel.other_than(
            [author] if isinstance(author, str) else [], min(1, len(panel.models) - 1)
        ),
        "synthesizerModel": author,
    }
