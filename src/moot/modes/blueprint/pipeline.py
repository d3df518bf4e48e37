"""The stages of a blueprint: the architect plans, the authors write side by side, the editor joins the parts.

A section whose author fails goes to the next author; a document without an editor is put together plainly.
"""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.cut_replies import legible
from moot.deliberation.retries import ask_to_mend
from moot.deliberation.text import word_count
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.run import Run, answered, seats
from moot.kernel.values import Answer, Failure
from moot.modes.blueprint.assembly import Assembly, Manuscript, assemble
from moot.modes.blueprint.config import BlueprintConfig
from moot.modes.blueprint.events import (
    AllSectionsComplete,
    AssembledDocument,
    AssemblyComplete,
    AssemblyStart,
    Expansion,
    ExpansionStart,
    FailedSection,
    OutlineComplete,
    OutlineData,
    OutlineStart,
    SectionComplete,
    SectionsSummary,
    WrittenSection,
)
from moot.modes.blueprint.layouts import SUMMARY_LAYOUT
from moot.modes.blueprint.outline import (
    FEWEST_SECTIONS,
    MOST_SECTIONS,
    Outline,
    PlannedSection,
    read_outline,
)
from moot.modes.blueprint.prompts import (
    assembly_prompt,
    outline_again_prompt,
    outline_prompt,
    section_prompt,
)

SECTIONS_SECONDS = 120.0
ASSEMBLY_SECONDS = 60.0
"""Of the pipeline's time, kept for the stages that are still to come."""
LONGEST_SHOWN = 240_000
"""If the sections have more characters together, the editor sees the beginning of each."""
MANY_SECTIONS = 12


async def blueprint(run: Run[BlueprintConfig]) -> None:
    await run.emit(OutlineStart())
    outline = await plan(run)
    await run.emit(OutlineComplete(data=outline))
    if outline.total_sections < FEWEST_SECTIONS:
        raise RunFailed(f"Outline has too few sections ({outline.total_sections}, minimum {FEWEST_SECTIONS})")

    await run.emit(ExpansionStart(data=Expansion(total_sections=outline.total_sections)))
    outcomes = await run.together(write(run, outline, section) for section in outline.sections)
    sections = answered(outcomes)
    failed = [
        FailedSection.of(planned, outcome)
        for planned, outcome in zip(outline.sections, outcomes, strict=True)
        if isinstance(outcome, Failure)
    ]
    for section in failed:
        message = f'Section {section.section_number} "{section.section_title}" was not written.'
        await run.degrade(message, "not_written", f"section_{section.section_number}")
    await run.emit(AllSectionsComplete(data=SectionsSummary.of(sections, failed)))
    if not sections:
        raise RunFailed("All sections failed")

    await run.emit(AssemblyStart())
    manuscript = Manuscript(
        title=outline.document_title,
        titles=outline.titles,
        bodies={section.section_number: section.content for section in sections},
        dropped=outline.dropped_sections,
        condensed=sum(len(section.content) for section in sections) > LONGEST_SHOWN,
    )
    reply = await edit(run, outline, sections, manuscript.condensed)
    assembly: Assembly = await run.aside(assemble, manuscript, legible(reply) if reply else None)
    if reply and (assembly.mode == "plain" or (assembly.mode == "patched" and not assembly.has_summary)):
        reply, assembly = await edit_again(run, outline, sections, manuscript, reply, assembly)
    await warn_about_assembly(run, assembly, reply, manuscript.words)
    document = AssembledDocument.of(assembly, reply, outline, failed, manuscript.condensed, run.state)
    await run.emit(AssemblyComplete(data=document))


async def plan(run: Run[BlueprintConfig]) -> OutlineData:
    """The architect's plan; asked for once more if it has too few or too many sections."""
    config, reserve = run.config, SECTIONS_SECONDS + ASSEMBLY_SECONDS
    try:
        reply = await run.ask("outline", config.architect_model, outline_prompt(run), reserve=reserve)
    except NoAnswer:
        raise RunFailed("Architect failed to produce an outline") from None
    outline: Outline = await run.aside(read_outline, legible(reply), run.question)
    repaired = False
    if outline.fault:
        again = await plan_again(run, reply, outline.fault, reserve)
        better: Outline = await run.aside(read_outline, legible(again), run.question) if again else outline
        if again and not (better.fault and len(outline.sections) > len(better.sections)):
            reply, outline, repaired = again, better, True
    await warn_about_plan(run, outline)
    return OutlineData.of(
        outline, reply, config.document_type, config.author_models, repaired, tuple(run.warnings)
    )


async def plan_again(run: Run[BlueprintConfig], reply: Answer, fault: str, reserve: float) -> Answer | None:
    prompt = outline_again_prompt(run, reply.response, fault)
    try:
        answer = await run.ask(
            "outline/repair", run.config.architect_model, prompt, reserve=reserve, report_failure=False
        )
    except NoAnswer:
        return None
    return answer.model_copy(update={"response_time_ms": reply.response_time_ms + answer.response_time_ms})


