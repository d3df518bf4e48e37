"""`make prompt-trials`: one prompt in several wordings, each put to a real model as often as the others.

    make prompt-trials SAMPLES=4 TRIALS="council ranking"

A layout that a model does not keep costs a repair, or the reply. What makes it keep one cannot be guessed, so
it is tried: the same questions, the same answers, the same seeds, and only the wording differs. What was kept
is said by the mode's own parser. Replies stay under `.real/trials`; the figures go to
`bench/real/trials.jsonl`, and from there to docs/prompts.md. What is there is not tried again.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import aiohttp
import orjson

from bench.real.serving import served
from moot.deliberation.signatures import signing
from moot.kernel.fences import Foreign, fill
from moot.kernel.labels import shown
from moot.modes.confidence_weighted.calibration import read_synthesis, read_verdicts
from moot.modes.confidence_weighted.layouts import ORIGINAL_SYNTHESIS_LAYOUT, SYNTHESIS_LAYOUT
from moot.modes.confidence_weighted.prompts import SYNTHESIS_PROMPT
from moot.modes.council.prompts import RANKING_PROMPT
from moot.modes.council.rankings import read_ranking

ROOT = Path(__file__).parents[2]
FIGURES = Path(__file__).with_name("trials.jsonl")
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


@dataclass(frozen=True)
class Trial:
    """One kind of prompt: its wordings by name, the one in use first, and whether a reply kept the layout."""

    wordings: Mapping[str, Callable[[str, tuple[str, ...]], str]]
    kept: Callable[[str], bool]


@dataclass(frozen=True)
class Sample:
    trial: str
    wording: str
    model: str
    question: int
    kept: bool
    seconds: int


def ranking(ending: str) -> Callable[[str, tuple[str, ...]], str]:
    def prompt(question: str, answers: tuple[str, ...]) -> str:
        labelled = [(f"Response {letter}", text) for letter, text in zip("ABC", answers, strict=True)]
        filled = fill(RANKING_PROMPT, "trial", question=Foreign(question), responses=shown(labelled))
        return f"{filled}{ending}"

    return prompt


def synthesis(layout: str) -> Callable[[str, tuple[str, ...]], str]:
    def prompt(question: str, answers: tuple[str, ...]) -> str:
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
}


async def main(options: argparse.Namespace) -> None:
    folder = Path(options.folder)
    done = {(one["trial"], one["wording"], one["model"], one["question"]) for one in samples()}
    async with (
        served([options.model], folder, "1", options.threads) as address,
        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=1800)) as session,
    ):
        for number in range(options.samples):
            model, at = f"{options.model}-{number // len(QUESTIONS) + 1}", number % len(QUESTIONS)
            for name in options.trials.split(",") if options.trials else TRIALS:
                await asyncio.gather(
                    *(
                        one_sample(session, address, folder, (name, wording, model, at))
                        for wording in TRIALS[name].wordings
                        if (name, wording, model, at) not in done
                    )
                )


async def one_sample(
    session: aiohttp.ClientSession, address: str, folder: Path, key: tuple[str, str, str, int]
) -> None:
    name, wording, model, at = key
    began = time.monotonic()
    reply = await ask(session, address, model, TRIALS[name].wordings[wording](*QUESTIONS[at]))
    keep(folder, reply, *key)
    kept, seconds = TRIALS[name].kept(reply), int(time.monotonic() - began)
    append(Sample(*key, kept, seconds))
    print(f"{name}, {wording}: {'kept' if kept else 'not kept'} ({seconds} s)", flush=True)


async def ask(session: aiohttp.ClientSession, address: str, model: str, prompt: str) -> str:
    body = {"model": model, "messages": [{"role": "user", "content": prompt}], "max_tokens": 300}
    async with session.post(f"{address}/chat/completions", json=body) as answer:
        document = orjson.loads(await answer.read())
    return str(document["choices"][0]["message"]["content"])


def keep(folder: Path, reply: str, trial: str, wording: str, model: str, question: int) -> None:
    file = folder / "trials" / f"{trial}, {wording}, {model}, {question}.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(reply)


def samples() -> list[dict[str, object]]:
    return [orjson.loads(line) for line in FIGURES.read_bytes().splitlines()] if FIGURES.exists() else []


def append(sample: Sample) -> None:
    with FIGURES.open("ab") as out:
        out.write(orjson.dumps(asdict(sample), option=orjson.OPT_APPEND_NEWLINE))


def table() -> str:
    """What was kept, for docs/prompts.md."""
    counts: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for one in samples():
        model = str(one["model"]).rpartition("-")[0]
        counts[str(one["trial"]), str(one["wording"]), model].append(bool(one["kept"]))
    rows = [
        f"| {trial} | {wording} | {model} | {sum(kept)} of {len(kept)} |"
        for (trial, wording, model), kept in sorted(counts.items(), key=lambda item: item[0][0])
    ]
    return "\n".join(["| prompt | wording | model | kept |", "| --- | --- | --- | --- |", *rows])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", default="", help="by comma; default: all")
    parser.add_argument("--samples", type=int, default=4, help="of each wording")
    parser.add_argument("--model", default="qwen")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--folder", default=str(ROOT / ".real"))
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main(arguments()))
