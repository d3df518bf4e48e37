"""Options of a fact-check: the text or who writes it, who extracts, checks and reports, and the limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, model_validator

from moot.kernel.mode import Between, Count, ModeConfig, ModelId, Panel, RoleModel, TimeoutMs, problem

_CHECKERS = "Fact-check mode requires 1-4 checker models"


class FactCheckConfig(ModeConfig):
    content_to_check: Annotated[
        str | None,
        Field(
            title="Text to check",
            description="With a text, the question says what to look at. Without one, a model answers "
            "the question and its answer is checked.",
            json_schema_extra={"format": "text"},
        ),
    ] = None
    generator_model: Annotated[
        RoleModel | None,
        Field(title="Generator", description="Writes the answer to check, if you paste no text."),
    ] = None
    extractor_model: Annotated[RoleModel, Field(title="Extractor", description="Lists the claims to check.")]
    checker_models: Annotated[
        tuple[ModelId, ...],
        Count(1, 4, _CHECKERS, _CHECKERS),
        Field(
            title="Checkers",
            description="Each checks every claim alone. Include one that can search the web.",
        ),
    ]
    reporter_model: Annotated[
        RoleModel, Field(title="Reporter", description="Writes the report. By default, the extractor.")
    ]
    max_content_length: Annotated[
        int,
        Between("maxContentLength", 500, 50_000),
        Field(title="Longest text", description="In characters. Anything beyond is not checked."),
    ] = 20_000
    max_claims: Annotated[
        int,
        Between("maxClaims", 1, 60),
        Field(title="Maximum claims", description="The maximum number of claims."),
    ] = 30
    timeout_ms: Annotated[TimeoutMs, Between("timeoutMs", 30_000, 180_000)] = 120_000

    @model_validator(mode="after")
    def _has_something_to_check_and_enough_models(self) -> FactCheckConfig:
        if self.given_content is None and self.generator_model is None:
            raise problem("Either contentToCheck or generatorModel must be provided")
        filled = [self.generator is not None, True, self.reporter_model != self.extractor_model]
        if not 3 <= sum(filled) + len(self.checker_models) <= 6:
            raise problem("Fact-check mode requires 3 to 6 models across its roles")
        return self

    @property
    def given_content(self) -> str | None:
        """Blank counts as absent."""
        return self.content_to_check if (self.content_to_check or "").strip() else None

    @property
    def generator(self) -> str | None:
        """The generator if it is used."""
        return self.generator_model if self.given_content is None else None

    @property
    def second_extractor(self) -> str | None:
        """Who is asked where the extractor finds no claim: a checker, if one is another model."""
        others = (*self.checker_models, self.reporter_model, *filter(None, [self.generator]))
        return next((model for model in others if model != self.extractor_model), None)

    @property
    def bias(self) -> str | None:
        if self.generator is None or self.generator not in self.checker_models:
            return None
        return f"{self.generator} wrote the text and also checks it: its verdicts may be partial."


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    first = panel.special()
    others = tuple(model for model in panel.models if model != first)
    roles = {"extractorModel": first, "checkerModels": Panel((*others, first)).pick(3)}
    if not str(given.get("contentToCheck") or "").strip():
        roles["generatorModel"] = first
    return {**roles, "reporterModel": given.get("extractorModel", first)}
