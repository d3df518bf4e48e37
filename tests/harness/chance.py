"""Chance in tests: always the same under `make test`, drawn anew under `make fuzz`.

    @examples(60)                     # hypothesis: 60 examples, ten times as many under fuzz
    @given(…)

    def test_laws(dice: random.Random) -> None: …       # the fixture of conftest.py

Whatever fuzz finds becomes an `@example` of its test.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

USUAL = 100
"""Examples of a property that says nothing else."""
TIMES = 10
"""So many times as many under fuzz."""
# How long it takes to draw an example depends on who else uses the machine; a store is made once per test, and
# each example has a person of its own in it.
_UNCHECKED = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)

settings.register_profile(
    "steady",
    max_examples=USUAL,
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=_UNCHECKED,
)
settings.register_profile(
    "fuzz", settings.get_profile("steady"), max_examples=TIMES * USUAL, derandomize=False
)
settings.load_profile("steady")


def draw_anew() -> None:
    """From here on, as fuzz does."""
    settings.load_profile("fuzz")


def examples(count: int) -> settings:
    """So many, where the usual hundred are too many or too few."""
    return settings(max_examples=count * settings().max_examples // USUAL)
