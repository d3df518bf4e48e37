"""A provider's own words: found in whatever it sent, and made safe to show.

{"error": {"message": "Provider returned error", "metadata": {"raw": "{\\"error\\":\\"busy\\"}", …}}}
→  Provider returned error Acme: busy
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from moot.settings.providers import Provider

LONGEST_WORDS = 300
MOST_SEARCHED = 4000
_MARKUP = re.compile(r"<(script|style)\b.*?</\1>|<[^>]{0,500}>", re.S | re.I)
_KEYLIKE = re.compile(r"\b(sk|pk|key)[-_][\w-]{16,}|\bBearer\s+\S{8,}", re.I)


def words_in(body: bytes) -> str:
    """The provider's own words in the body of an error: from JSON, a web page or plain text."""
    text = body.decode("utf-8", "replace")
    try:
        return words_of(json.loads(text))
    except (ValueError, RecursionError):
        return _MARKUP.sub(" ", text[:MOST_SEARCHED])


def words_of(document: Any) -> str:
    """The message of an error document, with what OpenRouter passes on from the provider behind it."""
    said: list[str] = []
    for words in _said(document, 0):
        if words and not any(words in earlier for earlier in said):
            said.append(words)
    return " ".join(said)


def _said(document: Any, depth: int) -> Iterator[str]:
    if depth > 4:
        return
    if isinstance(document, str):
        yield document
    elif isinstance(document, list):
        for part in document[:3]:
            yield from _said(part, depth + 1)
    elif isinstance(document, dict):
        for name in ("error", "errors", "message", "msg", "detail"):
            yield from _said(document.get(name), depth + 1)
        yield from _passed_on(document.get("metadata"), depth)
        if document.get("code") in ("model_not_found", "insufficient_quota"):
            yield f"[{document['code']}]"


def _passed_on(metadata: Any, depth: int) -> Iterator[str]:
    if not isinstance(metadata, dict):
        return
    raw = metadata.get("raw")
    if isinstance(raw, str):
        with suppress(ValueError, RecursionError):
            raw = json.loads(raw)
    source = metadata.get("provider_name")
    for words in _said(raw, depth + 1):
        yield f"{source}: {words}" if isinstance(source, str) else words
    reasons = metadata.get("reasons")
    if isinstance(reasons, list):
        yield f"[{', '.join(str(reason) for reason in reasons[:5])}]"


def clean(words: str, provider: Provider) -> str:
    """A provider's words, safe to show: no key, no control characters, one line, not too long."""
    # Cut first, for a provider may send megabytes, but not so close that half a key could remain.
    words = words[: 2 * MOST_SEARCHED]
    if provider.key is not None:
        words = words.replace(provider.key.get_secret_value(), "•••")
    words = _KEYLIKE.sub("•••", words)
    words = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in words[:MOST_SEARCHED])
    words = " ".join(words.split())
    return words if len(words) <= LONGEST_WORDS else f"{words[: LONGEST_WORDS - 1]}…"


def sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
