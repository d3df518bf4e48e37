"""Roles: the profession through whose eyes a specialist reads a submission.

    Specialist(role_id="cost_analyst", model="openai/o3")
    Specialist(role_id="custom", model="openai/o3", custom_role=CustomRole(title="C++ / Rust", …))

The roles that have a name of their own stand in roles.toml. A custom role is known by its title:
`custom_c_rust`.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated

from pydantic import Field, model_validator

from moot.deliberation.text import name_key
from moot.kernel.mode import ModelName, problem
from moot.kernel.values import Maybe, Wire

LONGEST_SLUG = 48
LONGEST_ENTRY = 200
LONGEST_DESCRIPTION = 2000


@dataclass(frozen=True)
class Role:
    id: str
    title: str
    expertise_areas: str
    description: str
    priorities: tuple[str, ...]
    criteria: tuple[str, ...]


def _built_in() -> dict[str, Role]:
    table = tomllib.loads(files("moot.modes.specialist_panel").joinpath("roles.toml").read_text("utf-8"))
    return {
        id: Role(
            id=id,
            title=entry["title"],
            expertise_areas=", ".join(entry["criteria"]),
            description=entry["description"],
            priorities=tuple(entry["priorities"]),
            criteria=tuple(entry["criteria"]),
        )
        for id, entry in table.items()
    }


ROLES = _built_in()


class CustomRole(Wire):
    """A role in the requester's own words."""

    title: Annotated[str, Field(title="Title", description="What the expert is called, 3 to 80 characters.")]
    expertise_areas: Annotated[str, Field(title="Field", description="What the expert knows about.")]
    description: Annotated[
        str, Field(title="Lens", description="How the expert looks at a submission, 20 characters or more.")
    ]
    priorities: Annotated[
        tuple[str, ...],
        Field(
            title="Priorities",
            description="What counts, most important first: 3 to 8 entries.",
            json_schema_extra={"minItems": 3, "maxItems": 8},
        ),
    ]
    criteria: Annotated[
        tuple[str, ...],
        Field(
            title="Criteria",
            description="What the expert rates from 1 to 5: 3 to 8 different entries.",
            json_schema_extra={"minItems": 3, "maxItems": 8},
        ),
    ]

    @model_validator(mode="after")
    def _says_enough(self) -> CustomRole:
        for text, name, least, most in (
            (self.title, "title needs", 3, 80),
            (self.expertise_areas, "expertise areas need", 10, LONGEST_DESCRIPTION),
            (self.description, "description needs", 20, LONGEST_DESCRIPTION),
        ):
            if len(text.strip()) < least:
                raise problem(f"Role {name} at least {least} characters")
            if len(text) > most:
                raise problem(f"Role {name} at most {most} characters")
        if not _fits(self.priorities, 5):
            raise problem("A custom role needs 3 to 8 priorities")
        if not _fits(self.criteria, 3) or len({*map(name_key, self.criteria)}) < len(self.criteria):
            raise problem("A custom role needs 3 to 8 different criteria")
        return self

    def role(self, seat: int) -> Role:
        return Role(
            id=custom_id(self.title, seat),
            title=_one_line(self.title),
            expertise_areas=_one_line(self.expertise_areas),
            description=self.description.strip(),
            priorities=tuple(map(_one_line, self.priorities)),
            criteria=tuple(map(_one_line, self.criteria)),
        )


def _fits(entries: tuple[str, ...], least: int) -> bool:
    return 3 <= len(entries) <= 8 and all(least <= len(one.strip()) <= LONGEST_ENTRY for one in entries)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def custom_id(title: str, seat: int) -> str:
    folded = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "_", folded).strip("_")[:LONGEST_SLUG].rstrip("_")
    return f"custom_{slug or f'role_{seat}'}"


class Specialist(Wire):
    """A model and the role it is given."""

    role_id: Annotated[
        str,
        Field(
            title="Role",
            description="A built-in role, or `custom` with a customRole.",
            json_schema_extra={"enum": [*ROLES, "custom"]},
        ),
    ]
    model: Annotated[
        str, ModelName(may_be_blank=True), Field(title="Model", description="Who takes the role.")
    ] = ""
    custom_role: Annotated[
        Maybe[CustomRole], Field(title="Custom role", description="Only with the role `custom`.")
    ]

    @model_validator(mode="after")
    def _is_known(self) -> Specialist:
        if self.role_id not in ROLES and self.role_id != "custom":
            raise problem(f"Unknown specialist role: {self.role_id}")
        if self.role_id == "custom" and self.custom_role is None:
            raise problem("roleId 'custom' needs a customRole")
        if self.role_id != "custom" and self.custom_role is not None:
            raise problem("customRole is only allowed with roleId 'custom'")
        return self

    def role(self, seat: int) -> Role:
        return self.custom_role.role(seat) if self.custom_role else ROLES[self.role_id]


@dataclass(frozen=True)
class Expert:
    """A specialist in its seat."""

    seat: int
    role: Role
    model: str


def seat_experts(specialists: Sequence[Specialist]) -> list[Expert]:
    return [
        Expert(seat, specialist.role(seat), specialist.model.strip())
        for seat, specialist in enumerate(specialists, 1)
    ]
