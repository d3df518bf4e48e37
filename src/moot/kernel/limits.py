"""Limits: how often a person may ask, how many runs they may have at once, what they may spend.

    limits = Limits(requests_per_minute=3, dollars_per_day=1)
    first_breach(limits, Usage(...), dollars=0.4)          "dollarsPerDay", if 0.4 is too much today

Requests are counted over the last minute, hour and day. Money is counted by the calendar, in UTC: a day
begins at midnight, a month on the first. None is no limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from pydantic import Field

from moot.kernel.values import Wire

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
ROUNDING = 1e-9
"""Sums of dollars are binary fractions: so much more is the same."""

LimitName = Literal[
    "requestsPerMinute", "requestsPerHour", "requestsPerDay", "runsAtOnce", "dollarsPerDay", "dollarsPerMonth"
]
WINDOWS: Mapping[LimitName, int] = {
    "requestsPerMinute": MINUTE_MS,
    "requestsPerHour": HOUR_MS,
    "requestsPerDay": DAY_MS,
}
Count = Annotated[int | None, Field(ge=0, le=1_000_000_000)]
Dollars = Annotated[float | None, Field(ge=0, le=1_000_000_000, allow_inf_nan=False)]


class Limits(Wire):
    """What one person may do; null is no limit."""

    requests_per_minute: Count = None
    requests_per_hour: Count = None
    requests_per_day: Count = None
    runs_at_once: Count = None
    dollars_per_day: Dollars = None
    dollars_per_month: Dollars = None

    @property
    def any(self) -> bool:
        return any(value is not None for value in self.by_name.values())

    @property
    def in_dollars(self) -> bool:
        """Whether money is limited: then every run reserves what it may cost."""
        return self.dollars_per_day is not None or self.dollars_per_month is not None

    @property
    def by_name(self) -> dict[LimitName, float | None]:
        return {
            "requestsPerMinute": self.requests_per_minute,
            "requestsPerHour": self.requests_per_hour,
            "requestsPerDay": self.requests_per_day,
            "runsAtOnce": self.runs_at_once,
            "dollarsPerDay": self.dollars_per_day,
            "dollarsPerMonth": self.dollars_per_month,
        }


STRICT = Limits(requests_per_minute=3, requests_per_hour=20, requests_per_day=100)
"""The preset `strict`."""


@dataclass(frozen=True, slots=True)
class Since:
    """Where each window begins that holds this moment."""

    minute: int
    hour: int
    day: int
    today: int
    month: int

    @classmethod
    def at(cls, now: int) -> Since:
        today = datetime.fromtimestamp(now / 1000, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return cls(
            minute=now - MINUTE_MS,
            hour=now - HOUR_MS,
            day=now - DAY_MS,
            today=_ms(today),
            month=_ms(today.replace(day=1)),
        )

    @property
    def earliest(self) -> int:
        return min(self.day, self.month)


@dataclass(frozen=True, slots=True)
class LimitUsage:
    """What a person has used. Dollars are those spent, and those reserved by runs that have not ended."""

    minute: int = 0
    hour: int = 0
    day: int = 0
    running: int = 0
    today: float = 0.0
    month: float = 0.0

    @property
    def by_name(self) -> dict[LimitName, float]:
        return {
            "requestsPerMinute": self.minute,
            "requestsPerHour": self.hour,
            "requestsPerDay": self.day,
            "runsAtOnce": self.running,
            "dollarsPerDay": self.today,
            "dollarsPerMonth": self.month,
        }


def first_breach(limits: Limits, usage: LimitUsage, dollars: float) -> LimitName | None:
    """The limit that one more run, which may cost so much, would break."""
    used = usage.by_name
    for name, limit in limits.by_name.items():
        more = dollars if name in ("dollarsPerDay", "dollarsPerMonth") else 1
        if limit is not None and used[name] + more > limit + ROUNDING:
            return name
    return None


def resets_at(name: LimitName, now: int) -> int | None:
    """When money is counted from zero again; None for the others, which depend on what was asked when."""
    today = datetime.fromtimestamp(Since.at(now).today / 1000, UTC)
    if name == "dollarsPerDay":
        return _ms(today + timedelta(days=1))
    if name == "dollarsPerMonth":
        return _ms((today.replace(day=1) + timedelta(days=32)).replace(day=1))
    return None


def explain(name: LimitName, limits: Limits, usage: LimitUsage, dollars: float) -> str:
    """Why a run may not start, for the person who asked."""
    limit = limits.by_name[name] or 0
    if name == "runsAtOnce":
        return f"You have {_count(usage.running, 'run')} in progress, and your limit is {limit:g} at once."
    if name in WINDOWS:
        period = {"requestsPerMinute": "minute", "requestsPerHour": "hour", "requestsPerDay": "day"}[name]
        return f"Your limit of {_count(int(limit), 'question')} per {period} is reached."
    period = "day" if name == "dollarsPerDay" else "month"
    left = max(0.0, limit - usage.by_name[name])
    if dollars > limit:
        return (
            f"This may cost up to {_dollars(dollars)}, more than your limit of {_dollars(limit)} "
            f"per {period}. Choose fewer or cheaper models."
        )
    return (
        f"This may cost up to {_dollars(dollars)}, and {_dollars(left)} of your {_dollars(limit)} "
        f"per {period} is left."
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _dollars(amount: float) -> str:
    return f"${amount:.2f}" if amount >= 0.1 or amount == 0 else f"${amount:.4f}"


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
