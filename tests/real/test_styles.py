"""A law over every kind of call in every style: what a reply says is read as if it were written plainly, or
told as unread; never something else.

What was not read: `pytest -s tests/real/test_styles.py`.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

from tests.real.canonicals import CANONICALS, Canonical, bare
from tests.real.readings import READERS
from tests.real.styles import STYLES

Outcome = Literal["read", "unread", "misread"]
LEAST_READ = 0.99


def compare(plain: Any, styled: Any) -> Outcome:
    """Missing is unread; what is there must be the same, and a text may go on."""
    if styled in (None, "", []):
        return "read" if plain in (None, "", []) else "unread"
    if isinstance(plain, list):
        found = [next((one for one in plain if str(said).startswith(str(one))), said) for said in styled]
        left = Counter(map(str, found)) - Counter(map(str, plain))
        return "misread" if left else "read" if len(styled) == len(plain) else "unread"
    same = styled.startswith(plain) if isinstance(plain, str) and isinstance(styled, str) else styled == plain
    return "read" if same else "misread"


def outcome(one: Canonical, style: str) -> tuple[Outcome, str]:
    plain, styled = one.read(one.text), one.read(STYLES[style](one.text))
    assert plain is not None, one
    if styled is None:
        return "unread", "None"
    found = {name: compare(bare(plain[name]), bare(styled[name])) for name in plain}
    for worst in ("misread", "unread"):
        for name in found:
            if found[name] == worst:
                return worst, f"{name}: {styled[name]!r} for {plain[name]!r}"
    return "read", ""


OUTCOMES = {
    (f"{number} {one.mode} {one.kind}", style): outcome(one, style)
    for number, one in enumerate(CANONICALS)
    for style in STYLES
}


def test_no_style_makes_a_reply_say_something_else() -> None:
    misread = [f"{key}: {what}" for key, (came, what) in OUTCOMES.items() if came == "misread"]
    assert not misread, "\n".join(misread)


def test_nearly_every_style_of_every_kind_of_call_is_read() -> None:
    count = Counter(came for came, _ in OUTCOMES.values())
    print(f"\n\n{len(OUTCOMES)} replies in {len(STYLES)} styles: {dict(count)}")
    for (kind, style), (came, what) in OUTCOMES.items():
        if came != "read":
            print(f"{came}: {kind}, {style}: {what}")
    assert count["read"] >= LEAST_READ * len(OUTCOMES)


def test_every_kind_of_call_that_has_a_layout_is_tried() -> None:
    """A ballot of a debate is one of a vote."""
    kinds = {(one.mode, one.kind) for one in CANONICALS} | {("debate", "vote")}
    assert kinds == {key for key in READERS if key[1] != "text"}
