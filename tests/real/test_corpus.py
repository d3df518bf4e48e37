"""A law over what real models wrote: never misread, and what is readable is read.

Counts by kind of call: `pytest -s tests/real/test_corpus.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

import pytest

from tests.real.corpus import Specimen, Truth, specimens
from tests.real.known_faults import KNOWN_FAULTS
from tests.real.readings import READERS, Reading

Outcome = Literal["read", "unread", "misread"]
LEAST_READ = 0.95
"""Of what is readable."""
SPECIMENS = specimens()
TEXTS = {"starts", "ends", "answer", "summary", "synthesis", "text", "revised", "hardened"}
"""What is compared by how it begins, or ends: the truth holds only so much of it."""


def outcome_of(specimen: Specimen, reading: Reading) -> Outcome:
    """Misread: it reads what is not there. Unread: it misses what is."""
    outcomes = {_compare(truth, reading) for truth in specimen.truths}
    return "read" if "read" in outcomes else "unread" if "unread" in outcomes else "misread"


def _compare(truth: Truth, reading: Reading) -> Outcome:
    if truth is None:
        return "read" if reading is None else "misread"
    if reading is None:
        return "unread"
    outcomes = {_compare_value(name, value, reading) for name, value in truth.items()}
    return "misread" if "misread" in outcomes else "unread" if "unread" in outcomes else "read"


def _compare_value(name: str, value: Any, reading: Mapping[str, Any]) -> Outcome:
    found = reading[name]
    if isinstance(value, list):
        extra, missing = Counter(found) - Counter(value), Counter(value) - Counter(found)
        return "misread" if extra else "unread" if missing else "read"
    if name in TEXTS and isinstance(value, str) and isinstance(found, str):
        return "read" if (found.endswith(value) if name == "ends" else found.startswith(value)) else "misread"
    if found == value:
        return "read"
    return "unread" if found is None else "misread"


def outcomes() -> dict[str, Outcome]:
    return {
        one.id: outcome_of(one, READERS[one.mode, one.kind](one.arrived, one.context)) for one in SPECIMENS
    }


OUTCOMES = outcomes()


def test_every_reply_has_a_name_of_its_own() -> None:
    assert len(OUTCOMES) == len(SPECIMENS)


@pytest.mark.parametrize("specimen", SPECIMENS, ids=lambda one: one.id)
def test_no_real_reply_is_misread(specimen: Specimen) -> None:
    known = KNOWN_FAULTS.get(specimen.id) == "misread"
    reading = READERS[specimen.mode, specimen.kind](specimen.arrived, specimen.context)
    assert (OUTCOMES[specimen.id] == "misread") == known, f"{specimen.truths} was read as {reading}"


def test_what_is_readable_is_read() -> None:
    """What is not is in the table, and leaves it once it is read."""
    unread = {id for id, outcome in OUTCOMES.items() if outcome == "unread"}
    assert unread == {id for id, fault in KNOWN_FAULTS.items() if fault == "unread"}
    readable = [one for one in SPECIMENS if one.readable]
    read = [one for one in readable if OUTCOMES[one.id] == "read"]
    assert len(read) >= LEAST_READ * len(readable)


def test_every_kind_of_call_has_replies_of_both_sorts_and_is_counted() -> None:
    kinds = Counter((one.mode, one.kind) for one in SPECIMENS)
    assert kinds.keys() == READERS.keys()
    print("\n\nmode                 kind            replies  read  unread  misread")
    for mode, kind in sorted(kinds):
        count = Counter(OUTCOMES[one.id] for one in SPECIMENS if (one.mode, one.kind) == (mode, kind))
        print(
            f"{mode:20} {kind:15} {kinds[mode, kind]:7} {count['read']:5} {count['unread']:7} {count['misread']:8}"
        )
    total = Counter(OUTCOMES.values())
    print(f"{'all':36} {len(OUTCOMES):7} {total['read']:5} {total['unread']:7} {total['misread']:8}")
