"""A jury's options: the work and its task, the jurors and their foreman, and what a request may leave out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, field_validator, model_validator

from moot.kernel.mode import Count, ModeConfig, ModelId, ModelName, Panel, problem


class JuryConfig(ModeConfig):
    content: Annotated[
        str | None,
        Field(
            title="Text to judge",
            description="The finished text. Without it, the question itself is judged; with it, the question "
            "tells the jurors what to watch for.",
            json_schema_extra={"format": "text"},
        ),
    ] = None
    original_question: Annotated[
        str | None,
        Field(
            title="Original task",
            description="What the text was written for. Without it, the text's own aim counts.",
            json_schema_extra={"format": "text"},
        ),
    ] = None
    juror_models: Annotated[
        tuple[ModelId, ...],
        Count(3, 6, "Jury mode requires at least 3 juror models", "Maximum 6 juror models allowed"),
        Field(
            title="Jurors", description="Each juror judges alone and votes. A model may hold several seats."
        ),
    ]
    foreman_model: Annotated[
        str,
        ModelName("Foreman model is required"),
        Field(title="Foreman", description="Writes the report and does not vote. Must not be a juror."),
    ]

    def work(self, question: str) -> str:
        """The text under judgement: the question itself, unless a content is given."""
        return question if self.content is None else self.content

    @property
    def task(self) -> str | None:
        """What the work was written for, if the request says so."""
        return (self.original_question or "").strip() or None

    @field_validator("content")
    @classmethod
    def _is_something(cls, content: str | None) -> str | None:
        if content is not None and not content.strip():
            raise problem("Content to evaluate is required")
        return content

    @model_validator(mode="after")
    def _foreman_is_no_juror(self) -> Self:
        if self.foreman_model in self.juror_models:
            raise problem("Foreman model must not be one of the juror models")
        return self


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """In a small panel the strongest model is left to be the foreman."""
    chief = panel.special(3, given.get("foremanModel"))
    jurors = given.get("jurorModels", panel.without(chief).pick(3))
    taken = [juror for juror in jurors if isinstance(juror, str)] if isinstance(jurors, list | tuple) else []
    return {"jurorModels": jurors, "foremanModel": panel.other_than(taken, panel.models.index(chief))}