async def warn_about_plan(run: Run[BlueprintConfig], outline: Outline) -> None:
    count = len(outline.sections)
    if outline.parse != "markers":
        source = "headings" if outline.parse == "headings" else "list"
        message = f"The plan did not keep to its layout: its sections were read from its {source}."
        await run.warn(message, "layout", "outline")
    if count > MOST_SECTIONS:
        message = (
            f"The plan has {count} sections: the first {MOST_SECTIONS} are written, the rest are open points."
        )
        await run.degrade(message, "too_many_sections", "outline")
    elif count > MANY_SECTIONS:
        message = f"The plan has {count} sections; 6 to {MANY_SECTIONS} were asked for."
        await run.warn(message, "long", "outline")


async def write(run: Run[BlueprintConfig], outline: OutlineData, section: PlannedSection) -> WrittenSection:
    """One section by its author; by the next in the list if that one fails, by none if both do."""
    authors = seats(run.config.author_models)
    first = (section.number - 1) % len(authors) + 1
    second = first % len(authors) + 1
    step = f"section_{section.number}"
    try:
        written = await attempt(run, step, first, outline, section)
    except NoAnswer as silent:
        # A lone author is asked again: the seat is given up only if that fails too.
        if second != first:
            await run.give_up(silent.failure)
        try:
            written = await attempt(
                run, f"{step}/again", second, outline, section, reassigned=second != first
            )
        except NoAnswer as again:
            await run.give_up(again.failure)
            raise
    await run.emit(SectionComplete(data=written), key=str(section.number))
    return written


async def attempt(
    run: Run[BlueprintConfig],
    step: str,
    seat: int,
    outline: OutlineData,
    section: PlannedSection,
    *,
    reassigned: bool = False,
) -> WrittenSection:
    model = run.config.author_models[seat - 1]
    prompt = section_prompt(run, outline, section)
    reply = await run.ask(step, model, prompt, seat=seat, reserve=ASSEMBLY_SECONDS, report_failure=False)
    written: WrittenSection = await run.aside(
        WrittenSection.of, reply, section, seat, outline.total_sections, reassigned
    )
    if not written.content:
        raise NoAnswer(run.unreadable(reply, step, f"{model} sent section {section.number} without a text."))
    return written


async def edit(
    run: Run[BlueprintConfig], outline: OutlineData, sections: Sequence[WrittenSection], condensed: bool
) -> Answer | None:
    if 2 * len(sections) < outline.total_sections:
        message = "Fewer than half of the sections were written: they were put together without an editor."
        await run.degrade(message, "no_editor", "assembly")
        return None
    if condensed:
        message = "The sections are too long to be edited word by word: the editor saw the beginning of each."
        await run.degrade(message, "condensed", "assembly")
    try:
        prompt = assembly_prompt(run, outline, sections, condensed)
        return await run.ask("assembly", run.config.assembler_model, prompt)
    except NoAnswer:
        message = "The editor did not answer: the sections were put together as they were written."
        await run.degrade(message, "no_editor", "assembly")
        return None


async def edit_again(
    run: Run[BlueprintConfig],
    outline: OutlineData,
    sections: Sequence[WrittenSection],
    manuscript: Manuscript,
    reply: Answer,
    assembly: Assembly,
) -> tuple[Answer, Assembly]:
    """The editor sees its own reply and that its summary is missing; the edits it made before stand."""
    again = await ask_to_mend(
        run,
        reply,
        assembly_prompt(run, outline, sections, manuscript.condensed),
        step="assembly",
        problem="it holds no executive summary",
        layout=SUMMARY_LAYOUT,
        since=2,
    )
    if again is None:
        return reply, assembly
    replies = (again,) if assembly.mode == "plain" else (again, reply)
    second: Assembly = await run.aside(assemble, manuscript, "\n".join(map(legible, replies)))
    if second.mode != "patched" or not second.has_summary:
        return reply, assembly
    return again.model_copy(update={"response": "\n".join(one.response for one in replies)}), second


async def warn_about_assembly(
    run: Run[BlueprintConfig], assembly: Assembly, reply: Answer | None, words: int
) -> None:
    if assembly.mode == "plain" and reply:
        message = "The editor's reply could not be used: the sections were put together as they were written."
        await run.degrade(message, "unreadable", "assembly")
    elif assembly.mode == "patched" and not assembly.has_summary:
        await run.degrade("The editor wrote no executive summary.", "no_summary", "assembly")
    elif assembly.mode == "rewritten" and word_count(assembly.document) < words:
        message = "The editor wrote the document out again, with fewer words than the authors."
        await run.degrade(message, "rewritten", "assembly")
    elif assembly.mode == "rewritten":
        await run.warn("The editor wrote the document out again.", "rewritten", "assembly")
