"""The tree of docs/opentelemetry.md, as a collector receives it: `python -m tests.telemetry.tree` writes it there."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

import moot
from moot.settings import Settings
from tests.telemetry.collector import Collector

PAGE = Path(__file__).parents[2] / "docs" / "opentelemetry.md"
BEGIN, END = "<!-- make trace-tree -->\n\n```text\n", "```\n\n<!-- end -->"
PANEL = tuple(f"sim/{name}:latency=0:tps=0" for name in ("ada", "bo", "cleo"))


async def drawn_tree() -> str:
    before = dict(os.environ)
    async with Collector() as collector:
        os.environ.update(collector.environment)
        try:
            with tempfile.TemporaryDirectory() as folder:
                settings = Settings(database_url=f"sqlite:///{folder}/moot.db", telemetry=True)
                config = {"councilModels": [*PANEL, "nobody/there"], "chairmanModel": PANEL[0]}
                await moot.deliberate("Tabs or spaces?", "council", config=config, settings=settings)
        finally:
            os.environ.clear()
            os.environ.update(before)
        return collector.tree().replace(":latency=0:tps=0", "")


def main() -> None:
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}{asyncio.run(drawn_tree())}\n{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    main()
