"""The stages of decompose: plan, assign, solve each task when what it needs is resolved, assemble.

A plan that cannot be used is repaired once; a task that fails goes to another worker; what is missing in the
end, the answer says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import Shown
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.run import Run, seats
from moot.kernel.values import Answer, Failure
from moot.modes.decompose.config import DecomposeConfig
from moot.modes.decompose.events import (
    AssemblyComplete,
    AssemblyData,
    AssemblyFallback,
    AssemblyStart,
    AssignmentComplete,
    AssignmentData,
    PlanComplete,
    PlanData,
    PlanStart,
    TaskComplete,
    TaskStart,
    TaskStartData,
    WaveComplete,
    WaveStart,
)
from moot.modes.decompose.graph import execution_waves, longest_chain
from moot.modes.decompose.plan import Plan, Task, defects, mend_plan, read_plan, whole_request
from moot.modes.decompose.prompts import assembly_prompt, plan_prompt, repair_prompt, worker_prompt
from moot.modes.decompose.tasks import (
    Attempt,
    Work,
    Worker,
    empty_reply,
    join_parts,
    strip_echo,
)

ASSEMBLY_SECONDS = 90.0
"""What the assembler keeps of the pipeline's time, or one call's timeout if that is shorter."""


async def decompose(run: Run[DecomposeConfig]) -> None:
    await run.emit(PlanStart())
    proposal = await make_plan(run)
    work = Work.of(run.config, proposal.plan, proposal.reply.ended_ms)
    await run.emit(PlanComplete(data=plan_data(run, proposal, work)))
    await run.emit(AssignmentComplete(data=AssignmentData(assignments=work.assignments)))

    await run.in_order(work.plan.needs, lambda task_id: solve(run, work, work.plan[task_id]))
    if not work.completed:
        raise RunFailed(" ".join(["All sub-tasks failed.", *run.warnings]))

    await run.emit(AssemblyStart())
    answer = await assemble(run, work)
    await run.emit(AssemblyComplete(data=assembly_data(run, work, answer)))


@dataclass(frozen=True)
class ProposedPlan:
    """A plan and where it came from: `reply` is the last that was read, `response_time_ms` what all calls
    took together. `is_unread`: no task could be read, and the request stands as the only one."""

    plan: Plan
    reply: Answer
    response_time_ms: int
    repaired: bool = False
    is_unread: bool = False


async def make_plan(run: Run[DecomposeConfig]) -> ProposedPlan:
    """The planner's plan. One repair call names all that is wrong with it; the rest is mended here."""
    proposal = await ask_for_plan(run)
    problems = defects(proposal.plan, run.config.max_tasks)
    if problems:
        proposal = await repair_plan(run, proposal, problems)
    is_unread = not proposal.plan.tasks
    plan = whole_request(run.question) if is_unread else mend_plan(proposal.plan, run.config.max_tasks)
    for message in plan.advice:
        await run.warn(message, "plan", "plan")
    for message in plan.losses:
        await run.degrade(message, "plan", "plan")
    return replace(proposal, plan=plan, is_unread=is_unread)


async def ask_for_plan(run: Run[DecomposeConfig]) -> ProposedPlan:
    """Of the planner, else of the first worker that is another model."""
    planner, prompt = run.config.planner_model, plan_prompt(run)
    workers = seats(run.config.worker_models)
    others = [(seat, model) for seat, model in workers.items() if model != planner]
    reasons = ["Planner failed to produce a task plan."]
    for step, (seat, model) in zip(("plan", "plan/again"), [(None, planner), *others], strict=False):
        try:
            reply = await run.ask(step, model, prompt, seat=seat, reserve=2 * assembly_reserve(run.config))
        except NoAnswer as silent:
            reasons.append(silent.failure.reason)
            continue
        return ProposedPlan(read_plan(legible(reply), Shown([run.question])), reply, reply.response_time_ms)
    raise RunFailed(" ".join(reasons))


async def repair_plan(
    run: Run[DecomposeConfig], first: ProposedPlan, problems: Sequence[str]
) -> ProposedPlan:
    """The plan as sent again by whoever made it, if that has tasks; else the first one."""
    prompt = repair_prompt(run, first.reply.response, problems)
    try:
        reply = await run.ask(
            "plan/repair",
            first.reply.model,
            prompt,
            seat=first.reply.seat,
            reserve=2 * assembly_reserve(run.config),
            report_failure=False,
        )
    except NoAnswer as silent:
        return replace(first, response_time_ms=first.response_time_ms + silent.failure.response_time_ms)
    plan = read_plan(legible(reply), Shown([run.question]))
    both_ms = first.response_time_ms + reply.response_time_ms
    if not plan.tasks:
        return replace(first, response_time_ms=both_ms)
    return ProposedPlan(plan, reply, both_ms, repaired=True)


def assembly_reserve(config: DecomposeConfig) -> float:
    """Seconds that the assembler needs."""
    return min(config.timeout_ms / 1000, ASSEMBLY_SECONDS)


