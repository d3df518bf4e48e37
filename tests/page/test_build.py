"""The page as it is built: its types, its weight, its own unit tests."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from moot.http.page import BUILT
from tests.harness.waiting import PATIENCE
from tests.page.conftest import not_run

ROOT = Path(__file__).parents[2]
HEAVIEST = 200_000


def test_the_page_s_types_are_those_of_the_api() -> None:
    checked = subprocess.run(
        [sys.executable, "tools/page_types.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_entry_with_all_it_imports_at_once_stays_under_200_kb() -> None:
    if not (BUILT / "index.html").is_file():
        not_run("The page is not built: run tools/build-page.")
    manifest = json.loads((BUILT / ".vite" / "manifest.json").read_text("utf-8"))
    wanted = [name for name, chunk in manifest.items() if chunk.get("isEntry")]
    files: set[str] = set()
    while wanted:
        chunk = manifest[wanted.pop()]
        if chunk["file"] not in files:
            files |= {chunk["file"], *chunk.get("css", ())}
            wanted += chunk.get("imports", ())
    weight = sum(len(gzip.compress((BUILT / file).read_bytes())) for file in files)
    assert 10_000 < weight <= HEAVIEST


def test_the_page_holds_no_script_or_style_of_its_own() -> None:
    if not (BUILT / "index.html").is_file():
        not_run("The page is not built: run tools/build-page.")
    text = (BUILT / "index.html").read_text("utf-8")
    assert re.findall(r"<script(?![^>]* src=)[^>]*>|<style|style=|https?://", text) == []


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text("utf-8"))
    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []


def test_the_reducer_and_the_parser_pass_their_own_tests() -> None:
    node = shutil.which("node") or shutil.which("node", path=str(ROOT / ".venv" / "bin"))
    if node is None or not (ROOT / "web" / "node_modules").is_dir():
        not_run("There is no Node, or its packages are not installed: run tools/build-page.")
    assert node is not None
    ran = subprocess.run(
        [node, "node_modules/vitest/vitest.mjs", "run"],
        cwd=ROOT / "web",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
