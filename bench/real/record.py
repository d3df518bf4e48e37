"""One run with real models, and what is kept of it: everything, and its figures."""

from __future__ import annotations

import gzip
import random
import re
import secrets
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from bench.real.tasks import SMALL, Task
from moot.history.views import Deliberation, read_deliberation
from moot.kernel.engine import Engine
from moot.kernel.request import AskRequest
from moot.kernel.values import Call, cut_off

UNREAD = re.compile(
    r"could not be (?:read|counted|classified)|stated no|no decision|unreadable|do not count|"
    r"gave no (?:verdict|rating|ranking|score)|no complete work|not rule|No model sorted|first guess|"
    r"wrote no executive summary",
    re.IGNORECASE,
)
SAMPLES = re.compile(r"<the answer>|<[a-z][^<>\n]{3,60}>|\bShort title\b|what section \d+ still lacks")
FENCE = re.compile(r"<<<+\s?[0-9a-f]{0,8}|<<[0-9a-f]{8}|\b[0-9a-f]{8}>>")
FALSE_VERDICTS = ("FALSE", "REFUTED", "DISPUTED", "CONTRADICTED", "MISLEADING", "INCORRECT", "PARTIAL")


@dataclass(frozen=True)
class RunFigures:
    """What came of one run. `calls` by kind: replies, repairs, those that failed, those cut off."""

    label: str
    commit: str
    panel: str
    mode: str
    number: int
    status: str
    error: str
    seconds: int
    calls: dict[str, dict[str, int]]
    unread: list[str]
    warnings: list[str]
    answer: str
    sample_left: bool
    fence_left: bool
    right: bool | None
    planted: int
    found: int
    score: float | None


async def record_run(
    engine: Engine, task: Task, mode: str, number: int, label: str, panel: str, code: str, folder: Path
) -> RunFigures:
    """Ask, wait, keep every reply in a file, and give the figures."""
    _fix_seed(f"{mode} {number}")
    began = time.monotonic()
    body = {
        "question": task.question,
        "mode": mode,
        "modeConfig": {**SMALL.get(mode, {}), **task.config} or None,
    }
    ask = AskRequest.of({key: value for key, value in body.items() if value is not None})
    record = await engine.finished((await engine.start(ask)).id)
    deliberation = await read_deliberation(engine, record)
    figures = figures_of(deliberation, task, label, panel, code, number, int(time.monotonic() - began))
    _keep(deliberation, figures, folder / f"{label}-{panel}-{mode}-{number}.json.gz")
    return figures


def _fix_seed(lot: str) -> None:
    """Labels are dealt and nonces drawn as they were the last time."""
    dice = random.Random(lot)
    secrets.token_hex = lambda nbytes=None: dice.randbytes(nbytes or 32).hex()


def figures_of(
    deliberation: Deliberation, task: Task, label: str, panel: str, code: str, number: int, seconds: int
) -> RunFigures:
    record = deliberation.record
    answer = deliberation.answer or ""
    notices = deliberation.notices
    found = "\n".join(findings(deliberation)) if task.planted else ""
    return RunFigures(
        label=label,
        commit=code,
        panel=panel,
        mode=record.mode,
        number=number,
        status=record.status,
        error=record.error or "",
        seconds=seconds,
        calls=calls_by_kind(deliberation.calls),
        unread=[notice for notice in notices if UNREAD.search(notice)],
        warnings=notices,
        answer=answer[:300],
        sample_left=bool(SAMPLES.search(answer)),
        fence_left=bool(FENCE.search(answer)),
        right=bool(re.search(task.right, answer, re.IGNORECASE)) if task.right else None,
        planted=len(task.planted),
        found=sum(bool(re.search(fault, found, re.IGNORECASE)) for fault in task.planted),
        score=score_of(deliberation.result),
    )


def score_of(result: dict[str, Any]) -> float | None:
    """The figure that a mode puts on the work, if it is one of those that do."""
    for name in ("hardeningScore", "reliabilityScore", "accuracyScore", "overallScore", "score"):
        for holder in (result, *(one for one in result.values() if isinstance(one, dict))):
            if isinstance(holder.get(name), int | float):
                return float(holder[name])
    return None


def kind_of(step: str) -> str:
    """Calls of one kind have one layout: `round_2_match_0/repair` is a `round_N_match_N`."""
    bare = step.partition("/")[0]
    for whole in ("specialist", "cross_review"):
        if bare.startswith(f"{whole}_"):
            return whole
    return re.sub(r"(?<=_)\d+", "N", bare)


def calls_by_kind(calls: Sequence[Call]) -> dict[str, dict[str, int]]:
    kinds: dict[str, Counter[str]] = {}
    for call in calls:
        counts = kinds.setdefault(kind_of(call.step), Counter())
        counts["repairs" if "/repair" in call.step else "replies"] += 1
        counts["failed"] += call.kind is not None
        counts["cut"] += cut_off(call.finish_reason) is not None
    return {kind: dict(counts) for kind, counts in sorted(kinds.items()) if kind != "title"}


def findings(deliberation: Deliberation) -> Iterator[str]:
    """What a mode reports as faults, one text each."""
    for _, stored in deliberation.stored_events:
        data = orjson.loads(stored.body).get("data") or {}
        if not isinstance(data, dict):
            continue
        match deliberation.record.mode, stored.type:
            case "red_team", "attack_complete":
                yield from map(_text, data.get("findings") or ())
            case "peer_review", "consolidation_complete":
                yield from map(_text, data.get("issues") or ())
            case "fact_check", "report_complete":
                for claim in _claims(data):
                    if any(word in _text(claim).upper() for word in FALSE_VERDICTS):
                        yield _text(claim)


def _claims(data: dict[str, Any]) -> list[Any]:
    return next((value for name, value in data.items() if "laim" in name and isinstance(value, list)), [])


def _text(finding: Any) -> str:
    return orjson.dumps(finding).decode()


def _keep(deliberation: Deliberation, figures: RunFigures, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    whole = {
        "figures": asdict(figures),
        "seed": deliberation.record.seed,
        "config": orjson.loads(deliberation.record.config),
        "question": deliberation.record.question,
        "calls": [
            {
                "step": call.step,
                "seat": call.seat,
                "model": call.model,
                "text": call.text,
                "finish": call.finish_reason,
                "kind": call.kind,
                "reason": call.reason,
            }
            for call in deliberation.calls
        ],
        "events": [orjson.loads(stored.body) for _, stored in deliberation.stored_events],
    }
    file.write_bytes(gzip.compress(orjson.dumps(whole), mtime=0))
