"""Dice that always fall the same way: chance in the simulator is a function of what it is asked.

>>> dice("ada", "tabs or spaces").random() == dice("ada", "tabs or spaces").random()
True
"""

from __future__ import annotations

from random import Random

Dice = Random


def dice(*parts: object) -> Dice:
    return Random("\x1f".join(map(str, parts)))
