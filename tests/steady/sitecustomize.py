"""Python runs this first in every process that a test starts: run seeds are drawn from the test's own.

So letters are dealt and nonces drawn there as they were the last time, and simulated models say the same.
"""

from __future__ import annotations

import os
import random
import secrets

if "MOOT_TEST_SEED" in os.environ:
    dice = random.Random(os.environ["MOOT_TEST_SEED"])
    secrets.token_hex = lambda nbytes=None: dice.randbytes(nbytes or 32).hex()
