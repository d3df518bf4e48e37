"""A prompt that is too long for its model is shortened where everybody sees it, or not sent.

Some servers refuse such a prompt; others cut it without a word, and a judge rules on half of what it was to
read. So it is measured before it is sent, where the server says how long its context is. Only texts behind a
fence give way: they are material. Our own words and what a person asks as it is stay whole.

    window = ContextWindow(8192)
    window.holds(request)        False
    window.shortened(request)    the request as it is sent
    window.notice(…)             openai/o3 did not see all of its prompt: 10,350 characters were left out …

Every text keeps as much as every other: those below that share stay whole, so that a short question is not
cut for the sake of a long answer, and of two long answers a judge sees equally much. Of what is too long the
middle goes, for the first and the last sentences say most.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from moot.kernel.fences import nonces_in
from moot.kernel.values import Message, Request

BYTES_PER_TOKEN = 3
"""Fewer than in any script that models read well: English has four, Chinese three."""
REPLY_TOKENS = 1024
"""So much room a reply is left that has no limit of its own, in a small context a quarter of it."""
MESSAGE_TOKENS = 8
"""What a chat template puts around each message."""
LEAST_BYTES = 600
"""A text of which less would be left is not worth judging."""
ELISION = "\n[… {count} characters were left out here …]\n"
_ELISION_BYTES = 60


def tokens_of(text: str) -> int:
    """At most so many; what a model makes of it only its provider knows."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // BYTES_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """So many tokens a prompt and its reply may have together."""

    tokens: int

    def room(self, reply: int | None) -> int:
        """Tokens for the prompt: all but what the reply needs, which may have a limit of its own."""
        return self.tokens - min(reply or REPLY_TOKENS, self.tokens // 4)

    def holds(self, request: Request) -> bool:
        return _size(request) <= self.room(request.max_tokens)

    def shortened(self, request: Request) -> Request | None:
        """The request with as much of its texts as there is room for; None if too little would be left."""
        return None if (fit := self._fit(request)) is None else fit.request

    def notice(self, who: str, request: Request) -> str:
        """What people are told of a request that was shortened."""
        fit = self._fit(request)
        assert fit is not None
        texts = f"{fit.cut} of {fit.texts} texts" if fit.texts > 1 else "the text"
        return (
            f"{who} did not see all of its prompt: {fit.left_out:,} characters were left out of {texts}, for "
            f"its context holds {self.tokens:,} tokens."
        )

    def refusal(self, request: Request) -> str:
        reply = self.tokens - self.room(request.max_tokens)
        return (
            f"{request.model} was not asked: the prompt may have {_size(request):,} tokens, and its context "
            f"holds {self.tokens:,}, of which the reply needs {reply:,}."
        )

    def _fit(self, request: Request) -> _Fit | None:
        over = _size(request) - self.room(request.max_tokens)
        pattern = _fenced(request.messages)
        texts = [found[3] for message in request.messages for found in pattern.finditer(message.content)]
        sizes = [len(text.encode("utf-8", "replace")) for text in texts]
        share = _share(sizes, sum(sizes) - (over + len(request.messages)) * BYTES_PER_TOKEN)
        if share < LEAST_BYTES:
            return None
        cuts = [_without_middle(text, share) for text in texts]
        rest = iter(cuts)
        messages = tuple(
            message.model_copy(
                update={"content": pattern.sub(lambda one: one[1] + next(rest)[0] + one[4], message.content)}
            )
            for message in request.messages
        )
        left_out = [count for _, count in cuts]
        return _Fit(
            request.with_messages(messages),
            len(texts),
            sum(count > 0 for count in left_out),
            sum(left_out),
        )


class _Fit(NamedTuple):
    """`texts`: how many there are, `cut`: how many were shortened, by `left_out` characters in all."""

    request: Request
    texts: int
    cut: int
    left_out: int


SMALLEST = ContextWindow(2048)
"""What fits here fits every model that is worth asking, and nobody needs to look it up."""


def _size(request: Request) -> int:
    return sum(tokens_of(message.content) + MESSAGE_TOKENS for message in request.messages)


def _fenced(messages: Sequence[Message]) -> re.Pattern[str]:
    """Texts behind a fence: no text holds the nonce of its own fence, so that none ends early."""
    nonces = "|".join(nonces_in(messages)) or r"(?!)"
    return re.compile(rf"^(<<<(?P<nonce>{nonces})\n)(.*?)(\n(?P=nonce)>>>)$", re.MULTILINE | re.DOTALL)


def _share(sizes: Sequence[int], room: int) -> int:
    """The most that every text may keep so that all of them have room."""
    left = len(sizes)
    for size in sorted(sizes):
        if size * left > room:
            return room // left
        room -= size
        left -= 1
    return 0  # nothing to shorten


def _without_middle(text: str, most: int) -> tuple[str, int]:
    """A text of at most so many bytes, and how many characters it lost."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= most:
        return text, 0
    keep = most - _ELISION_BYTES
    head = raw[: keep * 2 // 3].decode("utf-8", "ignore")
    tail = raw[len(raw) - keep // 3 :].decode("utf-8", "ignore")
    count = len(text) - len(head) - len(tail)
    return f"{head}{ELISION.format(count=f'{count:,}')}{tail}", count
