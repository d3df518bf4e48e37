"""Simulated models behind a scripted model server: they read the prompts of every mode and answer alike."""

from __future__ import annotations

from moot.simulator import reply
from moot.testing import Received
from moot.wire import Request

CAST = ("ada", "bo", "cleo", "dov", "eli", "fay")


def simulated_reply(received: Received) -> str:
    """What the member of the cast says whose name follows the first slash of the model's id."""
    model = f"sim/{received.model.partition('/')[2]}"
    return reply(Request.model_validate({"model": model, "messages": received.body["messages"]})).text
