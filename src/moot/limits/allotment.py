"""A person's limits with what is used of each; and what an administrator may change about them.

(await read_allotment(engine, "ann")).limits[0]
LimitView(name="requestsPerMinute", limit=3, used=1, left=2, resets_at=None)
"""

from __future__ import annotations

from typing import Any

from moot.kernel.clock import iso, now_ms
from moot.kernel.engine import Engine
from moot.kernel.errors import Rejected
from moot.kernel.limits import STRICT, LimitName, Limits, resets_at
from moot.kernel.values import Maybe, Wire
from moot.store import spending


class LimitView(Wire):
    """One limit. `limit` and `left` are null where there is none. `used`: questions, runs in progress, or
    dollars, with those that running questions have reserved. `resetsAt`: when dollars are counted afresh."""

    name: LimitName
    limit: float | None
    used: float
    left: float | None
    resets_at: str | None


class Allotment(Wire):
    """`own`: an administrator has set limits for this person; what is not among them is the server's."""

    person: str
    limits: list[LimitView]
    own: dict[str, float | None]


class LimitChange(Limits):
    """What is to change: a limit that is missing stays, null is no limit. `preset`: begin with `strict`, or
    with `default`, the server's own limits."""

    preset: Maybe[str]


async def read_allotment(engine: Engine, user: str) -> Allotment:
    limits = await engine.limits.of(user)
    now = now_ms()
    usage, own = await engine.store.read(
        lambda db: (spending.usage(db, user, now), spending.limits_of(db, user) or {})
    )
    used = usage.by_name
    views = []
    for name, limit in limits.by_name.items():
        resets = resets_at(name, now)
        views.append(
            LimitView(
                name=name,
                limit=limit,
                used=used[name],
                left=None if limit is None else max(0.0, limit - used[name]),
                resets_at=None if resets is None else iso(resets),
            )
        )
    return Allotment(person=user, limits=views, own=own)


async def change_limits(engine: Engine, user: str, change: LimitChange) -> Allotment:
    """Set a person's limits; they count from the next question on. Raises Rejected for an unknown preset."""
    if change.preset not in (None, "strict", "default"):
        message = f"There is no preset {change.preset!r}: use strict or default"
        raise Rejected(message, (("preset", message),))
    begin: dict[str, Any] | None = None
    if change.preset is not None:
        begin = STRICT.model_dump(exclude_none=True) if change.preset == "strict" else {}
    changed = change.model_dump(exclude_unset=True, exclude={"preset"})

    def write(db: Any) -> None:
        old = spending.limits_of(db, user) or {}
        spending.keep_limits(db, user, {**(old if begin is None else begin), **changed}, now_ms())

    await engine.store.change(write)
    engine.limits.forget(user)
    return await read_allotment(engine, user)
