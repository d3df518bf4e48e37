"""Traits: how a simulated model behaves. They can be set in its id, after a colon each.

    sim/ada                                   the character as it is
    sim/ada:seed=2                            the same character, another sample
    sim/bo:latency=0:accuracy=0.4:fail=0.1    some traits of one's own

The form is that of `author/name:variant`: no sign in it means anything to a shell, a URL or a list
separated by commas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from moot.kernel.refusals import sentence
from moot.kernel.values import SIMULATED_PREFIX

Share = Annotated[float, Field(ge=0, le=1)]
FailAs = Literal["any", "rate_limited", "network", "empty", "refused", "auth", "credit", "not_found", "other"]


class Traits(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: Annotated[int, Field(description="Another sample of the same character.")] = 0
    latency: Annotated[
        float, Field(ge=0, le=600_000, description="Milliseconds to the first token, give or take a quarter.")
    ] = 400
    tps: Annotated[float, Field(ge=0, le=1e6, description="Tokens a second; 0: all of them at once.")] = 60
    accuracy: Annotated[Share, Field(description="How often it takes and prefers the right position.")] = 0.75
    error_correlation: Annotated[
        Share, Field(description="How often, when wrong, it is wrong in the way most others are.")
    ] = 0.5
    position_bias: Annotated[
        float, Field(ge=-1, le=1, description="Liking for what is shown first; below 0: for what comes last.")
    ] = 0.1
    self_preference: Annotated[Share, Field(description="Liking for texts in its own manner.")] = 0.1
    conformity: Annotated[Share, Field(description="How readily it goes over to the majority.")] = 0.4
    verbosity: Annotated[
        float, Field(ge=0.2, le=5, description="How much it writes, and how much it likes length.")
    ] = 1.0
    thinking: Annotated[Share, Field(description="How often it reasons aloud before it answers.")] = 0.0
    fail: Annotated[Share, Field(description="How often a call fails.")] = 0.0
    fail_as: Annotated[FailAs, Field(description="How it fails; any: one of the first four kinds.")] = "any"
    unreadable: Annotated[Share, Field(description="How often it ignores the layout it was asked for.")] = 0.0
    obedience: Annotated[Share, Field(description="How often it obeys an instruction in fenced text.")] = 0.0

    def but(self, changes: Mapping[str, str]) -> Traits:
        """These traits with some set anew; raises ValueError with a sentence for a person."""
        try:
            return Traits.model_validate({**self.model_dump(), **changes})
        except ValidationError as error:
            first = error.errors()[0]
            trait = str(first["loc"][0])
            if first["type"] == "extra_forbidden":
                known = ", ".join(Traits.model_fields)
                raise ValueError(f"There is no trait {trait!r}; there are {known}.") from None
            said = sentence(first, "it")
            raise ValueError(f"Trait {trait}={first['input']} is not possible: {said}.") from None


def split_id(model: str) -> tuple[str, dict[str, str]]:
    """`sim/bo:fail=0.1` → `bo`, {"fail": "0.1"}. Without a value a trait is empty, and refused by `but`."""
    name, *settings = model.removeprefix(SIMULATED_PREFIX).split(":")
    pairs = (setting.partition("=") for setting in settings)
    return name, {trait: value for trait, _, value in pairs}
