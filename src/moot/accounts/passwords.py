"""Passwords: argon2, away from the event loop and a few at a time, for each takes 64 MB and a while.

An account that is not there costs the same as a wrong password.
"""

from __future__ import annotations

import asyncio
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from moot.kernel.errors import Rejected

SHORTEST, LONGEST = 10, 200
AT_ONCE = 2
_hasher = PasswordHasher()
_threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="password")


def check_password(password: str, field: str = "password") -> None:
    """Raises Rejected for one that may not be chosen."""
    if len(password) < SHORTEST:
        message = f"Choose a password of at least {SHORTEST} characters"
    elif len(password) > LONGEST:
        message = f"Choose a password of at most {LONGEST} characters"
    else:
        return
    raise Rejected(message, ((field, message),))


async def hash_password(password: str) -> str:
    return await asyncio.get_running_loop().run_in_executor(_threads, _hasher.hash, _normal(password))


async def is_password(password: str, stored: str | None) -> bool:
    """Whether it is the one; with nothing stored it takes as long to say no."""
    return await asyncio.get_running_loop().run_in_executor(_threads, _verify, password, stored)


def is_outdated(stored: str) -> bool:
    """Whether the hash was made with weaker parameters than today's."""
    return _hasher.check_needs_rehash(stored)


def _verify(password: str, stored: str | None) -> bool:
    try:
        fits = _hasher.verify(stored or _nobodys(), _normal(password)[: LONGEST * 4])
    except (VerificationError, InvalidHashError):
        return False
    return fits and stored is not None


@cache
def _nobodys() -> str:
    return _hasher.hash("nobody has this password")


def _normal(password: str) -> bytes:
    """The same keys pressed on two machines give the same bytes."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
