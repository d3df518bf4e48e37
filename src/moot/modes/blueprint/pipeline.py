"""The pipeline of blueprint."""

from __future__ import annotations

from collections.abc import Sequence

from moot.deliberation.text import word_count
from moot.kernel.errors import NoAnswer, RunFailed
from moot.kernel.fences import Foreign, Part
from moot.kernel.run import Run, answered, seats
from moot.kernel.values import Answer
from moot.modes.blueprint.assembly import Assembly, assembled
from moot.modes.blueprint.config import BlueprintConfig
from moot.modes.blueprint.events import (
    AllSectionsComplete,
    AssembledDocument,
    AssemblyComplete,
    AssemblyStart,
    Expansion,
    ExpansionStart,
    OutlineComplete,
    OutlineData,
    OutlineStart,
    SectionComplete,
    SectionsHeard,
    WrittenSection,
    failed_sections,
    read_section,
)
from moot.modes.blueprint.outline import FEWEST, MOST, Outline, PlannedSection, read_outline
from moot.modes.blueprint.prompts import assembly_prompt, outline_prompt, section_prompt

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
    if outline.total_sections < FEWEST:
        raise RunFailed(f"Outline has too few sections ({outline.total_sections}, minimum {FEWEST})")

    await run.emit(ExpansionStart(data=Expansion(total_sections=outline.total_sections)))
    outcomes = await run.together(write(run, outline, section) for section in outline.sections)
    written, failed = answered(outcomes), failed_sections(outline.sections, outcomes)
    for one in failed:
        said = f'Section {one.section_number} "{one.section_title}" was not written.'
        await run.degrade(said, "not_written", f"section_{one.section_number}")
    await run.emit(AllSectionsComplete(data=SectionsHeard.of(written, failed)))
    if not written:
        raise RunFailed("All sections failed")

    await run.emit(AssemblyStart())
    texts = [section.content for section in written]
    too_long = sum(map(len, texts)) > LONGEST_SHOWN
    reply = await edit(run, outline, written, too_long)
    assembly = await run.aside(assembled, outline, written, reply.response if reply else None, too_long)
    await say_what_is_missing(run, assembly, reply, sum(section.word_count for section in written))
    document = AssembledDocument.of(assembly, reply, outline, failed, too_long, run.state)
    await run.emit(AssemblyComplete(data=document))


async def plan(run: Run[BlueprintConfig]) -> OutlineData:
    """The architect's plan; asked for once more if it has too few or too many sections."""
    prompt = outline_prompt(run, ())
    reserve = SECTIONS_SECONDS + ASSEMBLY_SECONDS
    try:
        reply = await run.ask("outline", run.config.architect_model, prompt, reserve=reserve)
    except NoAnswer:
        raise RunFailed("Architect failed to produce an outline") from None
    outline: Outline = await run.aside(read_outline, reply.response, run.question)
    repaired = False
    if outline.fault:
        again = await plan_again(run, reply, outline.fault, reserve)
        better: Outline = await run.aside(read_outline, again.response, run.question) if again else outline
        if again and not (better.fault and len(outline.sections) > len(better.sections)):
            reply, outline, repaired = again, better, True
    await say_what_is_odd(run, outline)
    config = run.config
    return OutlineData.of(
        outline, reply, config.document_type, config.author_models, repaired, tuple(run.warnings)
    )


async def plan_again(run: Run[BlueprintConfig], reply: Answer, fault: str, reserve: float) -> Answer | None:
    again: list[Part] = [
        f"Your last plan was unusable: {fault}. Write it again in full.\nYOUR LAST PLAN\n",
        Foreign(reply.response),
        "\n",
    ]
    prompt = outline_prompt(run, again)
    try:
        answer = await run.ask(
            "outline/repair", run.config.architect_model, prompt, reserve=reserve, report_failure=False
        )
    except NoAnswer:
        return None
    return answer.model_copy(update={"response_time_ms": reply.response_time_ms + answer.response_time_ms})


async def say_what_is_odd(run: Run[BlueprintConfig], outline: Outline) -> None:
    count = len(outline.sections)
    if outline.parse != "markers":
        said = "The plan did not keep to its layout: its sections were read from its "
        await run.warn(said + ("headings." if outline.parse == "headings" else "list."), "layout", "outline")
    if count > MOST:
        said = f"The plan has {count} sections: the first {MOST} are written, the rest are open points."
        await run.degrade(said, "too_many_sections", "outline")
    elif count > MANY_SECTIONS:
        await run.warn(
            f"The plan has {count} sections; 6 to {MANY_SECTIONS} were asked for.", "long", "outline"
        )


async def write(run: Run[BlueprintConfig], outline: OutlineData, section: PlannedSection) -> WrittenSection:
    """One section by its author; by the next in the list if that one fails, by none if both do."""
    authors = seats(run.config.author_models)
    first = (section.number - 1) % len(authors) + 1
    second = first % len(authors) + 1
    step = f"section_{section.number}"
    try:
        written = await attempt(run, step, first, outline, section)
    except NoAnswer as silent:
        if second != first:
            await run.give_up(silent.failure)
        try:
            written = await attempt(run, f"{step}/again", second, outline, section)
        except NoAnswer as again:
            await run.give_up(again.failure)
            raise
    await run.emit(SectionComplete(data=written), key=str(section.number))
    return written


async def attempt(
    run: Run[BlueprintConfig], step: str, seat: int, outline: OutlineData, section: PlannedSection
) -> WrittenSection:
    model = run.config.author_models[seat - 1]
    prompt = section_prompt(run, outline, section)
    reply = await run.ask(step, model, prompt, seat=seat, reserve=ASSEMBLY_SECONDS, report_failure=False)
    handed_over = seat != (section.number - 1) % len(run.config.author_models) + 1
    written: WrittenSection = await run.aside(
        read_section, reply, section, seat, outline.total_sections, handed_over
    )
    if not written.content:
        raise NoAnswer(run.unreadable(reply, step, f"{model} sent section {section.number} without a text."))
    return written


async def edit(
    run: Run[BlueprintConfig], outline: OutlineData, written: Sequence[WrittenSection], too_long: bool
) -> Answer | None:
    if 2 * len(written) < outline.total_sections:
        said = "Fewer than half of the sections were written: they were put together without an editor."
        await run.degrade(said, "no_editor", "assembly")
        return None
    if too_long:
        said = "The sections are too long to be edited word by word: the editor saw the beginning of each."
        await run.degrade(said, "condensed", "assembly")
    try:
        prompt = assembly_prompt(run, outline, written, too_long)
        return await run.ask("assembly", run.config.assembler_model, prompt)
    except NoAnswer:
        said = "The editor did not answer: the sections were put together as they were written."
        await run.degrade(said, "no_editor", "assembly")
        return None


async def say_what_is_missing(
    run: Run[BlueprintConfig], assembly: Assembly, reply: Answer | None, words: int
) -> None:
    if assembly.mode == "plain" and reply:
        said = "The editor's reply could not be used: the sections were put together as they were written."
        await run.degrade(said, "unreadable", "assembly")
    elif assembly.mode == "patched" and not assembly.summary:
        await run.degrade("The editor wrote no executive summary.", "no_summary", "assembly")
    elif assembly.mode == "rewritten" and word_count(assembly.document) < words:
        said = "The editor wrote the document out again, with fewer words than the authors."
        await run.degrade(said, "rewritten", "assembly")
    elif assembly.mode == "rewritten":
        await run.warn("The editor wrote the document out again.", "rewritten", "assembly")
