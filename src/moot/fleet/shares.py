"""A provider's limit, dealt out to the processes that call it: all shares together never exceed it.

    limit 10, four workers with much to do     3 3 2 2, and the odd ones go round
    one of them has nothing to do              3 4 3 0
    one is killed                              its share lapses; the others have it a beat later

Every process renews its shares with its heartbeat, by the database's clock, one process at a time. It takes
no more than is free. What it is to give back it first leaves unused, as calls end, and gives back at the next
beat: so nobody is given what another may just be about to use. Who cannot renew in time uses none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, delete, select, text

from moot.fleet.queries import clock
from moot.store.tables import provider_pauses, provider_shares
from moot.store.upsert import upsert
from moot.transport.quotas import Use

ROUND_MS = 5_000
"""How often the odd ones go round, so that with fewer places than processes everyone gets one."""
_LOCK = text("SELECT pg_advisory_xact_lock(1836019572, 1)")  # "moot", and the first thing so guarded


class Held(NamedTuple):
    owner: str
    share: int
    demand: int


def deal(limit: int, demands: Mapping[str, int], turn: int = 0) -> dict[str, int]:
    """Who gets how many: one after the other what they want, then one after the other what is left."""
    shares = dict.fromkeys(demands, 0)
    names = sorted(demands)
    order = names[turn % len(names) :] + names[: turn % len(names)] if names else []
    left = limit
    while left > 0 and (hungry := [name for name in order if shares[name] < demands[name]]):
        for name in hungry[:left]:
            shares[name] += 1
        left -= min(left, len(hungry))
    each, odd = divmod(left, len(order)) if order else (0, 0)
    for place, name in enumerate(order):
        shares[name] += each + (place < odd)
    return shares


def renew(
    connection: Connection,
    owner: str,
    limits: Mapping[str, int],
    uses: Mapping[str, Use],
    is_dead: Callable[[str], bool],
    seconds: float,
) -> dict[str, int]:
    """How many calls at once this process may make to each provider from now on, for so long unless it asks
    again."""
    connection.execute(_LOCK)
    now = clock(connection)
    connection.execute(delete(provider_shares).where(provider_shares.c.until <= now))
    others: dict[str, list[Held]] = {}
    for provider, *held in connection.execute(
        select(*provider_shares.c).where(provider_shares.c.owner != owner)
    ):
        holder = Held(*held[:3])
        if is_dead(holder.owner):
            connection.execute(delete(provider_shares).where(provider_shares.c.owner == holder.owner))
        else:
            others.setdefault(provider, []).append(holder)
    granted = {}
    for name, limit in limits.items():
        use, theirs = uses[name], others.get(name, [])
        free = max(limit - sum(other.share for other in theirs), 0)
        demands = {owner: use.wanted, **{other.owner: other.demand for other in theirs}}
        fair = max(deal(limit, demands, now // ROUND_MS)[owner], use.held)
        share = min(max(fair, use.size), free)
        line = {"provider": name, "owner": owner, "share": share, "demand": use.wanted}
        upsert(connection, provider_shares, {**line, "until": now + int(seconds * 1000)})
        granted[name] = min(fair, share)
    return granted


def exchange_pauses(
    connection: Connection, slow: Mapping[tuple[str, str], float]
) -> dict[tuple[str, str], float]:
    """Tell the others which providers ask to slow down, and hear what they were told; in seconds."""
    now = clock(connection)
    connection.execute(delete(provider_pauses).where(provider_pauses.c.until <= now))
    found = {
        (provider, model): until for provider, model, until in connection.execute(select(*provider_pauses.c))
    }
    for (provider, model), seconds in slow.items():
        until = now + int(seconds * 1000)
        if until > found.get((provider, model), 0):
            upsert(connection, provider_pauses, {"provider": provider, "model": model, "until": until})
    return {place: (until - now) / 1000 for place, until in found.items()}
