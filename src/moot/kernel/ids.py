"""The id of a run, a conversation or a message: a UUID of version 7, as 32 hexadecimal digits.

It begins with the moment it was made. What belongs to runs of the same time so stands together in every table
and index: a commit touches a few pages of the database, however many runs are in it, and not one for each id.
"""

from __future__ import annotations

import os

from moot.kernel.clock import now_ms


def new_id() -> str:
    chance = int.from_bytes(os.urandom(10), "big")
    head, tail = chance >> 62 & 0xFFF, chance & (1 << 62) - 1
    return f"{now_ms() << 80 | 7 << 76 | head << 64 | 2 << 62 | tail:032x}"
