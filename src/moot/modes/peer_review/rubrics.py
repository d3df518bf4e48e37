"""Rubrics: the weighted criteria a work is reviewed by, built in or the requester's own.

code_review    Correctness 5 · Readability 4 · Security 5 · Performance 3 · Test Coverage 4 · Error Handling 4
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from moot.deliberation.text import name_key
from moot.kernel.mode import problem
from moot.kernel.values import Wire

ReviewType = Literal[
    "architecture_review",
    "code_review",
    "design_spec_review",
    "compliance_audit",
    "business_plan_review",
    "custom",
]
OTHER = "Other"
"""The category of a finding that names no criterion; it weighs nothing."""


class Criterion(Wire):
    name: Annotated[str, Field(title="Criterion", description="Two characters or more.")]
    description: Annotated[str, Field(title="What it asks for", description="Ten characters or more.")]
    weight: Annotated[
        float,
        Field(
            title="Weight",
            description="How much it counts, 1 to 5.",
            json_schema_extra={"minimum": 1, "maximum": 5},
        ),
    ]

    @field_validator("name")
    @classmethod
    def _is_named(cls, name: str) -> str:
        name = " ".join(name.split())
        if len(name) < 2 or not name_key(name):
            raise problem("Criterion name needs at least 2 characters")
        return name

    @field_validator("description")
    @classmethod
    def _is_described(cls, description: str) -> str:
        description = " ".join(description.split())
        if len(description) < 10:
            raise problem("Criterion description needs at least 10 characters")
        return description

    @field_validator("weight")
    @classmethod
    def _is_weighed(cls, weight: float) -> float:
        if not 1 <= weight <= 5:
            raise problem("Criterion weight must lie in 1 to 5")
        return weight


class Rubric(Wire):
    name: Annotated[str, Field(title="Kind of review", description="Three characters or more.")]
    description: Annotated[str, Field(title="What it looks at", description="Ten characters or more.")]
    criteria: Annotated[
        tuple[Criterion, ...],
        Field(
            title="Criteria",
            description="Three to ten, each with a weight.",
            json_schema_extra={"minItems": 3, "maxItems": 10},
        ),
    ]

    @field_validator("name")
    @classmethod
    def _is_named(cls, name: str) -> str:
        if len(name.strip()) < 3:
            raise problem("Rubric name needs at least 3 characters")
        return " ".join(name.split())

    @field_validator("description")
    @classmethod
    def _is_described(cls, description: str) -> str:
        if len(description.strip()) < 10:
            raise problem("Rubric description needs at least 10 characters")
        return description.strip()

    @model_validator(mode="after")
    def _criteria_are_few_and_distinct(self) -> Self:
        if not 3 <= len(self.criteria) <= 10:
            raise problem("A custom rubric needs 3 to 10 criteria")
        names = set()
        for criterion in self.criteria:
            if name_key(criterion.name) in names:
                raise problem(f"Criterion {criterion.name} occurs twice")
            names.add(name_key(criterion.name))
        return self

    @property
    def names(self) -> list[str]:
        return [criterion.name for criterion in self.criteria]

    @property
    def weights(self) -> dict[str, float]:
        return {criterion.name: criterion.weight for criterion in self.criteria}


def _rubric(name: str, description: str, *criteria: tuple[str, int, str]) -> Rubric:
    return Rubric(
        name=name,
        description=description,
        criteria=tuple(
            Criterion(name=criterion, description=asks_for, weight=weight)
            for criterion, weight, asks_for in criteria
        ),
    )


RUBRICS: dict[ReviewType, Rubric] = {
    "architecture_review": _rubric(
        "Architecture Review",
        "How a system is built and what will become of it.",
        ("Scalability", 5, "grows without redesign"),
        ("Security", 5, "threats, data, identity"),
        ("Maintainability", 4, "easy to change"),
        ("Cost Efficiency", 3, "resources for the money"),
        ("Reliability", 4, "survives faults, keeps data"),
        ("Performance", 3, "speed under load"),
    ),
    "code_review": _rubric(
        "Code Review",
        "Code as it stands: what it does and how it reads.",
        ("Correctness", 5, "right results, edge cases"),
        ("Readability", 4, "names, structure"),
        ("Security", 5, "input, secrets, injection"),
        ("Performance", 3, "algorithms, hot paths"),
        ("Test Coverage", 4, "behaviour and errors tested"),
        ("Error Handling", 4, "no silent failure"),
    ),
    "design_spec_review": _rubric(
        "Design Specification Review",
        "A specification before it is built.",
        ("Completeness", 5, "nothing needed is absent"),
        ("Feasibility", 4, "can be built with the means at hand"),
        ("User Impact", 4, "people considered"),
        ("Technical Accuracy", 5, "claims hold"),
        ("Risk Assessment", 3, "risks named and met"),
    ),
    "compliance_audit": _rubric(
        "Compliance Audit",
        "Whether rules are met, and whether that is shown.",
        ("Regulatory Coverage", 5, "all rules addressed"),
        ("Gap Identification", 5, "gaps named with reference"),
        ("Evidence Quality", 4, "proof stands up"),
        ("Control Effectiveness", 4, "controls do work"),
    ),
    "business_plan_review": _rubric(
        "Business Plan Review",
        "A plan to earn money, and what it rests on.",
        ("Market Analysis", 4, "size, rivals"),
        ("Financial Viability", 5, "figures, unit economics"),
        ("Competitive Advantage", 4, "lasting difference"),
        ("Risk Assessment", 4, "risks and answers"),
        ("Execution Plan", 3, "dates, people, milestones"),
    ),
}
