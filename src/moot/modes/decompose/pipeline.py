"""The pipeline of decompose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from moot.deliberation.parsing import Shown
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.run import Run, seats
from moot.kernel.values import Answer, Failure
from moot.modes.decompose.config import DecomposeConfig
from moot.modes.decompose.events import (
    AssemblyComplete,
    AssemblyData,
    AssemblyStart,
    AssignmentComplete,
    AssignmentData,
    Fallback,
    PlanComplete,
    PlanData,
    PlanStart,
    TaskComplete,
    TaskStart,
    TaskStartData,
    WaveComplete,
    WaveStart,
)
from moot.modes.decompose.graph import in_waves, longest_chain
from moot.modes.decompose.plan import Plan, Task, defects, mended, read_plan, whole_request
from moot.modes.decompose.prompts import assembly_prompt, plan_prompt, repair_prompt, worker_prompt
from moot.modes.decompose.tasks import (
    Attempt,
    Work,
    Worker,
    joined_parts,
    nothing_but_a_heading,
    without_echo,
)

ASSEMBLY_SECONDS = 90.0
"""What the assembler keeps of the pipeline's time, or one call's timeout if that is shorter."""


async def decompose(run: Run[DecomposeConfig]) -> None:
    await run.emit(PlanStart())
    planned = await make_plan(run)
    work = planned.work(run.config)
    await run.emit(PlanComplete(data=plan_data(run, planned, work)))
    await run.emit(AssignmentComplete(data=AssignmentData(assignments=work.assignments)))

    await run.in_order(work.plan.needs, lambda task_id: solve(run, work, work.plan[task_id]))
    if not work.done:
        raise RunFailed(" ".join(["All sub-tasks failed.", *run.warnings]))

    await run.emit(AssemblyStart())
    assembled = await assemble(run, work)
    await run.emit(AssemblyComplete(data=assembly_data(run, work, assembled)))


@dataclass(frozen=True)
class Planned:
    """A plan and where it came from: `reply` is the last that was read, `took` all calls together."""

    plan: Plan
    reply: Answer
    took: int
    repaired: bool = False
    unread: bool = False

    def work(self, config: DecomposeConfig) -> Work:
        workers = seats(config.worker_models)
        return Work.of(self.plan, workers, config.worker_tags, config.planner_model, self.reply.ended_ms)


async def make_plan(run: Run[DecomposeConfig]) -> Planned:
    """The planner's plan. One repair call names all that is wrong with it; the rest is mended here."""
    planned = await ask_for_plan(run)
    wrong = defects(planned.plan, run.config.max_tasks)
    if wrong:
        planned = await repaired_plan(run, planned, wrong)
    unread = not planned.plan.tasks
    plan = whole_request(run.question) if unread else mended(planned.plan, run.config.max_tasks)
    for message in plan.advice:
        await run.warn(message, "plan", "plan")
    for message in plan.losses:
        await run.degrade(message, "plan", "plan")
    return replace(planned, plan=plan, unread=unread)


async def ask_for_plan(run: Run[DecomposeConfig]) -> Planned:
    """Of the planner, else of the first worker that is another model."""
    planner, prompt = run.config.planner_model, plan_prompt(run, run.config.max_tasks)
    workers = seats(run.config.worker_models)
    others = [(seat, model) for seat, model in workers.items() if model != planner]
    reasons = ["Planner failed to produce a task plan."]
    for step, (seat, model) in zip(("plan", "plan/again"), [(None, planner), *others], strict=False):
        try:
            reply = await run.ask(step, model, prompt, seat=seat, reserve=2 * time_kept(run.config))
        except NoAnswer as silent:
            reasons.append(silent.failure.reason)
            continue
        return Planned(read_plan(reply.response, Shown([run.question])), reply, reply.response_time_ms)
    raise RunFailed(" ".join(reasons))


async def repaired_plan(run: Run[DecomposeConfig], first: Planned, wrong: Sequence[str]) -> Planned:
    """The plan as sent again by whoever made it, if that has tasks; else the first one."""
    prompt = repair_prompt(run, run.config.max_tasks, first.reply.response, wrong)
    try:
        reply = await run.ask(
            "plan/repair",
            first.reply.model,
            prompt,
            seat=first.reply.seat,
            reserve=2 * time_kept(run.config),
            report_failure=False,
        )
    except NoAnswer as silent:
        return replace(first, took=first.took + silent.failure.response_time_ms)
    plan, took = read_plan(reply.response, Shown([run.question])), first.took + reply.response_time_ms
    return Planned(plan, reply, took, repaired=True) if plan.tasks else replace(first, took=took)


def time_kept(config: DecomposeConfig) -> float:
    """Seconds that the assembler needs."""
    return min(config.timeout_ms / 1000, ASSEMBLY_SECONDS)