async def solve(run: Run[DecomposeConfig], work: Work, task: Task) -> None:
    """One task, on another worker if the first fails. Whatever comes of it, those that need it go on."""
    await run.emit(WaveStart(data=work.wave_start(task)), key=str(work.waves[task.id]))
    attempts: list[Attempt] = []
    if await run.time_for(task.id, assembly_reserve(run.config)):
        attempts = await try_twice(run, work, task)
    else:
        await run.degrade(f"{task.id} was not started: there was no time left.", "pipeline_timeout", task.id)
    await run.emit(TaskComplete(data=work.resolve(task, attempts).data), key=task.id)
    for wave in work.complete_waves:
        await run.emit(WaveComplete(data=wave), key=str(wave.wave_number))


async def try_twice(run: Run[DecomposeConfig], work: Work, task: Task) -> list[Attempt]:
    limit = run.config.max_dependency_chars
    for need in task.dependencies:
        length = len(work.output_of(need) or "")
        if length > limit:
            message = f"{task.id} was shown {limit} of the {length} characters of {need}."
            await run.degrade(message, "shortened", task.id)
    prompt = worker_prompt(run, work, task)
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
    step, reserve = task.id if number == 1 else f"{task.id}/again", assembly_reserve(run.config)
    try:
        reply = await run.ask(
            step, worker.model, prompt, seat=worker.seat, reserve=reserve, report_failure=False
        )
    except NoAnswer as silent:
        return Attempt.failed(worker, silent.failure)
    return Attempt.of(worker, reply, step)


@dataclass(frozen=True)
class AssembledAnswer:
    """The answer and who wrote it; nobody, if the parts were only joined."""

    response: str
    model: str | None = None
    response_time_ms: int | None = None
    ended_ms: int = 0
    skipped: bool = False
    fallback: AssemblyFallback | None = None


async def assemble(run: Run[DecomposeConfig], work: Work) -> AssembledAnswer:
    """By the assembler, else by a substitute, else by joining the parts. One task alone is the answer."""
    if len(work.plan.tasks) == 1:
        part = work.outcomes[work.plan.tasks[0].id].data
        return AssembledAnswer(part.output, part.model, skipped=True)
    prompt, assembler = assembly_prompt(run, work), Worker(None, run.config.assembler_model)
    answer = await ask_assembler(run, "assembly", assembler, prompt)
    if isinstance(answer, AssembledAnswer):
        return answer
    await run.give_up(answer)
    part = work.outcomes[work.completed[0].id].data
    planner = Worker(None, run.config.planner_model)
    stand_in = planner if planner != assembler else Worker(part.seat, part.model)
    answer = await ask_assembler(run, "assembly/again", stand_in, prompt)
    if isinstance(answer, AssembledAnswer):
        message = f"{stand_in.model} assembled in place of {assembler.model}."
        await run.degrade(message, "assembly", "assembly")
        return replace(answer, fallback="substitute_model")
    message = run.wording(
        f"No model assembled the parts, so they are listed one after another. {answer.reason}",
        original=f"No model assembled the parts, so they follow one after another: {answer.reason}",
    )
    await run.degrade(message, "assembly", "assembly")
    return AssembledAnswer(join_parts(work), fallback="concatenation")


async def ask_assembler(
    run: Run[DecomposeConfig], step: str, writer: Worker, prompt: str
) -> AssembledAnswer | Failure:
    try:
        reply = await run.ask(step, writer.model, prompt, seat=writer.seat, report_failure=False)
    except NoAnswer as silent:
        return silent.failure
    text = strip_echo(reply.response)
    if not text:
        return empty_reply(reply, step)
    return AssembledAnswer(text, reply.model, reply.response_time_ms, reply.ended_ms)


def plan_data(run: Run[DecomposeConfig], proposal: ProposedPlan, work: Work) -> PlanData:
    waves = execution_waves(proposal.plan.needs)
    return PlanData(
        model=proposal.reply.model,
        seat=proposal.reply.seat,
        tasks=list(proposal.plan.tasks),
        execution_waves=waves,
        critical_path=longest_chain(proposal.plan.needs),
        max_parallelism=max(map(len, waves)),
        total_tasks=len(proposal.plan.tasks),
        repaired=proposal.repaired,
        parse_failure=proposal.is_unread,
        warnings=tuple(run.warnings),
        response_time_ms=proposal.response_time_ms,
        assignments=work.assignments,
        raw_text=proposal.reply.response,
    )


def assembly_data(run: Run[DecomposeConfig], work: Work, answer: AssembledAnswer) -> AssemblyData:
    ends = [work.started_ms, answer.ended_ms, *(outcome.ended_ms for outcome in work.outcomes.values())]
    return AssemblyData(
        model=answer.model,
        response=answer.response,
        response_time_ms=answer.response_time_ms,
        tasks_assembled=len(work.completed),
        missing_tasks=work.missing,
        skipped=answer.skipped,
        fallback=answer.fallback,
        execution_stats=work.statistics(max(ends)),
        **run.state,
    )
