"""Mandates: the one thing a step of a chain is asked to do with the text."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from moot.kernel.mode import ModelName, problem
from moot.kernel.values import Maybe, Wire

MANDATES = {
    "draft": ("Draft", "Cover everything the request asks for. Breadth before finish."),
    "structure_depth": (
        "Structure & Depth",
        "Put the parts in the order a reader needs them, repair the heading levels, add parts that are "
        "missing, deepen those that only name a thing.",
    ),
    "accuracy_completeness": (
        "Accuracy & Completeness",
        "Test each claim, figure and example; correct what is wrong, mark what cannot be known, add the "
        "cases, limits and exceptions that are missing.",
    ),
    "polish_format": (
        "Polish & Format",
        "Tighten sentences, correct language, unify terms and formatting, smooth the joins. Change no meaning.",
    ),
    "security_review": (
        "Security Review",
        "Find what an attacker could use, flag risky patterns where they stand, add the countermeasure.",
    ),
    "cost_analysis": (
        "Cost Analysis",
        "Add what it costs to build and run, compare alternatives, name return and total cost of ownership "
        "with the assumptions behind each figure.",
    ),
    "accessibility": (
        "Accessibility",
        "Check against WCAG and plain inclusive language; add what a person with a disability needs.",
    ),
    "performance": (
        "Performance",
        "Name bottlenecks, add estimates or measurements with their basis, propose optimisations in order "
        "of effect.",
    ),
    "custom": ("Custom", ""),
}


class ChainStep(Wire):
    """One pair of hands."""

    model: Annotated[str, ModelName("Model is required"), Field(description="Who works on the text.")] = ""
    mandate: Annotated[
        str, Field(json_schema_extra={"enum": list(MANDATES)}, description="The one thing this step does.")
    ] = ""
    custom_mandate: Annotated[
        Maybe[str], Field(description="Your own words for the mandate `custom`, at most 2000 characters.")
    ]

    @model_validator(mode="after")
    def _known(self) -> ChainStep:
        if not self.model.strip():
            raise problem("Model is required")
        if not self.mandate.strip():
            raise problem("Mandate is required")
        if self.mandate not in MANDATES:
            raise problem(f"Unknown mandate: {self.mandate}")
        if self.mandate == "custom" and not (self.custom_mandate or "").strip():
            raise problem("customMandate is required when mandate is 'custom'")
        if len(self.custom_mandate or "") > 2000:
            raise problem("customMandate may have at most 2000 characters")
        return self

    @property
    def display(self) -> str:
        text = (self.custom_mandate or "").strip()
        return " ".join(text.split())[:40] if self.mandate == "custom" else MANDATES[self.mandate][0]

    @property
    def instruction(self) -> str:
        return (self.custom_mandate or "").strip() if self.mandate == "custom" else MANDATES[self.mandate][1]
