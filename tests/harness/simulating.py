"""Simulated models behind a scripted model server: they read the prompts of every mode and answer alike."""

from __future__ import annotations

from moot.kernel.values import Message, Request
from moot.simulator.cast import CAST
from moot.simulator.replies import reply
from moot.testing import Received

NAMES = tuple(member.name for member in CAST)


def simulated_reply(received: Received, traits: str = "") -> str:
    """What a member of the cast says, the one whose name begins as the name after the slash does."""
    letter = received.model.partition("/")[2][0]
    name = next(name for name in NAMES if name[0] == letter)
    messages = [Message(**one) for one in received.body["messages"]]
    return reply(Request.of(f"sim/{name}{traits}", messages)).text
