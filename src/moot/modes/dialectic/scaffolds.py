"""Scaffolds: reasoning templates that an answer is built on, and how near one is to a question.

    Scaffold 1: Weighted comparison (id weighted-comparison, similarity 0.72)
    Use when: Choosing between two or more named options on several criteria.
    1. Fix the use case and the options, include doing nothing
    …
    Check: weights fixed before scores; …

The library of 42 and the general scaffold lie in `templates/reasoning.json`; people add their own.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated, NamedTuple

import orjson
from pydantic import AfterValidator, Field, model_validator

from moot.kernel.mode import Count, problem
from moot.kernel.retriever import Scaffold
from moot.kernel.values import Wire

MINIMUM = 0.65
"""The similarity that `floor`, an embedder's cosine for "about the same", is put at."""
LARGEST_BYTES = 8192


def _line(value: str) -> str:
    line = " ".join(value.split())
    if not line:
        raise problem("A template has no empty lines")
    if any(ord(sign) < 32 for sign in line) or "<<<" in line or ">>>" in line:
        raise problem(f"{line[:40]!r} has signs that a template may not have")
    return line


Line = Annotated[str, AfterValidator(_line)]


def _length(name: str, fewest: int, most: int) -> AfterValidator:
    def check(value: str) -> str:
        if not fewest <= len(value) <= most:
            raise problem(f"{name} must have {fewest} to {most} characters")
        return value

    return AfterValidator(check)


class ScaffoldText(Wire):
    """What a person writes of a template."""

    name: Annotated[Line, _length("name", 3, 80), Field(description="What the way of reasoning is called.")]
    when_to_use: Annotated[
        Line, _length("whenToUse", 20, 500), Field(description="For which questions it is made.")
    ]
    steps: Annotated[
        tuple[Line, ...],
        Count(3, 10, "A template needs at least 3 steps", "A template has at most 10 steps"),
        Field(description="What to do, in order."),
    ]
    checks: Annotated[
        tuple[Line, ...],
        Count(0, 10, "", "A template has at most 10 checks"),
        Field(description="What must hold at the end."),
    ] = ()
    example_questions: Annotated[
        tuple[Line, ...],
        Count(
            2,
            8,
            "A template needs at least 2 example questions",
            "A template has at most 8 example questions",
        ),
        Field(description="Questions it fits; they are what it is found by."),
    ]

    @model_validator(mode="after")
    def _is_small(self) -> ScaffoldText:
        if len(self.model_dump_json().encode()) > LARGEST_BYTES:
            raise problem("A template must not exceed 8 KB")
        return self


class Library(NamedTuple):
    scaffolds: tuple[Scaffold, ...]
    general: Scaffold


@cache
def library() -> Library:
    document = orjson.loads(files("moot").joinpath("templates/reasoning.json").read_bytes())
    return Library(
        tuple(Scaffold.model_validate(entry) for entry in document["templates"]),
        Scaffold.model_validate(document["fallback"]),
    )


@cache
def shipped_vectors(embedder: str) -> Mapping[str, bytes]:
    """The library's vectors by an embedder, each under the digest of its texts; written by
    `make template-vectors`. Only the built-in one's come with moot."""
    document = orjson.loads(files("moot").joinpath("templates/vectors.json").read_bytes())
    if document["embedder"] != embedder:
        return {}
    return {digest: b64decode(vector) for digest, vector in document["vectors"].items()}


@cache
def probes() -> tuple[str, ...]:
    """Fixed texts that no template is meant for."""
    document = orjson.loads(files("moot").joinpath("templates/questions.json").read_bytes())
    return tuple(document["offTopic"])


def similarity(cosine: float, floor: float) -> float:
    """A cosine on the scale on which 0.65 means: about the same. With a floor of 0.30, (1 + cos) / 2.

    >>> similarity(0.30, 0.30), similarity(1.0, 0.5), similarity(-1.0, 0.5)
    (0.65, 1.0, 0.0)
    """
    if cosine >= floor:
        return MINIMUM + (1 - MINIMUM) * (cosine - floor) / (1 - floor)
    return MINIMUM * (cosine + 1) / (floor + 1)
