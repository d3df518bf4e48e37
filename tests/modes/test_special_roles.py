"""Who judges, plans or puts together where nobody has said: in a small panel the strongest."""

from __future__ import annotations

from typing import Any

import pytest

from moot.kernel.mode import Panel
from moot.kernel.panel_fields import roles
from moot.kernel.values import SEED_PANEL
from moot.modes import MODES
from moot.transport.catalogue import by_strength

SMALL = ("lab/qwen-1.5b", "lab/llama-70b", "lab/mistral-7b")
PANEL = Panel(SMALL, by_strength(SMALL))
OTHERS = {"attackerModel", "skepticModel", "judgeModel"}
"""Roles that are some other model's, or need not be the strongest's."""


def special_roles(mode: str) -> list[str]:
    own = OTHERS - ({"judgeModel"} if mode == "tournament" else set())
    return [name for name in roles(MODES[mode].config.model_json_schema()) if name not in own]


@pytest.mark.parametrize("mode", MODES)
def test_in_a_small_panel_every_special_role_is_the_strongest_models(mode: str) -> None:
    config = MODES[mode].defaults(PANEL, {"question": "?"})
    assert {role: config[role] for role in special_roles(mode)} == dict.fromkeys(
        special_roles(mode), "lab/llama-70b"
    )


@pytest.mark.parametrize("mode", MODES)
def test_defaults_of_a_small_panel_make_a_valid_config(mode: str) -> None:
    MODES[mode].config.model_validate(MODES[mode].defaults(PANEL, {"question": "?"}))


@pytest.mark.parametrize(
    ("mode", "role", "model"),
    [
        ("tournament", "judgeModel", "anthropic/claude-sonnet-4"),
        ("delphi", "facilitatorModel", "anthropic/claude-sonnet-4"),
        ("jury", "foremanModel", "perplexity/sonar-pro"),
        ("council", "chairmanModel", "anthropic/claude-opus-4-6"),
    ],
)
def test_in_the_full_panel_every_role_has_its_place(mode: str, role: str, model: str) -> None:
    assert MODES[mode].defaults(Panel(SEED_PANEL), {"question": "?"})[role] == model


@pytest.mark.parametrize(
    ("mode", "given"),
    [
        ("jury", {"foremanModel": "lab/mistral-7b"}),
        ("delphi", {"facilitatorModel": "lab/mistral-7b"}),
        ("tournament", {"judgeModel": "lab/mistral-7b"}),
    ],
)
def test_who_is_named_for_a_role_gets_it_and_the_others_take_the_seats(
    mode: str, given: dict[str, Any]
) -> None:
    config = {**MODES[mode].defaults(PANEL, {"question": "?", **given}), **given}
    assert "lab/llama-70b" in next(value for name, value in config.items() if name.endswith("Models"))
    MODES[mode].config.model_validate(config)
