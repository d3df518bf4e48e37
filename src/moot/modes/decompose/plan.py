"""A plan of sub-tasks as a model wrote it: read, found wanting, mended.

TASK task_2:
Title: Costs
Description: Estimate what it costs in the first year.
Dependencies: task_1
Complexity: MEDIUM
Expertise: analytical

A missing field costs nothing; a need that names no other task of the plan is dropped with a warning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from moot.deliberation.choices import closed_word
from moot.deliberation.parsing import NOTHING_SHOWN, Line, Shown, lines
from moot.deliberation.sections import Block, Section, blocks, sections
from moot.deliberation.text import numbers_named
from moot.kernel.values import Wire
from moot.modes.decompose.graph import Complexity, circle, first_tasks, without_circles

TITLE_WORDS = 8
_ID = r"(?:task[\s_#-]*)?\d{1,6}"
_ENDS = ("END OF PLAN", "EXECUTION SUMMARY", "Total tasks")
_FIELDS = {
    "title": ("Name",),
    "description": ("Deliverable", "Deliverables"),
    "dependencies": ("Dependency", "Depends on", "Requires"),
    "complexity": (),
    "expertise": (),
}
_NEEDS_LABEL = re.compile(r"(?:dependenc(?:ies|y)|depends\s+on|requires)\s*[:=]?\s*$", re.IGNORECASE)
_BULLET = re.compile(r"\s*[-+*•–—·]\s+[^:]+$")
_NOTHING = re.compile(r"\W*(?:none|n/?a|nil|nothing)\b", re.IGNORECASE)
_CODE = re.compile(r"```[^\n`]*\n(.*?)\n[^\S\n]*```", re.DOTALL)
_KNOWN_EXPERTISE = ("technical", "creative", "analytical", "general")
_COMPLEXITIES: tuple[Complexity, ...] = ("LOW", "MEDIUM", "HIGH")


class Task(Wire):
    id: str
    title: str
    description: str
    dependencies: list[str]
    complexity: Complexity
    expertise: str


@dataclass(frozen=True)
class Plan:
    """Tasks in plan order. `advice` is what was set right without loss, `losses` what the plan said and
    cannot be kept."""

    tasks: tuple[Task, ...]
    advice: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()

    @property
    def needs(self) -> dict[str, list[str]]:
        return {task.id: task.dependencies for task in self.tasks}

    def __getitem__(self, task_id: str) -> Task:
        return next(task for task in self.tasks if task.id == task_id)


@dataclass(frozen=True)
class _Draft:
    """A task before its number is known to be its own."""

    number: int | None
    title: str = ""
    description: str = ""
    needs: list[int] = field(default_factory=list)
    complexity: str = ""
    expertise: str = ""


def read_plan(text: str, shown: Shown = NOTHING_SHOWN) -> Plan:
    """The plan of a reply: its TASK blocks, also inside a code block; else JSON."""
    for part in (text, *_CODE.findall(text)):
        drafts = [_draft_of(block) for block in _own(_task_blocks(part), shown)]
        drafts = [draft for draft in drafts if draft.title or draft.description]
        if drafts:
            return _numbered(drafts)
    for part in (text, *_CODE.findall(text)):
        drafts = list(_json_drafts(part))
        if drafts:
            return _numbered(drafts)
    return Plan(())


def _task_blocks(text: str) -> list[Block]:
    return blocks(_with_folded_needs(lines(text)), "TASK", ident=_ID, until=_ENDS)


def _own(found: list[Block], shown: Shown) -> list[Block]:
    """Without blocks that begin as one in what the planner was shown, if there are others."""
    return [block for block in found if not _is_quoted(block, shown)] or found


def _is_quoted(block: Block, shown: Shown) -> bool:
    under = next((line.plain for line in block.lines if line.plain), "")
    return bool(under) and shown.has_line(f"TASK {block.id} {block.title}") and shown.has_line(under)


def _with_folded_needs(prepared: Sequence[Line]) -> list[Line]:
    """Bullets directly under a Dependencies label joined to its line, lest `- Task 1` be taken for a
    header."""
    folded: list[Line] = []
    under_label = False
    for line in prepared:
        if under_label and _BULLET.match(line.raw):
            label = folded[-1]
            folded[-1] = Line(f"{label.raw} {line.plain},", f"{label.plain} {line.plain},")
            continue
        under_label = _NEEDS_LABEL.match(line.plain) is not None
        folded.append(Line("Dependencies:", "Dependencies:", line.fenced) if under_label else line)
    return folded


def _draft_of(block: Block) -> _Draft:
    found = sections(block.lines, _FIELDS)

    def said(name: str) -> str:
        return found[name].text if name in found else ""

    description = said("description") or _unlabelled(block, found)
    return _Draft(
        number=block.number,
        title=_one_line(said("title") or block.title),
        description=description,
        needs=_needed(_first_paragraph(found["dependencies"]) if "dependencies" in found else ""),
        complexity=said("complexity"),
        expertise=said("expertise"),
    )


def _unlabelled(block: Block, found: Mapping[str, Section]) -> str:
    """A block without any label is a description."""
    return "" if found else block.text


def _first_paragraph(section: Section) -> str:
    return re.split(r"\n\s*\n", section.text, maxsplit=1)[0]


def _needed(value: str) -> list[int]:
    return [] if _NOTHING.match(value) else numbers_named(value, "task")


def _one_line(title: str) -> str:
    return " ".join(title.replace("**", "").split())[:200]


def _json_drafts(text: str) -> Iterable[_Draft]:
    starts = [at for at in (text.find("{"), text.find("[")) if at >= 0]
    end = max(text.rfind("}"), text.rfind("]"))
    try:
        value = json.loads(text[min(starts) : end + 1]) if starts else None
    except (ValueError, RecursionError):
        return []
    if isinstance(value, dict):
        value = next(
            (value[key] for key in ("tasks", "subtasks", "sub_tasks", "plan") if key in value), value
        )
    entries = value if isinstance(value, list) else [value]
    drafts = [_json_draft(entry) for entry in entries if isinstance(entry, dict)]
    return [draft for draft in drafts if draft.title or draft.description]


def _json_draft(entry: Mapping[str, Any]) -> _Draft:
    def said(*names: str) -> str:
        value = next((entry[name] for name in names if entry.get(name) is not None), "")
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value).strip()

    number = numbers_named(said("id", "taskId", "task_id", "task"), "task")
    return _Draft(
        number=number[0] if number else None,
        title=_one_line(said("title", "name")),
        description=said("description", "deliverable"),
        needs=_needed(said("dependencies", "dependsOn", "depends_on", "requires")),
        complexity=said("complexity"),
        expertise=said("expertise"),
    )


def _numbered(drafts: Sequence[_Draft]) -> Plan:
    """Ids given, needs checked. Of a number that is used twice the first keeps it, and references mean
    that one."""
    taken = {draft.number for draft in drafts if draft.number is not None}
    own: list[_Draft] = []
    used: set[int] = set()
    for place, draft in enumerate(drafts, 1):
        number = draft.number if draft.number is not None else place
        while number in used or (number in taken and draft.number is None):
            number += 1
            draft = replace(draft, number=None)
        used.add(number)
        own.append(replace(draft, number=number))
    advice: list[str] = []
    tasks = [_task(draft, used, advice) for draft in own]
    return Plan(tuple(tasks), tuple(advice))


def _task(draft: _Draft, known: set[int], advice: list[str]) -> Task:
    name = f"task_{draft.number}"
    needs = []
    for need in draft.needs:
        if need == draft.number:
            advice.append(f"{name} was said to need itself.")
        elif need not in known:
            advice.append(f"{name} was said to need task_{need}, which is not in the plan.")
        else:
            needs.append(f"task_{need}")
    title = draft.title or " ".join(draft.description.split()[:TITLE_WORDS])[:200]
    return Task(
        id=name,
        title=title,
        description=draft.description or title,
        dependencies=needs,
        complexity=next(
            (c for c in _COMPLEXITIES if c == closed_word(draft.complexity, _COMPLEXITIES)), "MEDIUM"
        ),
        expertise=_expertise(draft.expertise),
    )


def _expertise(value: str) -> str:
    """One of the four words of the prompt, or another in a few words; an offer of several is none."""
    known = closed_word(value, _KNOWN_EXPERTISE)
    words = re.findall(r"[^\W_][\w-]*", value)
    return known or (" ".join(words).casefold() if 1 <= len(words) <= 3 else "general")


def defects(plan: Plan, limit: int) -> list[str]:
    """What the planner is asked to repair, in one go."""
    if not plan.tasks:
        return ["no TASK blocks found"]
    found = []
    if len(plan.tasks) > limit:
        found.append(f"{len(plan.tasks)} sub-tasks, the limit is {limit}: merge related ones")
    if around := circle(plan.needs):
        found.append(f"circular dependency: {' -> '.join(around)}")
    return found


def mended(plan: Plan, limit: int) -> Plan:
    """The plan without circles and within the limit; what that cost is said in its losses."""
    losses = list(plan.losses)
    unwound = without_circles(plan.needs)
    if unwound.dropped:
        pairs = ", ".join(f"{task} no longer needs {need}" for task, need in unwound.dropped)
        losses.append(f"The plan went round in circles: {pairs}.")
    tasks = [task.model_copy(update={"dependencies": unwound.needs[task.id]}) for task in plan.tasks]
    kept = first_tasks(unwound.needs, limit)
    if len(kept) < len(tasks):
        out = ", ".join(task.id for task in tasks if task.id not in kept)
        losses.append(f"The plan had {len(tasks)} sub-tasks, the limit is {limit}: {out} left out.")
    return Plan(tuple(task for task in tasks if task.id in kept), plan.advice, tuple(losses))


def whole_request(question: str) -> Plan:
    """What is done when no plan could be read: the request is the only task."""
    task = Task(
        id="task_1",
        title="The whole request",
        description=question,
        dependencies=[],
        complexity="MEDIUM",
        expertise="general",
    )
    return Plan((task,), losses=("No sub-tasks could be read from the plan: the request is one task.",))
