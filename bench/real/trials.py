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
from dataclasses import asdict, dataclass
from pathlib import Path

import aiohttp
import orjson

from bench.real.serving import served
from bench.real.wordings import CASES, TRIALS

ROOT = Path(__file__).parents[2]
FIGURES = Path(__file__).with_name("trials.jsonl")


@dataclass(frozen=True)
class Sample:
    trial: str
    wording: str
    model: str
    question: int
    kept: bool
    seconds: int


async def main(options: argparse.Namespace) -> None:
    folder = Path(options.folder)
    done = {(one["trial"], one["wording"], one["model"], one["question"]) for one in samples()}
    async with (
        served([options.model], folder, "1", options.threads) as address,
        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=1800)) as session,
    ):
        for number in range(options.samples):
            model, at = f"{options.model}-{number // CASES + 1}", number % CASES
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
    trial = TRIALS[name]
    reply = await ask(session, address, model, trial.wordings[wording](at), trial.tokens)
    keep(folder, reply, *key)
    kept, seconds = trial.kept(reply), int(time.monotonic() - began)
    append(Sample(*key, kept, seconds))
    print(f"{name}, {wording}: {'kept' if kept else 'not kept'} ({seconds} s)", flush=True)


async def ask(session: aiohttp.ClientSession, address: str, model: str, prompt: str, tokens: int) -> str:
    body = {"model": model, "messages": [{"role": "user", "content": prompt}], "max_tokens": tokens}
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
