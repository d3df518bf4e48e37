"""Options of a peer review: the rubric, who reviews, who consolidates, and what a request may leave out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self, get_args

from pydantic import Field, field_validator, model_validator

from moot.kernel.mode import Between, Count, ModeConfig, ModelId, ModelName, Panel, TimeoutMs, problem
from moot.modes.peer_review.rubrics import RUBRICS, ReviewType, Rubric


class PeerReviewConfig(ModeConfig):
    review_type: Annotated[
        ReviewType,
        Field(title="Kind of review", description="Decides which rubric is used."),
    ] = "architecture_review"
    reviewer_models: Annotated[
        tuple[ModelId, ...],
        Count(2, 6, "Peer Review mode requires at least 2 reviewers", "Maximum 6 reviewers allowed"),
        Field(title="Reviewers", description="Each reviews alone. A model may hold several seats."),
    ]
    consolidator_model: Annotated[
        str,
        ModelName("Consolidator model is required"),
        Field(
            title="Consolidator",
            description="Merges the findings and writes the action items. May also be a reviewer.",
        ),
    ]
    custom_rubric: Annotated[
        Rubric | None,
        Field(title="Your rubric", description="The criteria for a custom review."),
    ] = None
    timeout_ms: Annotated[TimeoutMs, Between("timeoutMs", 30_000, 600_000)] = 120_000

    @field_validator("review_type", mode="before")
    @classmethod
    def _is_known(cls, review_type: Any) -> Any:
        if isinstance(review_type, str) and review_type not in get_args(ReviewType):
            raise problem(f"Invalid review type: {review_type}")
        return review_type

    @model_validator(mode="after")
    def _rubric_fits_the_type(self) -> Self:
        if self.review_type == "custom" and self.custom_rubric is None:
            raise problem("reviewType 'custom' needs a customRubric")
        if self.review_type != "custom" and self.custom_rubric is not None:
            raise problem("customRubric is only for reviewType 'custom'")
        return self

    @property
    def rubric(self) -> Rubric:
        return self.custom_rubric or RUBRICS[self.review_type]


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"reviewerModels": panel.pick(3), "consolidatorModel": panel.special()}
