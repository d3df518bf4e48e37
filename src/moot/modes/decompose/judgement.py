"""What a decomposition leaves out: tasks that failed, or had to do without what they needed."""

from __future__ import annotations

from collections.abc import Sequence

from moot.kernel.events import Event, every
from moot.kernel.judgement import Findings, Judgement
from moot.modes.decompose.events import TaskComplete


def judgement(events: Sequence[Event]) -> Judgement:
    tasks = [event.data for event in every(events, TaskComplete)]
    if not tasks:
        return Judgement()
    return Judgement(
        findings=Findings(partial_coverage=tuple(task.title for task in tasks if task.failed or task.gap))
    )
