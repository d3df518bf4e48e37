"""What every door says of a mode before it is asked."""

from __future__ import annotations

import pytest

from moot.modes import MODES

ABOUT = [
    ("council", "evaluation", (3, 7), True, True, 120),
    ("vote", "evaluation", (3, 7), True, True, 90),
    ("jury", "evaluation", (4, 7), True, False, 90),
    ("debate", "evaluation", (3, 6), False, False, 180),
    ("delphi", "evaluation", (4, 8), True, False, 300),
    ("red_team", "adversarial", (2, 3), False, False, 180),
    ("chain", "sequential", (2, 6), False, False, 240),
    ("specialist_panel", "role_based", (3, 7), True, False, 150),
    ("blueprint", "role_based", (2, 8), False, False, 300),
    ("peer_review", "role_based", (3, 7), True, False, 150),
    ("tournament", "algorithmic", (5, 9), True, False, 180),
    ("confidence_weighted", "algorithmic", (2, 6), False, True, 90),
    ("decompose", "algorithmic", (2, 6), False, False, 180),
    ("brainstorm", "creative", (3, 6), False, False, 180),
    ("fact_check", "verification", (3, 6), False, False, 180),
    ("dialectic", "adversarial", (2, 4), True, False, 300),
]


@pytest.mark.parametrize(("id", "family", "models", "special_role", "multi_turn", "seconds"), ABOUT)
def test_a_mode_says_what_it_is(
    id: str, family: str, models: tuple[int, int], special_role: bool, multi_turn: bool, seconds: int
) -> None:
    entry = MODES[id].entry
    assert (entry.id, entry.family, (entry.min_models, entry.max_models)) == (id, family, models)
    assert (entry.requires_special_role, entry.supports_multi_turn) == (special_role, multi_turn)
    assert entry.estimated_duration_ms == seconds * 1000


def test_every_mode_has_a_row_here() -> None:
    assert [row[0] for row in ABOUT] == list(MODES)
