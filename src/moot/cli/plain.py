"""A run as plain lines, for whatever is not a terminal: one line per event, no escape codes.

0.0s  vote_start           run 1f0c22aa · conversation 7be0194d · vote · simulated
2.1s  stage1_complete      1. sim/ada: 214 words, 2.0 s; 2. sim/bo: 80 words, 0.9 s
2.9s  model_failed         3. sim/cleo in vote (rate_limited): too many requests
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from moot.cli.ending import answer, summary
from moot.cli.short_id import short_id
from moot.history.event_table import Facts, Table, facts_of, who
from moot.history.notices import SIMULATED, notices
from moot.history.safe_text import one_line, safe_json, safe_text

if TYPE_CHECKING:
    from moot.history.views import Deliberation

LONGEST = 1000


def line(event: Mapping[str, Any]) -> str:
    """One event on one line."""
    text = one_line(_text(event), LONGEST)
    return f"{int(event['at']) / 1000:7.1f}s  {one_line(str(event['type'])):<22} {text}".rstrip()


def _text(event: Mapping[str, Any]) -> str:
    data: Any = event.get("data")
    if "runId" in event:
        return opening(event)
    match event["type"], data:
        case "model_failed", {"step": step, "kind": kind, "reason": reason}:
            return f"{who(data)} in {step} ({kind}): {reason}"
        case "warning", {"message": message}:
            return str(message)
        case "title_complete", {"title": title}:
            return str(title)
        case "error", _:
            return str(event.get("message", ""))
    return as_words(facts_of(event))


def opening(event: Mapping[str, Any]) -> str:
    parts = [f"run {short_id(event['runId'])}", f"conversation {short_id(event['conversationId'])}"]
    parts.append(str(event["mode"]))
    if event.get("retryOf"):
        parts.append(f"retry of {short_id(event['retryOf'])}")
    return " · ".join([*parts, "simulated"] if event.get("simulated") else parts)


def as_words(facts: Facts) -> str:
    parts = [
        *(_table_text(table) for table in facts.tables),
        *(f"{name} {value}" for name, value in facts.scalars),
    ]
    if not parts:
        parts = [f"{text.name} {len(text.text.split()):,} words" for text in facts.texts]
    return ": ".join(part for part in (facts.who, "; ".join(parts)) if part)


def _table_text(table: Table) -> str:
    rows = [row_in_words(table, row) for row in table.rows]
    return "; ".join(rows) if table.columns else f"{table.name} {', '.join(rows)}"


def row_in_words(table: Table, row: tuple[str, ...]) -> str:
    """`1. sim/ada: voted for Response B, 63 words, 0.4 s`; a map's row is `Response A 2 (sim/bo)`."""
    if not table.columns:
        return f"{row[0]} {row[1]}" + "".join(f" ({behind})" for behind in row[2:])
    cells = dict(zip(table.columns, row, strict=True))
    name = who({"seat": cells.pop("seat", None), "model": cells.pop("model", None)})
    text = ", ".join(_cell(column, value) for column, value in cells.items() if value != "–")
    return ": ".join(part for part in (name, text) if part)


def _cell(column: str, value: str) -> str:
    return value if column == "time" or value.endswith(" words") else f"{column} {value}"


def ending(deliberation: Deliberation) -> str:
    """What is missing, the answer, what it took; the answer under everything that qualifies it."""
    first, *rest = notices(deliberation) or [""]
    head = "\n".join([first, *(f"  - {notice}" for notice in rest)]).strip()
    marks = SIMULATED if deliberation.simulated else ""
    parts = [head, marks, answer(deliberation), summary(deliberation)]
    return "\n\n".join(part for part in parts if part)


def write(text: str = "") -> None:
    """Onto stdout, at once: whoever reads a pipe wants to see it happen."""
    print(safe_text(text), flush=True)


def write_json(document: bytes) -> None:
    """A line of JSON, harmless wherever it ends up: what goes into a pipe is often shown in a terminal."""
    sys.stdout.buffer.write(safe_json(document.decode()).encode() + b"\n")
    sys.stdout.buffer.flush()


def warn(text: str) -> None:
    print(safe_text(text), file=sys.stderr, flush=True)
