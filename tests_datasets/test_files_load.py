"""Exported files load with the `datasets` JSON reader, every format, no column in doubt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from datasets import load_dataset

from moot.kernel.engine import Engine
from moot.kernel.mode import Panel
from moot.kernel.request import AskRequest
from moot.modes import MODES
from moot.settings import Settings
from moot.simulator.transport import Simulator
from moot.store.urls import store_for
from moot.traces.export import Filters, Wish, export

PANEL = ("sim/ada", "sim/bo", "sim/cleo")
QUESTIONS = [f"Should a team of {number} rent or buy a flat in a big city?" for number in range(2, 22)]


@pytest.mark.parametrize("format", ["chat", "alpaca", "dpo", "raw"])
async def test_the_files_load(format: Any, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    store = store_for(f"sqlite:///{tmp_path / 'moot.db'}")
    settings = Settings(embedder="off")
    async with Engine(store, Simulator(speed=0), Panel(PANEL), settings, modes=MODES) as engine:
        for question in QUESTIONS:
            ask = {"question": question, "mode": "dialectic", "modeConfig": {"useTemplates": False}}
            await engine.finished((await engine.start(AskRequest.of(ask))).id)
        wish = Wish(format=format, filters=Filters(min_quality=1))
        manifest = await export(engine, "local", wish, folder)
    files = {
        split: str(folder / f"{split}.jsonl")
        for split in ("train", "validation")
        if manifest["records"][split]
    }
    loaded = load_dataset("json", data_files=files, cache_dir=str(tmp_path / "cache"))
    assert {split: len(rows) for split, rows in loaded.items()} == {
        split: count for split, count in manifest["records"].items() if count
    }
    assert manifest["records"]["train"] > 0
    features = loaded["train"].features
    if format == "dpo":
        assert features["score_chosen"].dtype == features["score_rejected"].dtype == "float64"
    if format != "raw":
        assert "null" not in str(features)
