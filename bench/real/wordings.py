"""The wordings that `make prompt-trials` tries: the one in use first, and what might be kept better.

What the seeds and sheets say stays word for word; only what surrounds it differs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bench.real.tasks import BACKUP, FRANCE, LOGIN, MOON
from moot.deliberation.parsing import NOTHING_SHOWN
from moot.deliberation.signatures import signing
from moot.kernel.fences import Foreign, fill
from moot.kernel.labels import shown
from moot.kernel.values import Answer
from moot.modes.confidence_weighted.calibration import read_synthesis, read_verdicts
from moot.modes.confidence_weighted.layouts import ORIGINAL_SYNTHESIS_LAYOUT, SYNTHESIS_LAYOUT
from moot.modes.confidence_weighted.prompts import SYNTHESIS_PROMPT
from moot.modes.council.prompts import RANKING_PROMPT
from moot.modes.council.rankings import read_ranking
from moot.modes.delphi.answers import read_answer, read_confidence
from moot.modes.delphi.layouts import ANSWER_LAYOUT, CHOICE_LINE
from moot.modes.delphi.prompts import ALL_LINES, LATER_CHOICE, letter_options
from moot.modes.fact_check.claims import read_claims
from moot.modes.fact_check.prompts import EXTRACT_LAYOUT, EXTRACT_PROMPT
from moot.modes.peer_review.layouts import FINDING_LAYOUT
from moot.modes.peer_review.prompts import REVIEW_PROMPT, criterion_rows
from moot.modes.peer_review.reviews import Grounds, read_review
from moot.modes.peer_review.rubrics import RUBRICS
from moot.modes.red_team.findings import read_attack
from moot.modes.red_team.layouts import ATTACK_LAYOUT
from moot.modes.red_team.prompts import ATTACK_PROMPT

Wording = Callable[[int], str]
"""The prompt for a case, by its number."""
CASES = 2
CODE = "k7m2"
QUESTIONS = (
    (
        "Which number is larger, 9.9 or 9.11?",
        (
            "9.11 is larger, because 11 is more than 9.",
            "9.9 is larger: 9.90 against 9.11.",
            "They are equal.",
        ),
    ),
    (
        "Why does ice float on water?",
        (
            "Ice is less dense than water, because its molecules keep more distance when they freeze.",
            "Because ice is cold.",
            "Ice floats since it holds air from the freezer.",
        ),
    ),
)


WORKS = (BACKUP, LOGIN)
TEXTS = (MOON, FRANCE)
RUBRIC = RUBRICS["code_review"]
OPTIONS = (("88", "76", "96"), ("Canberra", "Sydney", "Melbourne"))


@dataclass(frozen=True)
class Trial:
    """One kind of prompt: its wordings by name, the one in use first, whether a reply kept the layout, and
    how many tokens it may have."""

    wordings: Mapping[str, Wording]
    kept: Callable[[str], bool]
    tokens: int = 300


def ranking(ending: str) -> Wording:
    def prompt(case: int) -> str:
        question, answers = QUESTIONS[case]
        labelled = [(f"Response {letter}", text) for letter, text in zip("ABC", answers, strict=True)]
        filled = fill(RANKING_PROMPT, "trial", question=Foreign(question), responses=shown(labelled))
        return f"{filled}{ending}"

    return prompt


def synthesis(layout: str) -> Wording:
    def prompt(case: int) -> str:
        question, answers = QUESTIONS[case]
        heads = [
            f"Answer {letter} (confidence {share}, weight {share}%, outlier=no)"
            for letter, share in zip("ABC", (50, 30, 20), strict=True)
        ]
        material = shown(list(zip(heads, answers, strict=True)))
        return fill(SYNTHESIS_PROMPT, "trial", question=Foreign(question), answers=material, layout=layout)

    return prompt


def ranks_all(reply: str) -> bool:
    read = read_ranking(reply, [f"Response {letter}" for letter in "ABC"])
    return len(read.places) == len("ABC") and read.by != "mention"


def has_both_parts(reply: str) -> bool:
    text, notes = read_synthesis(reply)
    return bool(text.strip() and read_verdicts(notes))


def attack(hint: str = "", layout: str = ATTACK_LAYOUT) -> Wording:
    """`hint`: what stands before the layout besides."""

    def prompt(case: int) -> str:
        work = Foreign(WORKS[case])
        return fill(ATTACK_PROMPT, "trial", version="0", content=work, ledger="", layout=f"{hint}{layout}")

    return prompt


def extraction(hint: str = "", layout: str = EXTRACT_LAYOUT) -> Wording:
    def prompt(case: int) -> str:
        text, wanted = Foreign(TEXTS[case]), Foreign("Is this right?")
        return fill(
            EXTRACT_PROMPT, "trial", content=text, question=wanted, maxClaims="12", layout=f"{hint}{layout}"
        )

    return prompt


def review(ending: str = "") -> Wording:
    def prompt(case: int) -> str:
        criteria = [f"- {one.name} (weight {one.weight:g}): {one.description}" for one in RUBRIC.criteria]
        filled = fill(
            REVIEW_PROMPT,
            "trial",
            rubricName=RUBRIC.name,
            rubricDescription=RUBRIC.description,
            work=Foreign(WORKS[case]),
            criteriaLines="\n".join(criteria),
            criterionRows=criterion_rows(RUBRIC),
            findingLayout=FINDING_LAYOUT,
        )
        return f"{filled}{ending}"

    return prompt


def later_choice(ending: str = "") -> Wording:
    def prompt(case: int) -> str:
        options = OPTIONS[case]
        why = "what changed your mind, or why it did not"
        counts = "\n".join(f"{option}: {count}" for option, count in zip(options, (2, 1, 0), strict=True))
        filled = fill(
            LATER_CHOICE,
            "trial",
            round="2",
            most="3",
            question=Foreign(("How many keys has a piano?", "What is the capital of Australia?")[case]),
            own=options[1],
            sure="MEDIUM",
            n="3",
            before="1",
            panel=counts,
            counts="0 low, 3 medium, 0 high",
            options=letter_options(options),
            layout=ANSWER_LAYOUT.format(line=CHOICE_LINE, why=why),
        )
        return f"{filled}{ending}"

    return prompt


def attacks(reply: str) -> bool:
    return bool(read_attack(reply, 1, "", (), NOTHING_SHOWN).findings)


def names_claims(reply: str) -> bool:
    return bool(read_claims(reply))


def reviews_to_its_end(reply: str) -> bool:
    """An overall score, a finding whose severity is stated, and the summary reached."""
    written = Answer(seat=1, model="", response=reply, response_time_ms=0)
    read = read_review(written, RUBRIC, Grounds(""), 1)
    stated = [one for one in read.findings if not one.severity_inferred]
    return bool(stated) and read.overall_score is not None and "### Summary" in reply


def chooses_with_confidence(reply: str) -> bool:
    chosen = any(read_answer(reply, options, NOTHING_SHOWN) in options for options in OPTIONS)
    return chosen and read_confidence(reply, NOTHING_SHOWN) is not None


LIST = "\n".join(f"{place}. Response <letter>" for place in (1, 2, 3))
TRIALS: Mapping[str, Trial] = {
    "council ranking": Trial(
        {
            "the code, then its line alone": ranking(f" {signing('FINAL RANKING', '', CODE)}"),
            "no code": ranking(""),
            "the code, then the whole list": ranking(
                f" Write the code [{CODE}] at the end of the FINAL RANKING line, so that nobody takes it for "
                f"a quotation:\nFINAL RANKING: [{CODE}]\n{LIST}"
            ),
            "two parts, the second with the whole list": ranking(
                " Your reply has two parts: a sentence on each response, then this section with every "
                f"response once, best first. Write the code [{CODE}] at the end of the FINAL RANKING line, "
                f"so that nobody takes it for a quotation:\nFINAL RANKING: [{CODE}]\n{LIST}"
            ),
        },
        ranks_all,
    ),
    "confidence-weighted synthesis": Trial(
        {
            "two parts, described before their labels": synthesis(
                "Your reply has two parts, each below its own plain label at line start. Below the first "
                "label stands the answer itself, in full, as the person who asked will read it; below the "
                "second, one line per answer and then at most two sentences on the group as a whole:\n\n"
                "SYNTHESIS:\n\n"
                "CONFIDENCE CALIBRATION NOTES:\n"
                "Answer <letter>: <OVERCONFIDENT, FAIR or UNDERCONFIDENT> - <one sentence>"
            ),
            "labels with a placeholder": synthesis(ORIGINAL_SYNTHESIS_LAYOUT),
            "described below its label, in words": synthesis(SYNTHESIS_LAYOUT),
        },
        has_both_parts,
    ),
    "red-team attack": Trial(
        {
            "findings, then the way out": attack(),
            "each part by itself first": attack(
                "Before you write, take each part or line of the work by itself and ask how it fails.\n"
            ),
            "the first block begun": attack(layout=f"{ATTACK_LAYOUT}\n\nBegin with: FINDING 1:"),
        },
        attacks,
    ),
    "fact-check extraction": Trial(
        {
            "claims, then the way out": extraction(),
            "sentence by sentence": extraction(
                "Go through the text sentence by sentence. Whether a statement is right is not asked here: a "
                "wrong one is a claim too.\n\n"
            ),
            "the first block begun": extraction(layout=f"{EXTRACT_LAYOUT}\n\nBegin with: CLAIM 1:"),
        },
        names_claims,
    ),
    "peer review": Trial(
        {
            "as long as it takes": review(),
            "one sentence a field": review(
                "\nOne short sentence for each justification and field: the whole review fits on one page."
            ),
            "few findings first": review(
                "\nThe three worst findings are enough. Keep every field to one short sentence."
            ),
        },
        reviews_to_its_end,
        tokens=700,
    ),
    "delphi later choice": Trial(
        {
            "all three lines, even to stay": later_choice(f"\n{ALL_LINES}"),
            "three last lines": later_choice(),
        },
        chooses_with_confidence,
    ),
}
