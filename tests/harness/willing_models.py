"""A script for models that do as they are told, whichever they are: what a key for real ones leads to."""

from __future__ import annotations

from typing import Any

RANKING = "\n".join(("FINAL RANKING:", *(f"{place}. Response {'ABCD'[place - 1]}" for place in (1, 2, 3, 4))))
DEFAULTS = (
    "anthropic/claude-opus-4-6",
    "anthropic/claude-sonnet-4",
    "google/gemini-2.5-pro",
    "openai/o3",
    "perplexity/sonar-pro",
)
WILLING: dict[str, Any] = {
    "rules": [
        {"contains": "FINAL RANKING", "reply": {"text": RANKING}},
        {"contains": "DECISION:", "reply": {"text": "DECISION: STAND\nREASONING: They all say the same."}},
        {"contains": "VOTE:", "reply": {"text": "VOTE: Response A"}},
    ],
    "listed": [{"id": model} for model in DEFAULTS],
    "default": "Five people are one team: begin with one service.",
}
