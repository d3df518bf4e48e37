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
            "With {choice}, the cost shows early, while it can still be changed.",
            "The cost of {choice} can be named in advance, and that alone removes half of the argument.",
        ),
        "With {choice}, most of the cost comes after the decision, when nobody counts any more.",
        "Add up the cost of the first year, work included, and let someone else check the sum.",
        "no figure for the cost is given",
    ),
    Aspect(
        "risk",
        (
            "With {choice}, the worst case stays small; the risk is one that can be looked in the eye.",
            "The risk in {choice} lies where people already watch, and that is half of managing it.",
        ),
        "With {choice}, the risk gathers in one place, and it is not the place people watch.",
        "Name the worst case and the risk that leads to it, and decide who watches that.",
        "the main risk is named but nobody is to watch it",
    ),
    Aspect(
        "time",
        (
            "With {choice}, there is something to show soon, and time spent on learning is not lost.",
            "Time favours {choice}: the first result comes before the question has changed.",
        ),
        "With {choice}, the time to the first result is long enough for the question itself to change.",
        "Set a time for a first result, short enough to hurt a little.",
        "no time is set for a first result",
    ),
    Aspect(
        "people",
        (
            "The people who live with the result can follow {choice} without a manual.",
            "With {choice}, the people concerned keep the overview, which counts for more than a diagram.",
        ),
        "With {choice}, the people concerned are asked for more than they have agreed to.",
        "Ask the people who will do the work, before the decision rather than after it.",
        "the people who carry the work are not asked",
    ),
    Aspect(
        "evidence",
        (
            "Evidence for or against {choice} can be had within weeks, so a mistake would not last.",
            "With {choice}, evidence comes from ordinary use; no study has to be commissioned first.",
        ),
        "With {choice}, the evidence comes late, and by then the decision defends itself.",
        "Write down which evidence would change your mind, and look for that first.",
        "the evidence rests on a single example",
    ),
    Aspect(
        "reversibility",
        (
            "With {choice}, a door stays open; reversibility counts while so little is known about {focus}.",
            "Reversibility speaks for {choice}: the way back is short, so the first step may be wrong.",
        ),
        "With {choice}, the way back is long; reversibility is gone on the first day.",
        "Check the reversibility of the first step: who could undo it, and in how many days?",
        "the reversibility of the first step is left open",
    ),
    Aspect(
        "scale",
        (
            "With {choice}, ten times the present scale strains the budget before it strains the design.",
            "At the present scale of {focus}, there is room to grow with {choice} and no need to begin anew.",
        ),
        "With {choice}, scale is where the trouble starts: what works once is paid for again and again.",
        "Think it through at ten times the scale and note what gives way first.",
        "nothing is said about behaviour at a larger scale",
    ),
    Aspect(
        "upkeep",
        (
            "With {choice}, the upkeep is dull, which is the best thing that upkeep can be.",
            "The upkeep of {choice} fits into ordinary weeks and needs no hero.",
        ),
        "With {choice}, the upkeep becomes somebody's whole task, usually without being announced.",
        "Say whose task the upkeep will be a year from now.",
        "the upkeep after the first year belongs to nobody",
    ),
    Aspect(
        "fairness",
        (
            "With {choice}, those who carry the burden also have the say: fairness in its plainest form.",
            "Fairness speaks for {choice}: gain and burden fall on the same shoulders.",
        ),
        "With {choice}, gain and burden fall on different people, and fairness is the next dispute.",
        "List who gains and who pays, and look at fairness before somebody else does.",
        "the question of fairness is passed over",
    ),
)
EXPLAINING = (
    Aspect(
        "definition",
        (
            "With {choice}, a definition of {focus} can be given in one sentence and tested.",
            "The definition comes first, and {choice} has the one that excludes most.",
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
        "there is no example that could be followed step by step",
    ),
    Aspect(
        "origin",
        (
            "The origin of the idea fits {choice}: it was made for a problem much like this one.",
            "Whoever looks at the origin of {focus} meets {choice} on the first page.",
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
            "With {choice}, the limit is known: one can say where the explanation ends.",
            "An explanation is worth as much as its limit is clear, and that speaks for {choice}.",
        ),
        "With {choice}, no limit is drawn, so nothing could ever count against it.",
        "State the limit: for which cases would you no longer say this?",
        "no limit is stated beyond which it fails",
    ),
    Aspect(
        "contrast",
        (
            "The contrast with its neighbours shows what {focus} is not; with {choice} it is sharp.",
            "With {choice}, the contrast to similar notions is kept, where most accounts blur it.",
        ),
        "With {choice}, the contrast to similar notions is lost.",
        "Name the nearest neighbour and the one contrast that tells them apart.",
        "the contrast to similar notions is missing",
    ),
)
_WORDS = {aspect: re.compile(rf"\b{aspect.word}\b", re.IGNORECASE) for aspect in (*DECIDING, *EXPLAINING)}


def aspects_in(text: str, among: tuple[Aspect, ...] = DECIDING) -> list[Aspect]:
    return [aspect for aspect in among if _WORDS[aspect].search(text)]
