r"""The questions of a batch as they are given: JSON Lines, one question each.

"Tabs or spaces?"
{"id": "q2", "question": "Vim or Emacs?", "mode": "vote", "modeConfig": {"timeoutMs": 60000}}

All lines are read and checked before the first question is asked, and what is wrong is said of all of them at
once: nobody pays for half a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from moot.kernel.engine import Engine
from moot.kernel.errors import Rejected
from moot.kernel.mode import Panel
from moot.kernel.refusals import MOST_DETAILS
from moot.kernel.request import AskRequest
from moot.kernel.user import LOCAL_USER

if TYPE_CHECKING:
    from moot.transport.catalogue import ModelInfo

MOST_QUESTIONS = 50_000
LONGEST_ID = 200


@dataclass(frozen=True, slots=True)
class BatchLine:
    """`number` counts from 1, as editors do. `id` is the asker's own."""

    number: int
    id: str | None
    ask: AskRequest


def read_lines(text: bytes) -> Iterator[tuple[int, object | Rejected]]:
    """Every line that is not empty with its number: what its JSON says, or what is wrong with it."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield number, orjson.loads(line)
        except orjson.JSONDecodeError as error:
            yield number, Rejected(f"This is not JSON: {error}")


async def checked_lines(
    engine: Engine,
    lines: Iterable[tuple[int, object]],
    defaults: Mapping[str, Any],
    *,
    user: str = LOCAL_USER,
    budget: float | None = None,
    place: str = "Line {}",
) -> list[BatchLine]:
    """The lines as requests; `defaults` are for those that do not say otherwise. Raises Rejected with what is
    wrong, by its place; with a budget, a price that nobody knows is wrong too."""
    prices: Sequence[ModelInfo] | None = None
    if budget is not None and engine.catalogue is not None:
        prices = (await engine.catalogue.models(await engine.keys.of(user))).models
    panel = await engine.panel_of(user)
    good: list[BatchLine] = []
    wrong: list[tuple[str, str]] = []
    for number, value in lines:
        try:
            if len(good) == MOST_QUESTIONS:
                raise Rejected(f"A batch has at most {MOST_QUESTIONS} questions: split it")
            good.append(_line(engine, panel, number, value, defaults))
            if prices is not None and (unpriced := await _unpriced(engine, good[-1], prices, user)):
                raise Rejected(
                    f"A budget needs prices: {unpriced} Choose other models or leave the budget out."
                )
        except Rejected as error:
            wrong += [(place.format(number), message) for _, message in error.details]
            if len(wrong) >= MOST_DETAILS:
                break
    if wrong:
        details = tuple((where, f"{where}: {message}") for where, message in wrong[:MOST_DETAILS])
        raise Rejected("\n".join(message for _, message in details), details)
    if not good:
        raise Rejected("The batch contains no questions")
    return good


async def _unpriced(engine: Engine, line: BatchLine, prices: Sequence[ModelInfo], user: str) -> str | None:
    return (await engine.estimate(line.ask, prices, user=user)).reason


def _line(engine: Engine, panel: Panel, number: int, value: object, defaults: Mapping[str, Any]) -> BatchLine:
    if isinstance(value, Rejected):
        raise value
    fields = {"question": value} if isinstance(value, str) else value
    if not isinstance(fields, dict):
        raise Rejected('Write a question in quotes, or an object such as {"question": "Tabs or spaces?"}')
    own_id = fields.get("id")
    if own_id is not None and not (isinstance(own_id, str) and len(own_id) <= LONGEST_ID):
        raise Rejected(f"id must be text of at most {LONGEST_ID} characters")
    if "conversationId" in fields or "conversation_id" in fields:
        raise Rejected("conversationId is not allowed in a batch: its questions are independent")
    asked = {name: given for name, given in fields.items() if name != "id"}
    ask = AskRequest.of({**_fitting(defaults, asked), **asked})
    engine.check(ask, panel)
    return BatchLine(number, own_id, ask)


def _fitting(defaults: Mapping[str, Any], asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """A config is for its mode: a line that names another mode gets none of it."""
    other = asked.get("mode") not in (None, defaults.get("mode"))
    return {} if other else defaults
