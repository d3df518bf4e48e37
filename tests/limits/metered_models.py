"""Models that send a bill for every call they get, as large as the call allows, answered or not."""

from __future__ import annotations

from typing import Any

from moot.testing import ModelServer, Received, Reply, Script

PANEL = ("a/ann", "b/bob", "c/cyd")
TITLE = "t/title"
PROMPT_PRICE, REPLY_PRICE = 1.0, 4.0
"""Dollars per million tokens."""
BODY: dict[str, Any] = {
    "question": "Tabs or spaces?",
    "mode": "vote",
    "modeConfig": {"councilModels": list(PANEL), "chairmanModel": PANEL[0]},
}
DEFAULT_REPLY_TOKENS = 1_000_000


def bill(body: dict[str, Any]) -> float:
    """What a call costs whose model writes as much as it may; one that sets no limit is ruinous."""
    read = sum(len(str(message["content"]).encode()) for message in body["messages"]) // 4
    written = body.get("max_tokens", DEFAULT_REPLY_TOKENS)
    return float(read * PROMPT_PRICE + written * REPLY_PRICE) / 1_000_000


def _answer(received: Received) -> Reply:
    text = "VOTE: Response A" if "VOTE:" in received.prompt else f"I say {received.model}."
    return Reply(text=text, cost=bill(received.body))


def metered_models(**script: Any) -> ModelServer:
    price = {"prompt": f"{PROMPT_PRICE / 1e6:.9f}", "completion": f"{REPLY_PRICE / 1e6:.9f}"}
    listed = [{"id": model, "pricing": price} for model in (*PANEL, TITLE)]
    return ModelServer(Script(default=_answer, listed=listed, **script))


def billed(server: ModelServer) -> float:
    """All that was sent counts, whether anybody was there to hear the answer or not."""
    return sum(bill(received.body) for received in server.requests)
