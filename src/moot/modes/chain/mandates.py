"""Mandates: the one thing a step of a chain is asked to do with the text."""

from __future__ import annotations

from typing import NamedTuple


class Mandate(NamedTuple):
    """`display` is what people and later steps call it, `instruction` what its editor is told."""

    display: str
    instruction: str


MANDATES: dict[str, Mandate] = {
    "draft": Mandate("Draft", "Cover everything the request asks for. Breadth before finish."),
    "structure_depth": Mandate(
        "Structure & Depth",
        "Put the parts in the order a reader needs them, repair the heading levels, add parts that are "
        "missing, deepen those that only name a thing.",
    ),
    "accuracy_completeness": Mandate(
        "Accuracy & Completeness",
        "Test each claim, figure and example; correct what is wrong, mark what cannot be known, add the "
        "cases, limits and exceptions that are missing.",
    ),
    "polish_format": Mandate(
        "Polish & Format",
        "Tighten sentences, correct language, unify terms and formatting, smooth the joins. Change no "
        "meaning.",
    ),
    "security_review": Mandate(
        "Security Review",
        "Find what an attacker could use, flag risky patterns where they stand, add the countermeasure.",
    ),
    "cost_analysis": Mandate(
        "Cost Analysis",
        "Add what it costs to build and run, compare alternatives, name return and total cost of ownership "
        "with the assumptions behind each figure.",
    ),
    "accessibility": Mandate(
        "Accessibility",
        "Check against WCAG and plain inclusive language; add what a person with a disability needs.",
    ),
    "performance": Mandate(
        "Performance",
        "Name bottlenecks, add estimates or measurements with their basis, propose optimisations in order "
        "of effect.",
    ),
    "custom": Mandate("Custom", ""),
}
