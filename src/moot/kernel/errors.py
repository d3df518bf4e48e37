"""Every exception, and who sees its message.

MootError
├── Rejected          the person who asked: the request is wrong; nothing was started
│   ├── NotFound      … there is no such thing, or it is not theirs
│   ├── Conflict      … not now: a run is going on, or is not in a state for this
│   ├── KeyReused     … this Idempotency-Key came with another body
│   ├── NoUser        … nobody said who is asking
│   ├── Forbidden     … they may not do this
│   └── TooMany       … too often: later it may be done
├── RunFailed         the person who asked: the run cannot give an honest result (told as `error`)
├── NoAnswer          the pipeline: one seat contributed nothing; the others may go on
├── TransportError    the run: the provider could not be reached, refused, or broke off
└── LeaseLost         the engine: another process owns this run now

StoreUnavailable (an OSError)    the person who asked, and the engine: the database cannot be had now
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moot.kernel.values import Failure, FailureKind


class MootError(Exception):
    """Any error of moot's own."""


class Rejected(MootError):
    """The request is wrong. `details` are (path, message) pairs, first one first."""

    status = 400

    def __init__(self, message: str, details: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(message)
        self.details = details or (("", message),)


class NotFound(Rejected):
    status = 404


class Conflict(Rejected):
    status = 409


class KeyReused(Rejected):
    status = 422


class NoUser(Rejected):
    status = 401


class Unreachable(Rejected):
    """Somebody else's server is needed for this, and does not answer as it should."""

    status = 503


class Forbidden(Rejected):
    status = 403


class TooMany(Rejected):
    """`retry_after`: in how many seconds it may be tried again."""

    status = 429

    def __init__(self, message: str, retry_after: int, details: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(message, details)
        self.retry_after = retry_after


class LimitReached(TooMany):
    """One of a person's limits would be broken: `limit` is its name on the wire."""

    def __init__(self, message: str, limit: str, retry_after: int) -> None:
        super().__init__(message, retry_after)
        self.limit = limit


class RunFailed(MootError):
    """The run cannot go on. The message is what the person sees."""


class NoAnswer(MootError):
    """One seat contributed nothing; `failure` says which and why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"{failure.model}: {failure.reason}")
        self.failure = failure


class TransportError(MootError):
    """A provider did not deliver. `reason` is one sentence that names model, provider and cause. `worked`: it
    may have worked on the call, and bill it. `starting`: its server may only be on its way up."""

    def __init__(
        self,
        kind: FailureKind,
        reason: str,
        *,
        retry: bool = False,
        retry_after: float | None = None,
        worked: bool = False,
        starting: bool = False,
    ) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.retry = retry
        self.retry_after = retry_after
        self.worked = worked
        self.starting = starting


class LeaseLost(MootError):
    """This process wrote for a run that another one has taken over; the write was refused."""


class StoreUnavailable(OSError):
    """The database took nothing, and not because of what it was given: locked, out of disk, away."""
