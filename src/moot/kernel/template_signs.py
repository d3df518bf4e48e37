r"""Signs of a model's own chat template that its server left in the text, as local ones do.

    Spaces.<|im_end|>                                     →   "Spaces."
    Tabs are wider.\n</think>\n\nSpaces.                  →   "Spaces.", having thought "Tabs are wider."
    [THINK]Tabs are wider.[/THINK]Spaces.                 →   the same
    <|channel|>analysis<|message|>…<|channel|>final<|message|>Spaces.   →   the same

Only where they begin or end a reply: anywhere else they are what somebody wrote. `<think>` at the beginning
is parted from the answer as it streams (`transport/think_tags.py`); what is looked for here is known only
when the whole of a reply is there.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_STOPS = (
    r"<\|(?:im_end|eot_id|eom_id|end_of_text|endoftext|end|return|end_of_turn|eos)\|>"
    r"|<end_of_turn>|</s>|<｜end▁of▁sentence｜>|\[/INST\]"
)
_ROLES = (
    r"<\|im_start\|>(?:assistant|user|system)"
    r"|<\|start_header_id\|>(?:assistant|user|system)<\|end_header_id\|>"
    r"|<\|(?:assistant|user|system)\|>|<start_of_turn>(?:model|user)|<｜Assistant｜>|<｜User｜>"
)
_ENDING = re.compile(rf"\s*(?:(?:{_STOPS})\s*)+\Z")
_OTHER_TURN = re.compile(rf"\s*(?:{_STOPS})\s*(?:{_ROLES})")
_OPENING = re.compile(rf"\A\s*(?:<s>\s*)?(?:{_ROLES})[^\S\n]*\n*")
_FINAL = re.compile(r"\A\s*<\|channel\|>.*<\|channel\|>final[^<\n]{0,40}<\|message\|>", re.DOTALL)
_PAIRS = (
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
)
_CLOSE = "</think>"
_SIGN = re.compile(r"<[|｜/st]|\[/?(?:THINK|INST)\]|◁")


class Said(NamedTuple):
    answer: str
    thoughts: str = ""


def said_in(text: str) -> Said:
    """What a reply says, apart from its thoughts and without the signs around it. A reply of nothing but
    signs is left as it is."""
    if _SIGN.search(text) is None:
        return Said(text)
    bare = _OPENING.sub("", text, count=1)
    other = _OTHER_TURN.search(bare)
    if other is not None and bare[: other.start()].strip() and not _FINAL.match(bare):
        bare = bare[: other.start()]  # from here on it speaks for others
    found = _apart(_ENDING.sub("", bare, count=1))
    return found if found.answer.strip() else Said(text)


def _apart(text: str) -> Said:
    final = _FINAL.match(text)
    if final is not None:
        return Said(text[final.end() :], final[0])
    begun = text.lstrip()
    for opening, closing in _PAIRS:
        if begun.startswith(opening):
            thoughts, closed, answer = begun.removeprefix(opening).partition(closing)
            return Said(answer.lstrip(), thoughts.strip()) if closed else Said(text)
    return _after_close(text)


def _after_close(text: str) -> Said:
    """Thoughts whose opening sign the server put into the prompt: they end at a sign that closes a line, is
    the only one, and was never opened."""
    thoughts, closed, answer = text.partition(_CLOSE)
    alone = not answer or answer[0] == "\n"
    if not (closed and alone) or "<think>" in text or _CLOSE in answer or thoughts.count("```") % 2:
        return Said(text)
    return Said(answer.lstrip(), thoughts.strip()) if answer.strip() else Said(text)
