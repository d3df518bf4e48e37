"""What a provider's refusal means, said in one sentence that names model, provider and cause.

404  OpenRouter has no model "openai/o33" (404): No endpoints found for openai/o33.
401  OpenRouter refused the key in OPENROUTER_API_KEY for openai/o3 (401): User not found.
402  OpenRouter says the account is out of credit (402) and did not run openai/o3: Insufficient credits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from moot.kernel.clock import now_ms
from moot.kernel.errors import TransportError
from moot.kernel.values import FailureKind
from moot.settings.providers import OLLAMA, Provider
from moot.transport.provider_message import clean, sentence, words_of

_NO_MODEL = re.compile(
    r"not a valid model|model[_ ]not[_ ]found|no such model|model .{0,80}does not exist", re.I
)
_NO_CREDIT = re.compile(r"insufficient[_ ](quota|credit|balance)|credit balance|key limit exceeded", re.I)
_STATUS = re.compile(r"[45][0-9]{2}")
_FLAGGED = re.compile(r"moderation|flagged|content[_ ](policy|filter)|guardrail", re.I)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a provider said instead of an answer."""

    status: int
    words: str
    retry_after: float | None = None
    location: str = ""


def as_error(refusal: Refusal, provider: Provider, model: str) -> TransportError:
    """The refusal as the error it is, with whether another attempt makes sense."""
    if 300 <= refusal.status < 400:
        return _redirected(refusal, provider, model)
    status, name = refusal.status, provider.title
    kind, retry = _meaning(refusal)
    match kind:
        case "auth":
            what = _about_the_key(provider, model, status)
        case "credit":
            what = f"{name} says the account is out of credit ({status}) and did not run {model}"
        case "not_found":
            what = f'{name} has no model "{model}" ({status})'
        case "rate_limited":
            what = f"{name} is rate limiting {model} ({status})"
        case "refused":
            what = f"{name} refused the prompt for {model} ({status})"
        case "timeout":
            what = f"{name} gave up waiting for {model} ({status})"
        case _ if status >= 500:
            what = f"{name} failed on {model} ({status})"
        case _:
            what = f"{name} rejected the call to {model} ({status})"
    words = clean(refusal.words, provider)
    reason = sentence(f"{what}: {words}" if words else what)
    starting = status == 503
    return TransportError(kind, reason, retry=retry, retry_after=refusal.retry_after, starting=starting)


def _about_the_key(provider: Provider, model: str, status: int) -> str:
    if provider.key is not None:
        return f"{provider.title} refused the key in {provider.key_name or 'use'} for {model} ({status})"
    where = f" in {provider.key_name}" if provider.key_name else ""
    return f"{provider.title} needs a key for {model} ({status}), and none is set{where}"


def _meaning(refusal: Refusal) -> tuple[FailureKind, bool]:
    """The kind of failure, and whether it may pass."""
    status, words = refusal.status, refusal.words
    if status in (400, 402, 403, 429) and _NO_CREDIT.search(words):
        return "credit", False
    if status in (400, 422) and _NO_MODEL.search(words):
        return "not_found", False
    if status in (400, 403) and _FLAGGED.search(words):
        return "refused", False
    known: dict[int, tuple[FailureKind, bool]] = {
        401: ("auth", False),
        402: ("credit", False),
        403: ("auth", False),
        404: ("not_found", False),
        408: ("timeout", True),
        429: ("rate_limited", True),
        504: ("timeout", True),
        524: ("timeout", True),
        529: ("rate_limited", True),
    }
    return known.get(status, ("other", status >= 500))


def unreachable(
    provider: Provider,
    model: str,
    cause: str,
    *,
    retry: bool = True,
    worked: bool = False,
    starting: bool = False,
) -> TransportError:
    advice = " Is it running?" if provider.name == OLLAMA or "refused" in cause else ""
    reason = (
        f"Could not reach {provider.title} at {provider.address}: {cause}.{advice} The call was for {model}."
    )
    return TransportError("network", reason, retry=retry, worked=worked, starting=starting)


def broken_off(provider: Provider, model: str, cause: str) -> TransportError:
    reason = f"{provider.title} broke off its reply for {model}: {clean(cause, provider)}."
    return TransportError("network", reason, retry=True, worked=True)


def unreadable(provider: Provider, model: str, what: str, words: str = "") -> TransportError:
    """Not retried: a page where a completion should be, or nonsense, is the same the next time."""
    reason = f"{provider.title} sent {what} for {model}"
    quoted = clean(words, provider)
    return TransportError("unreadable", sentence(f"{reason}: {quoted}" if quoted else reason), worked=True)


def withheld(provider: Provider, model: str, finish_reason: str, words: str = "") -> TransportError:
    """The model, or the provider on its behalf, declined to answer."""
    reason = f"{model} refused to answer ({provider.title}, {finish_reason})"
    quoted = clean(words, provider)
    return TransportError("refused", sentence(f"{reason}: {quoted}" if quoted else reason), worked=True)


def _redirected(refusal: Refusal, provider: Provider, model: str) -> TransportError:
    where = clean(refusal.location.split("?")[0], provider) or "another address"
    return TransportError(
        "other",
        f"{provider.title} at {provider.address} redirects calls for {model} to {where} ({refusal.status}). "
        "Redirects are not followed, because they would carry the key to another place; correct the address.",
    )


def error_in_reply(error: Any, provider: Provider, model: str) -> TransportError:
    """An error object inside a 200: its code is an HTTP status, a word, or missing."""
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and _STATUS.fullmatch(code):
        code = int(code)
    if not isinstance(code, int) or not 400 <= code <= 599:
        named = f"{code} {error.get('type')}".lower() if isinstance(error, dict) else ""
        code = next((status for word, status in _NAMED if word in named), 502)
    return as_error(Refusal(code, words_of({"error": error})), provider, model)


_NAMED = (
    ("overloaded", 529),
    ("rate_limit", 429),
    ("insufficient_quota", 402),
    ("billing", 402),
    ("authentication", 401),
    ("permission", 403),
    ("not_found", 404),
    ("invalid_request", 400),
    ("timeout", 504),
)


def seconds_to_wait(retry_after: str | None) -> float | None:
    """What a Retry-After header says, in seconds or as an HTTP date; None if it says nothing."""
    if not retry_after:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            date = parsedate_to_datetime(retry_after)
        except ValueError:
            return None
        seconds = date.replace(tzinfo=date.tzinfo or UTC).timestamp() - now_ms() / 1000
    return max(0.0, seconds) if seconds < float("inf") else None
