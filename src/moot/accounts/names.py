"""The names people sign in with: what they look like, and when two are the same."""

from __future__ import annotations

import unicodedata

from moot.kernel.errors import Rejected

LONGEST_NAME = 100


def clean_name(name: str) -> str:
    """The name as it is shown: one line without what cannot be seen. Raises Rejected."""
    line = " ".join(unicodedata.normalize("NFKC", name).split())
    if not line:
        message = "Choose a name"
    elif len(line) > LONGEST_NAME:
        message = f"Choose a name of at most {LONGEST_NAME} characters"
    elif not line.isprintable():
        message = "A name may only contain visible characters"
    else:
        return line
    raise Rejected(message, (("name", message),))


def name_key(name: str) -> str:
    """What two spellings of a name have in common."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
