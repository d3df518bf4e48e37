"""Options of a red-team review: author, attacker and judge, how many rounds, how long an input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from moot.kernel.mode import Between, ModeConfig, ModelId, Panel, TimeoutMs, problem


class RedTeamConfig(ModeConfig):
    generator_model: Annotated[ModelId, Field(title="Author", description="Writes the text and defends it.")]
    attacker_model: Annotated[
        ModelId, Field(title="Attacker", description="Looks for weaknesses. Must not be the author's model.")
    ]
    synthesizer_model: Annotated[
        ModelId,
        Field(
            title="Judge",
            description="Rules on every finding and writes the hardened text. Ideally a third model.",
        ),
    ]
    rounds: Annotated[
        int,
        Between("rounds", 1, 3),
        Field(title="Rounds", description="The maximum number of attacks and defences."),
    ] = 2
    max_input_length: Annotated[
        int,
        Between("maxInputLength", 1000, 50_000),
        Field(title="Longest input", description="In characters. Longer input is cut at the end of a line."),
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
    author = given.get("generatorModel", panel.special())
    return {
        "generatorModel": author,
        "attackerModel": panel.other_than(
            [author] if isinstance(author, str) else [], min(1, len(panel.models) - 1)
        ),
        "synthesizerModel": author,
    }