async def solve(run: Run[DecomposeConfig], work: Work, task: Task) -> None:
    """One task, on another worker if the first fails. Whatever comes of it, those that need it go on."""
    await run.emit(WaveStart(data=work.wave_start(task)), key=str(work.waves[task.id]))
    attempts: list[Attempt] = []
    if await run.time_for(task.id, time_kept(run.config)):
        attempts = await try_twice(run, work, task)
    else:
        await run.degrade(f"{task.id} was not started: the time is used up.", "pipeline_timeout", task.id)
    await run.emit(TaskComplete(data=work.resolve(task, attempts).data), key=task.id)
    for wave in work.resolved_waves:
        await run.emit(WaveComplete(data=wave), key=str(wave.wave_number))


async def try_twice(run: Run[DecomposeConfig], work: Work, task: Task) -> list[Attempt]:
    limit = run.config.max_dependency_chars
    for need in task.dependencies:
        length = len(work.output_of(need) or "")
        if length > limit:
            message = f"{task.id} was shown {limit} of the {length} characters of {need}."
            await run.degrade(message, "shortened", task.id)
    prompt = worker_prompt(run, work, task, limit)
    first = await attempt(run, work, task, work.worker(task), prompt, 1)
    if first.failure is None:
        return [first]
    other = work.substitute(task)
    if other != first.worker:
        await run.give_up(first.failure)
    second = await attempt(run, work, task, other, prompt, 2)
    if second.failure:
        await run.give_up(second.failure)
    return [first, second]


async def attempt(
    run: Run[DecomposeConfig], work: Work, task: Task, worker: Worker, prompt: str, number: int
) -> Attempt:
    start = TaskStartData(
        task_id=task.id,
        title=task.title,
        seat=worker.seat,
        model=worker.model,
        wave_number=work.waves[task.id],
        attempt=number,
    )
    await run.emit(TaskStart(data=start), key=f"{task.id}/{number}")
    step, reserve = task.id if number == 1 else f"{task.id}/again", time_kept(run.config)
    try:
        reply = await run.ask(
            step, worker.model, prompt, seat=worker.seat, reserve=reserve, report_failure=False
        )
    except NoAnswer as silent:
        return Attempt.failed(worker, silent.failure)
    return Attempt.of(worker, reply, step)


@dataclass(frozen=True)
class Assembled:
    """The answer and who wrote it; nobody, if the parts were only joined."""

    response: str
    model: str | None = None
    response_time_ms: int | None = None
    ended_ms: int = 0
    skipped: bool = False
    fallback: Fallback | None = None


async def assemble(run: Run[DecomposeConfig], work: Work) -> Assembled:
    """By the assembler, else by a substitute, else by joining the parts. One task alone is the answer."""
    if len(work.plan.tasks) == 1:
        part = work.outcomes[work.plan.tasks[0].id].data
        return Assembled(part.output, part.model, skipped=True)
    prompt, assembler = assembly_prompt(run, work), Worker(None, run.config.assembler_model)
    whole = await write_whole(run, "assembly", assembler, prompt)
    if isinstance(whole, Assembled):
        return whole
    await run.give_up(whole)
    part = work.outcomes[work.done[0].id].data
    planner = Worker(None, run.config.planner_model)
    stand_in = planner if planner != assembler else Worker(part.seat, part.model)
    whole = await write_whole(run, "assembly/again", stand_in, prompt)
    if isinstance(whole, Assembled):
        message = f"{stand_in.model} assembled in place of {assembler.model}."
        await run.degrade(message, "assembly", "assembly")
        return replace(whole, fallback="substitute_model")
    message = f"Nobody assembled the parts, they are shown one after the other: {whole.reason}"
    await run.degrade(message, "assembly", "assembly")
    return Assembled(joined_parts(work), fallback="concatenation")


async def write_whole(
    run: Run[DecomposeConfig], step: str, writer: Worker, prompt: str
) -> Assembled | Failure:
    try:
        reply = await run.ask(step, writer.model, prompt, seat=writer.seat, report_failure=False)
    except NoAnswer as silent:
        return silent.failure
    text = without_echo(reply.response)
    if not text:
        return nothing_but_a_heading(reply, step)
    return Assembled(text, reply.model, reply.response_time_ms, reply.ended_ms)


def plan_data(run: Run[DecomposeConfig], planned: Planned, work: Work) -> PlanData:
    waves = in_waves(planned.plan.needs)
    return PlanData(
        model=planned.reply.model,
        seat=planned.reply.seat,
        tasks=list(planned.plan.tasks),
        execution_waves=waves,
        critical_path=longest_chain(planned.plan.needs),
        max_parallelism=max(map(len, waves)),
        total_tasks=len(planned.plan.tasks),
        repaired=planned.repaired,
        parse_failure=planned.unread,
        warnings=tuple(run.warnings),
        response_time_ms=planned.took,
        assignments=work.assignments,
        raw_text=planned.reply.response,
    )


def assembly_data(run: Run[DecomposeConfig], work: Work, whole: Assembled) -> AssemblyData:
    ends = [work.began_ms, whole.ended_ms, *(outcome.ended_ms for outcome in work.outcomes.values())]
    return AssemblyData(
        model=whole.model,
        response=whole.response,
        response_time_ms=whole.response_time_ms,
        tasks_assembled=len(work.done),
        missing_tasks=work.missing,
        skipped=whole.skipped,
        fallback=whole.fallback,
        execution_stats=work.statistics(max(ends)),
        **run.state,
    )
