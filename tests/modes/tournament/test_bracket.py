"""Brackets: the tables of the tournament, and laws that hold for every draw and every outcome."""

from __future__ import annotations

import hashlib
import random
from itertools import product

import pytest

from moot.modes.tournament.bracket import (
    draw_order,
    first_round,
    next_round,
    place_of_loser,
    places,
    rounds_needed,
    upper_is_shown_first,
)


@pytest.mark.parametrize(
    ("contestants", "rounds", "pairs"),
    [
        (2, 1, [(1, 2)]),
        (3, 2, [(1, None), (2, 3)]),
        (4, 2, [(1, 4), (2, 3)]),
        (5, 3, [(1, None), (4, 5), (2, None), (3, None)]),
        (6, 3, [(1, None), (4, 5), (2, None), (3, 6)]),
        (7, 3, [(1, None), (4, 5), (2, 7), (3, 6)]),
        (8, 3, [(1, 8), (4, 5), (2, 7), (3, 6)]),
    ],
)
def test_the_first_round_gives_byes_to_the_best_seeds(
    contestants: int, rounds: int, pairs: list[tuple[int, int | None]]
) -> None:
    assert rounds_needed(contestants) == rounds
    pairings = first_round(range(1, contestants + 1))
    assert [(pairing.upper, pairing.lower) for pairing in pairings] == pairs


def test_the_places_of_a_bracket_keep_the_best_apart() -> None:
    assert places(4) == [1, 4, 2, 3]
    assert places(8) == [1, 8, 4, 5, 2, 7, 3, 6]


@pytest.mark.parametrize(
    ("seed", "ids", "order"),
    [
        ("demo", "C1 C2 C3 C4 C5", "C4 C1 C2 C5 C3"),
        ("demo", "C2 C3 C4 C5", "C4 C2 C5 C3"),
        ("42", "C1 C2 C3 C4", "C2 C1 C4 C3"),
    ],
)
def test_a_draw_can_be_repeated_and_the_loss_of_one_reorders_no_other(
    seed: str, ids: str, order: str
) -> None:
    assert draw_order(ids.split(), seed) == order.split()


@pytest.mark.parametrize("contestants", [5, 6, 7])
def test_every_possible_outcome_takes_one_match_less_than_contestants(contestants: int) -> None:
    for outcomes in product((True, False), repeat=contestants - 1):
        assert play(contestants, list(outcomes)) == contestants - 1


def test_ten_thousand_random_brackets_keep_their_laws(dice: random.Random) -> None:
    for _ in range(10_000):
        contestants = dice.randint(2, 64)
        coins = [dice.random() < 0.5 for _ in range(contestants)]
        assert play(contestants, coins) == contestants - 1


def play(contestants: int, upper_wins: list[bool]) -> int:
    """Play a bracket by these outcomes and check it on the way; how many matches were decided."""
    coins = iter(upper_wins)
    rounds = rounds_needed(contestants)
    pairings = first_round(range(1, contestants + 1))
    ranks: dict[int, int] = {}
    matches = 0
    for number in range(1, rounds + 1):
        winners = []
        for pairing in pairings:
            if pairing.lower is None:
                assert number == 1, "a bye after the first round"
                winners.append(pairing.upper)
                continue
            matches += 1
            upper_won = next(coins)
            winners.append(pairing.upper if upper_won else pairing.lower)
            ranks[pairing.lower if upper_won else pairing.upper] = place_of_loser(number, rounds)
        byes = [pairing.upper for pairing in pairings if pairing.lower is None]
        assert sorted(byes) == list(range(1, len(byes) + 1)), "byes go to the best seeds"
        pairings = next_round(winners)
    assert not pairings
    [champion] = winners
    assert champion not in ranks
    assert set(ranks) | {champion} == set(range(1, contestants + 1)), "everybody ends somewhere"
    assert sorted(ranks.values())[0] == 2
    return matches


def test_a_single_order_is_drawn_from_the_seed() -> None:
    orders = [upper_is_shown_first("demo", 1, index) for index in range(64)]
    assert orders == [upper_is_shown_first("demo", 1, index) for index in range(64)]
    assert 16 < sum(orders) < 48


@pytest.mark.parametrize("round_number", [1, 2, 3])
def test_the_upper_one_is_shown_first_where_the_last_digit_is_even(round_number: int) -> None:
    for index in range(8):
        digest = hashlib.sha256(f"demo|r{round_number}m{index}".encode()).hexdigest()
        assert upper_is_shown_first("demo", round_number, index) == (digest[-1] in "02468ace")
