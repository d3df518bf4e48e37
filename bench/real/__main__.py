"""python -m bench.real --modes vote,debate --runs 3 --minutes 60 --panel qwen --label after"""

from __future__ import annotations

import argparse
import asyncio
import signal
import time
from dataclasses import asdict
from pathlib import Path

import orjson

from bench.real.patience import run_patiently
from bench.real.record import RunFigures, record_run
from bench.real.serving import NAMES, commit, served
from bench.real.tasks import TASKS
from moot.settings import Settings
from moot.wiring import open_engine

ROOT = Path(__file__).parents[2]
FIGURES = Path(__file__).with_name("figures")
LONGEST_RUN_SECONDS = 86_400
"""By the wall's clock, which leases and whole runs are held to."""
PANELS = {
    "qwen": [f"real/qwen-{number}" for number in range(1, NAMES)],
    "smol": [f"real/smol-{number}" for number in range(1, NAMES)],
    "mixed": ["real/qwen-1", "real/qwen-2", "real/smol-1", "real/qwen-3"],
}


async def main(options: argparse.Namespace) -> None:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)  # the models end with it
    until = time.monotonic() + options.minutes * 60
    models = sorted({one.removeprefix("real/").rpartition("-")[0] for one in PANELS[options.panel]})
    kept = FIGURES / f"{options.label}-{options.panel}.jsonl"
    done = {(one["mode"], one["number"]) for one in read_figures(kept)}
    folder = Path(options.folder)
    async with served(models, folder, options.seed, options.threads) as address:
        for number in range(1, options.runs + 1):
            for mode in options.modes.split(",") if options.modes else TASKS:
                if (mode, number) in done or time.monotonic() > until:
                    continue
                figures = await one_run(options, address, mode, number, folder)
                append(kept, figures)
                print(
                    f"{mode} {number}: {figures.status} in {figures.seconds} s {figures.calls}",
                    *figures.warnings,
                    sep="\n    ",
                    flush=True,
                )


async def one_run(
    options: argparse.Namespace, address: str, mode: str, number: int, folder: Path
) -> RunFigures:
    settings = Settings.model_validate(
        {
            "database_url": "sqlite:///:memory:",
            "providers": {"real": {"base_url": address, "concurrency": 4}},
            "pipeline_seconds": LONGEST_RUN_SECONDS,
            "lease_seconds": LONGEST_RUN_SECONDS,
            "embedder": "off",
            "attempts": 1,
            "title_model": PANELS[options.panel][0],
        }
    )
    task = TASKS[mode][(number - 1) % len(TASKS[mode])]
    async with open_engine(settings, panel=PANELS[options.panel]) as engine:
        return await record_run(
            engine, task, mode, number, options.label, options.panel, commit(), folder / "runs"
        )


def read_figures(file: Path) -> list[dict[str, object]]:
    return [orjson.loads(line) for line in file.read_bytes().splitlines()] if file.exists() else []


def append(file: Path, figures: RunFigures) -> None:
    file.parent.mkdir(exist_ok=True)
    with file.open("ab") as out:
        out.write(orjson.dumps(asdict(figures), option=orjson.OPT_APPEND_NEWLINE))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modes", default="", help="by comma; default: all")
    parser.add_argument("--runs", type=int, default=1, help="of each mode")
    parser.add_argument("--minutes", type=float, default=600, help="no run begins after these")
    parser.add_argument("--panel", choices=PANELS, default="qwen")
    parser.add_argument("--label", default="after", help="what these runs are called in the record")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--folder", default=str(ROOT / ".real"), help="weights, runtime and every reply")
    return parser.parse_args()


if __name__ == "__main__":
    run_patiently(main(arguments()))
