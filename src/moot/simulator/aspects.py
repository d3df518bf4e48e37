"""Aspects: the points of view from which simulated models argue, and by which they weigh each other.

>>> [aspect.word for aspect in aspects_in("The cost shows early, and the people can follow it.")]
['cost', 'people']
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Aspect:
    """`word` stands in every sentence, so that a reader can tell what a text has thought of."""

    word: str
    speaks_for: tuple[str, str]
    speaks_against: str
    test: str
    gap: str


DECIDING = (
    Aspect(
        "cost",
        (
            "With {choice}, the cost shows up early, while it can still be changed.",
            "The cost of {choice} is known in advance, and that alone settles half of the argument.",
        ),
        "With {choice}, most of the cost comes after the decision, when nobody is counting.",
        "Add up the cost of the first year, work included, and let someone else check the sum.",
        "no figure for the cost is given",
    ),
    Aspect(
        "risk",
        (
            "With {choice}, the worst case stays small, and the risk is easy to see coming.",
            "The risk in {choice} lies where people are already looking, and that is half of managing it.",
        ),
        "With {choice}, the risk builds up in one place, and nobody is looking there.",
        "Name the worst case and the risk that leads to it, and decide who keeps an eye on it.",
        "the main risk is named, but nobody is asked to watch it",
    ),
    Aspect(
        "time",
        (
            "With {choice}, there is soon something to show, and no time spent learning is lost.",
            "Time favours {choice}: the first result comes before the question has changed.",
        ),
        "With {choice}, so much time passes before the first result that the question itself may change.",
        "Set a time for a first result, and make it slightly uncomfortable.",
        "no time is set for a first result",
    ),
    Aspect(
        "people",
        (
            "The people who live with the result can follow {choice} without a manual.",
            "With {choice}, the people involved see how it fits together, which beats any diagram.",
        ),
        "With {choice}, the people involved are asked for more than they agreed to.",
        "Ask the people who will do the work, before the decision rather than after it.",
        "the people who do the work were not asked",
    ),
    Aspect(
        "evidence",
        (
            "Evidence for or against {choice} comes within weeks, so a mistake would not last long.",
            "With {choice}, the evidence comes from everyday use, without a study.",
        ),
        "With {choice}, the evidence comes late, when nobody wants to reopen the decision.",
        "Write down which evidence would change your mind, and look for that first.",
        "the evidence rests on a single example",
    ),
    Aspect(
        "reversibility",
        (
            "With {choice}, a door stays open: reversibility matters when little is known about {focus}.",
            "Reversibility favours {choice}: the way back is short, so the first step may be wrong.",
        ),
        "With {choice}, the way back is long, and reversibility is gone on day one.",
        "Check the reversibility of the first step: who could undo it, and in how many days?",
        "the reversibility of the first step is left open",
    ),
    Aspect(
        "scale",
        (
            "With {choice}, ten times the current scale would strain the budget before the design.",
            "At the current scale of {focus}, {choice} leaves room to grow without starting over.",
        ),
        "With {choice}, scale is where the trouble starts: every copy has to be paid for again.",
        "Think it through at ten times the scale and note what breaks first.",
        "nothing is said about behaviour at a larger scale",
    ),
    Aspect(
        "upkeep",
        (
            "With {choice}, the upkeep is boring, which is the best thing upkeep can be.",
            "The upkeep of {choice} fits into an ordinary week and needs no heroes.",
        ),
        "With {choice}, the upkeep quietly becomes somebody's full-time job.",
        "Say whose job the upkeep will be a year from now.",
        "the upkeep after the first year belongs to nobody",
    ),
    Aspect(
        "fairness",
        (
            "With {choice}, the people who carry the burden also have the say: fairness at its simplest.",
            "Fairness favours {choice}: those who gain are also those who pay.",
        ),
        "With {choice}, some gain and others pay, and fairness will be the next argument.",
        "List who gains and who pays, and look at fairness before someone else does.",
        "the question of fairness is ignored",
    ),
)
EXPLAINING = (
    Aspect(
        "definition",
        (
            "With {choice}, a definition of {focus} can be given in one sentence and tested.",
            "The definition comes first, and {choice} has the sharpest one.",
        ),
        "With {choice}, the definition stays open exactly where it matters.",
        "Write the definition down in one sentence and try to break it.",
        "the definition shifts half-way through",
    ),
    Aspect(
        "example",
        (
            "One worked example does more for {focus} than a page of theory; with {choice} there is one.",
            "Take the smallest example of {focus}: with {choice}, every step of it can be followed.",
        ),
        "With {choice}, each example needs another assumption.",
        "Work through one example by hand before you generalise.",
        "there is no example to follow step by step",
    ),
    Aspect(
        "origin",
        (
            "The origin of the idea fits {choice}: it was made for a problem much like this one.",
            "Look up the origin of {focus}, and {choice} is on the first page.",
        ),
        "With {choice}, the origin of the idea has to be explained away.",
        "Look up the origin of the term and what it was meant to settle.",
        "the origin of the idea is left out",
    ),
    Aspect(
        "measure",
        (
            "With {choice}, there is a measure for {focus}, and what can be measured can be corrected.",
            "A measure settles more than an argument, and {choice} comes with one.",
        ),
        "With {choice}, every measure of {focus} depends on who holds the ruler.",
        "Name the measure you would trust, and its unit.",
        "no measure is named",
    ),
    Aspect(
        "limit",
        (
            "With {choice}, the limit is known: it is clear where the explanation ends.",
            "An explanation is only as good as its limit is clear, and that favours {choice}.",
        ),
        "With {choice}, there is no limit, so nothing could ever count against it.",
        "State the limit: for which cases would you no longer say this?",
        "no limit is stated beyond which it fails",
    ),
    Aspect(
        "contrast",
        (
            "The contrast with its neighbours shows what {focus} is not, and {choice} makes it sharp.",
            "With {choice}, the contrast with similar ideas stays clear, where most accounts blur it.",
        ),
        "With {choice}, the contrast with similar ideas is lost.",
        "Name the closest neighbour and the one contrast that tells them apart.",
        "the contrast with similar ideas is missing",
    ),
)
_WORDS = {aspect: re.compile(rf"\b{aspect.word}\b", re.IGNORECASE) for aspect in (*DECIDING, *EXPLAINING)}


def aspects_in(text: str, among: tuple[Aspect, ...] = DECIDING) -> list[Aspect]:
    return [aspect for aspect in among if _WORDS[aspect].search(text)]
