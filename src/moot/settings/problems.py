"""What is wrong with a setting, in words.

moot.toml: unknown setting 'max_call'. Did you mean 'max_calls'?
the environment: MOOT_PORT must be a whole number.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from pydantic_core import ErrorDetails

from moot.kernel.errors import MootError
from moot.kernel.refusals import sentence

LONGEST_NAME = 60


class BadSetting(MootError):
    """A setting cannot be used. The message names where it stands, its name and what is wrong."""


def unknown_setting(place: str, name: str, known: Iterable[str]) -> BadSetting:
    """A name that no setting has. In a dotted name the last part is the unknown one."""
    table, dot, last = name.rpartition(".")
    meant = closest(last, known)
    hint = f" Did you mean {table + dot + meant!r}?" if meant else " docs/settings.md has them all."
    return BadSetting(f"{place}: unknown setting {brief(name)!r}.{hint}")


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that somebody meant who wrote `maxCall`, `max-calls` or `MOOT_MAX_CALLS`."""
    by_letters = {_letters(one): one for one in known}
    found = get_close_matches(_letters(name), by_letters, n=1, cutoff=0.75)
    return by_letters[found[0]] if found else None


def _letters(name: str) -> str:
    return name[:LONGEST_NAME].lower().removeprefix("moot_").replace("_", "").replace("-", "")


def brief(name: str) -> str:
    """A name that a stranger may have chosen, cut to a length."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def complaint(name: str, error: ErrorDetails) -> str:
    """What pydantic found, as a sentence without the value, which may be a key."""
    if error["type"] == "literal_error":
        choices = str(error["ctx"]["expected"]).replace("'", "")
        return f"{name} must be {choices}."
    words = _IN_A_FILE.get(error["type"])
    return f"{name} {words}." if words else f"{sentence(error, name).rstrip('.')}."


_IN_A_FILE = {
    **dict.fromkeys(("string_type", "path_type"), "must be a text in quotes"),
    **dict.fromkeys(
        ("dict_type", "model_type", "model_attributes_type"), "must be a table, such as [providers.lab]"
    ),
    "tuple_type": 'must be a list, such as ["openai/o3", "ollama/llama3.3"]',
}
