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
from moot.modes.decompose.graph import Complexity, break_cycles, find_cycle, first_tasks

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
_LABEL = re.compile(r"(?:title|description|dependenc(?:ies|y)|complexity|expertise)\s*[:=]", re.IGNORECASE)
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
        drafts = [_draft_of(block) for block in _own_blocks(_task_blocks(part), shown)]
        drafts = [draft for draft in drafts if draft.title or draft.description]
        if drafts:
            return _number_tasks(drafts)
    for part in (text, *_CODE.findall(text)):
        drafts = list(_json_drafts(part))
        if drafts:
            return _number_tasks(drafts)
    return Plan(())


def _task_blocks(text: str) -> list[Block]:
    return blocks(_fold_needs(lines(text)), "TASK", ident=_ID, until=_ENDS)


def _own_blocks(candidates: list[Block], shown: Shown) -> list[Block]:
    """Without blocks that begin as one in what the planner was shown, if there are others."""
    return [block for block in candidates if not _is_quoted(block, shown)] or candidates


def _is_quoted(block: Block, shown: Shown) -> bool:
    under = next((line.plain for line in block.lines if line.plain), "")
    return bool(under) and shown.has_line(f"TASK {block.id} {block.title}") and shown.has_line(under)


def _fold_needs(prepared: Sequence[Line]) -> list[Line]:
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
    fields = sections(block.lines, _FIELDS)

    def value(name: str) -> str:
        return fields[name].text if name in fields else ""

    description = value("description") or _unlabelled(block, fields)
    return _Draft(
        number=block.number,
        title=_one_line(value("title") or block.title),
        description=description,
        needs=_need_numbers(_first_paragraph(fields["dependencies"]) if "dependencies" in fields else ""),
        complexity=value("complexity"),
        expertise=value("expertise"),
    )


def _unlabelled(block: Block, fields: Mapping[str, Section]) -> str:
    """A block without any label is a description; one whose labels all hold the layout's samples is none."""
    labelled = any(_LABEL.match(line.plain) for line in block.lines)
    return "" if fields or labelled else block.text


def _first_paragraph(section: Section) -> str:
    return re.split(r"\n\s*\n", section.text, maxsplit=1)[0]


def _need_numbers(value: str) -> list[int]:
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
    def text(*names: str) -> str:
        value = next((entry[name] for name in names if entry.get(name) is not None), "")
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value).strip()

    number = numbers_named(text("id", "taskId", "task_id", "task"), "task")
    return _Draft(
        number=number[0] if number else None,
        title=_one_line(text("title", "name")),
        description=text("description", "deliverable"),
        needs=_need_numbers(text("dependencies", "dependsOn", "depends_on", "requires")),
        complexity=text("complexity"),
        expertise=text("expertise"),
    )


def _number_tasks(drafts: Sequence[_Draft]) -> Plan:
    """Ids given, needs checked. Of a number that is used twice the first keeps it, and references mean
    that one."""
    written_numbers = {draft.number for draft in drafts if draft.number is not None}
    numbered: list[_Draft] = []
    numbers: set[int] = set()
    for place, draft in enumerate(drafts, 1):
        number = draft.number if draft.number is not None else place
        while number in numbers or (number in written_numbers and draft.number is None):
            number += 1
            draft = replace(draft, number=None)
        numbers.add(number)
        numbered.append(replace(draft, number=number))
    advice: list[str] = []
    tasks = [_task(draft, numbers, advice) for draft in numbered]
    return Plan(tuple(tasks), tuple(advice))


def _task(draft: _Draft, numbers: set[int], advice: list[str]) -> Task:
    name = f"task_{draft.number}"
    needs = []
    for need in draft.needs:
        if need == draft.number:
            advice.append(f"{name} was said to need itself.")
        elif need not in numbers:
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
    problems = []
    if len(plan.tasks) > limit:
        problems.append(f"{len(plan.tasks)} sub-tasks, the limit is {limit}: merge related ones")
    if cycle := find_cycle(plan.needs):
        problems.append(f"circular dependency: {' -> '.join(cycle)}")
    return problems


def mend_plan(plan: Plan, limit: int) -> Plan:
    """The plan without circles and within the limit; what that cost is said in its losses."""
    losses = list(plan.losses)
    acyclic = break_cycles(plan.needs)
    if acyclic.dropped:
        pairs = ", ".join(f"{task} no longer needs {need}" for task, need in acyclic.dropped)
        losses.append(f"The plan was circular: {pairs}.")
    tasks = [task.model_copy(update={"dependencies": acyclic.needs[task.id]}) for task in plan.tasks]
    first = first_tasks(acyclic.needs, limit)
    if len(first) < len(tasks):
        left_out = ", ".join(task.id for task in tasks if task.id not in first)
        losses.append(f"The plan had {len(tasks)} sub-tasks, the limit is {limit}: {left_out} left out.")
    return Plan(tuple(task for task in tasks if task.id in first), plan.advice, tuple(losses))


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
