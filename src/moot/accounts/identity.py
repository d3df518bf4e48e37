"""Identity: who is asking, and how the server knows.

A person who sits at this machine, has signed in, or is named by a trusted proxy may do all that is theirs. A
token may do what its scopes say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from moot.kernel.user import LOCAL_USER
from moot.settings import Settings
from moot.store.personal import DELETED

Scope = Literal["read", "ask", "admin"]
"""What a token may do: read what is its person's; ask, and change what is theirs; administer, if they may."""
SCOPES: tuple[Scope, ...] = ("read", "ask", "admin")
Via = Literal["local", "proxy", "session", "token"]
NOBODYS_NAMES = frozenset({LOCAL_USER, DELETED})
"""Under which the command line asks, and under which the spending of deleted people is kept."""


@dataclass(frozen=True, slots=True)
class Identity:
    """`id` owns the runs, conversations, presets, templates and traces; `name` is what people see."""

    id: str
    name: str
    administrator: bool
    via: Via
    scopes: frozenset[Scope] = frozenset(SCOPES)

    @classmethod
    def local(cls) -> Identity:
        """Whoever is at this machine. The database is theirs, so they may do everything."""
        return cls(LOCAL_USER, LOCAL_USER, administrator=True, via="local")

    @classmethod
    def from_proxy(cls, name: str, settings: Settings) -> Identity:
        return cls(name, name, administrator=name in settings.administrators, via="proxy")
