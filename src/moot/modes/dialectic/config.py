"""The config of dialectic: who plays which role, how long they argue, and what a request may leave out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from moot.kernel.mode import Between, ModeConfig, Panel, RoleModel, TimeoutMs, problem
from moot.kernel.values import SEED_PANEL
from moot.modes.dialectic.critiques import Limits
from moot.modes.dialectic.scaffolds import MINIMUM

SEED_MODELS = {
    "proposer": ("ollama/qwen3:32b", "qwen/qwen3-32b"),
    "skeptic": ("ollama/llama3.3:70b", "meta-llama/llama-3.3-70b-instruct"),
}


class Within(Between):
    """A range whose message is a sentence."""

    def _check(self, value: float) -> float:
        if not self.lowest <= value <= self.highest:
            raise problem(f"{self.name} must be between {self.lowest:g} and {self.highest:g}.")
        return value


class DialecticConfig(ModeConfig):
    proposer_model: Annotated[
        RoleModel, Field(title="Proposer", description="Writes the answer and improves it in every round.")
    ]
    skeptic_model: Annotated[
        RoleModel,
        Field(title="Skeptic", description="Challenges the answer. By default, a different model."),
    ]
    synthesizer_model: Annotated[
        RoleModel,
        Field(title="Synthesizer", description="Writes the final answer. By default, the proposer."),
    ]
    judge_model: Annotated[
        RoleModel, Field(title="Judge", description="Scores the final answer. By default, the skeptic.")
    ]
    min_rounds: Annotated[
        int,
        Within("minRounds", 1, 7),
        Field(title="Minimum rounds", description="Until then, only the skeptic can end the debate."),
    ] = 3
    max_rounds: Annotated[
        int,
        Within("maxRounds", 1, 7),
        Field(title="Maximum rounds", description="The debate always ends after this many."),
    ] = 5
    early_stop_score: Annotated[
        float,
        Within("earlyStopScore", 1, 10),
        Field(title="Early stop score", description="The skeptic may accept the answer from this score up."),
    ] = 8
    early_stop_policy: Annotated[
        str,
        Field(
            title="Early stop policy",
            description="`seed`: the skeptic's signal ends it. `strict`: unless its critique contradicts it.",
            json_schema_extra={"enum": ["seed", "strict"]},
        ),
    ] = "seed"
    proposer_temperature: Annotated[
        float,
        Within("proposerTemperature", 0, 2),
        Field(title="Proposer's temperature", description="How varied the proposer's writing is."),
    ] = 0.7
    skeptic_temperature: Annotated[
        float,
        Within("skepticTemperature", 0, 2),
        Field(title="Skeptic's temperature", description="How varied the skeptic's writing is."),
    ] = 0.8
    synthesizer_temperature: Annotated[
        float,
        Within("synthesizerTemperature", 0, 2),
        Field(title="Synthesizer's temperature", description="How varied the synthesizer's writing is."),
    ] = 0.5
    judge_temperature: Annotated[
        float,
        Within("judgeTemperature", 0, 2),
        Field(title="Judge's temperature", description="How varied the judge's scores are."),
    ] = 0.3
    use_templates: Annotated[
        bool,
        Field(
            title="Use templates", description="Give the proposer reasoning templates that fit the question."
        ),
    ] = True
    rag_top_k: Annotated[
        int,
        Within("ragTopK", 1, 10),
        Field(title="Templates", description="The maximum number of templates."),
    ] = 3
    min_similarity: Annotated[
        float,
        Within("minSimilarity", 0, 1),
        Field(title="Minimum similarity", description="Templates below this similarity are left out."),
    ] = MINIMUM
    auto_score: Annotated[
        Literal["inline", "off"],
        Field(title="Auto-score", description="`inline`: a judge scores the final answer. `off`: no score."),
    ] = "inline"
    allow_same_model: Annotated[
        bool, Field(title="Allow one model", description="Proposer and skeptic may be the same model.")
    ] = False
    store_trace: Annotated[
        bool, Field(title="Store the trace", description="Save the trace so you can rate and export it.")
    ] = True
    max_total_tokens: Annotated[
        int | None,
        Field(
            title="Maximum tokens", description="No new round starts once this many are used. At least 5000."
        ),
    ] = None
    timeout_ms: Annotated[TimeoutMs, Within("timeoutMs", 10_000, 300_000)] = 120_000

    @field_validator("early_stop_policy")
    @classmethod
    def _policy_is_known(cls, value: str) -> str:
        if value not in ("seed", "strict"):
            raise problem("Unknown earlyStopPolicy.")
        return value

    @model_validator(mode="after")
    def _roles_and_limits_agree(self) -> DialecticConfig:
        if self.min_rounds > self.max_rounds:
            raise problem("minRounds must not exceed maxRounds.")
        if self.proposer_model == self.skeptic_model and not self.allow_same_model:
            raise problem("Proposer and skeptic must be different models.")
        if self.max_total_tokens is not None and self.max_total_tokens < 5_000:
            raise problem("maxTotalTokens must be at least 5000.")
        return self

    @property
    def limits(self) -> Limits:
        policy: Literal["seed", "strict"] = "strict" if self.early_stop_policy == "strict" else "seed"
        return Limits(self.min_rounds, self.max_rounds, self.early_stop_score, policy)


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    proposer = given.get("proposerModel") or preferred(panel, "proposer") or panel.special()
    skeptic = given.get("skepticModel") or preferred(panel, "skeptic") or panel.other_than([proposer], 1)
    synthesizer = given.get("synthesizerModel") or proposer
    judge = skeptic if skeptic != synthesizer else panel.other_than([synthesizer])
    most, fewest = given.get("maxRounds"), given.get("minRounds")
    return {
        "proposerModel": proposer,
        "skepticModel": skeptic,
        "synthesizerModel": synthesizer,
        "judgeModel": judge,
        "allowSameModel": skeptic == proposer and "skepticModel" not in given,
        # Whoever sets one of the two does not mean to contradict the other's default.
        **({"minRounds": min(3, most)} if isinstance(most, int) and fewest is None else {}),
        **({"maxRounds": max(5, fewest)} if isinstance(fewest, int) and most is None else {}),
    }


def preferred(panel: Panel, role: str) -> str | None:
    """The model that the role was made for, where the panel has it or is all that OpenRouter offers."""
    on_ollama, on_openrouter = SEED_MODELS[role]
    if panel.models == SEED_PANEL:
        return on_openrouter
    return next((model for model in (on_ollama, on_openrouter) if model in panel.models), None)
