"""What earlier versions stored is read as it was then, and what they left unfinished comes to the same end.

Each folder of `tests/recorded` was made by the version it is named after: see `tests/recordings.py`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from rapidfuzz import fuzz

from moot.testing import Received, Reply, Script
from tests.harness.postgres_server import Server
from tests.harness.recordings import (
    CUTS,
    RECORDED,
    Databases,
    Moot,
    PostgresDatabases,
    Recording,
    SqliteDatabases,
    answering,
    read_json,
    serving,
    stored_of,
)
from tests.laws.test_kill_modes import APART, StoredEvent, as_text, unpacked

KINDS = ("sqlite", "postgres")
VERSIONS = sorted(folder.name for folder in RECORDED.iterdir())
ROWS = (
    "deliberation_stages",
    "stage1_responses",
    "stage2_rankings",
    "stage2_label_map",
    "stage3_synthesis",
    "reasoning_traces",
    "trace_scores",
)
TABLES = (
    *("conversations", "messages", "runs", "leases", "calls", "decisions", "events"),
    *("seat_results", "stage_times", "reasoning_templates", "presets", "preset_defaults"),
    *ROWS,
)
LATER = ("user_rating", "rating_note", "rated_at")
"""Columns that a person filled when the run had ended."""
LEAST_LIKENESS = 60
"""A prompt that has less in common with a recorded one, in percent, is another prompt."""


@pytest.fixture(scope="module", params=[f"{version}-{kind}" for version in VERSIONS for kind in KINDS])
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    version, _, kind = request.param.rpartition("-")
    folder = tmp_path_factory.mktemp("recorded")
    databases: Databases = SqliteDatabases(folder)
    if kind == "postgres":
        server: Server = request.getfixturevalue("postgres_server")
        databases = PostgresDatabases(server)
    return Recording(RECORDED / version / kind, databases, folder)


@dataclass
class Playback:
    """Says again what was said when the runs were recorded. A prompt that has changed since gets the reply
    to the one most like it, of those this model was asked."""

    exchanges: list[dict[str, Any]]
    left: list[dict[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        self.left = list(self.exchanges)

    def __call__(self, received: Received) -> Reply:
        of_model = [exchange for exchange in self.left if exchange["model"] == received.model]
        nearest = max(of_model, key=lambda exchange: likeness(exchange, received), default=None)
        if nearest is None or likeness(nearest, received) < LEAST_LIKENESS:
            return Reply(status=400, message=f"{received.model} was not asked that when it was recorded.")
        self.left.remove(nearest)
        return Reply(**nearest["reply"])


def likeness(exchange: Mapping[str, Any], received: Received) -> float:
    return fuzz.ratio(exchange["prompt"], received.prompt)


@dataclass(frozen=True)
class Aftermath:
    """What became of the recorded runs, by name, and how often the models of each were asked."""

    told: dict[str, StoredEvent]
    numbers: dict[str, list[int]]
    stored: dict[str, Any]
    asked: Counter[str]


def resumed(recording: Recording, database: str, runs: Mapping[str, str]) -> Aftermath:
    """Let today's server bring these runs to their end."""
    playback = Playback(recording.json("replies"))
    with (
        answering(Script(default=playback)) as models,
        serving(database, models, recording.scratch) as moot,
    ):
        stories = {name: moot.story(run_id) for name, run_id in runs.items()}
        asked = Counter(received.model.partition("/")[0] for received in models.requests)
    return Aftermath(
        told=all_told(recording.databases, database, runs, stories),
        numbers={name: [event["number"] for event in story] for name, story in stories.items()},
        stored=stored_of(recording.databases, database, runs),
        asked=asked,
    )


@pytest.fixture(scope="module")
def whole(recording: Recording) -> dict[str, StoredEvent]:
    """What the runs told when they were recorded, never disturbed."""
    documents, database = recording.json("documents"), recording.restore("finished")
    stories = {name: documents[f"/api/runs/{run_id}/events"] for name, run_id in recording.runs.items()}
    return all_told(recording.databases, database, recording.runs, stories)


Story = list[dict[str, Any]]


def all_told(
    databases: Databases, database: str, runs: Mapping[str, str], stories: Mapping[str, Story]
) -> dict[str, StoredEvent]:
    rows = stored_rows(databases, database)
    unnumbered = {
        name: [{key: value for key, value in event.items() if key != "number"} for event in story]
        for name, story in stories.items()
    }
    return {name: StoredEvent(unnumbered[name], rows[run_id]) for name, run_id in runs.items()}


def stored_rows(databases: Databases, database: str) -> dict[str, dict[str, list[str]]]:
    """What each run left for people to read: of every table, each row as a text."""
    rows: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    query = "SELECT runs.id AS of_run, {0}.* FROM {0} JOIN runs ON runs.message_id = {0}.{1}"
    queries = {table: query.format(table, "message_id") for table in ROWS}
    queries["messages"] = query.format("messages", "id")
    for table, found in databases.select(database, queries).items():
        for row in sorted(found, key=row_as_text):
            rows[row["of_run"]][table].append(row_as_text(row))
    return rows


def row_as_text(row: Mapping[str, Any]) -> str:
    return as_text({name: unpacked(cell) for name, cell in row.items() if name not in (*APART, *LATER)})


def differences(then: Any, now: Any, where: str = "") -> Iterator[str]:
    """Where what was read is missing or another; fields that have been added since are none."""
    if isinstance(then, dict) and isinstance(now, dict):
        for name, value in then.items():
            if name in now:
                yield from differences(value, now[name], f"{where}.{name}")
            else:
                yield f"{where}.{name} is gone"
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for place, (before, after) in enumerate(zip(then, now, strict=True)):
            yield from differences(before, after, f"{where}[{place}]")
    elif then != now or type(then) is not type(now):
        yield f"{where} was {then!r:.200} and is {now!r:.200}"


def contents(databases: Databases, database: str) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table, in the order of its first columns, which are its key."""
    found = databases.select(database, {table: f"SELECT * FROM {table}" for table in TABLES})
    return {table: sorted(rows, key=lambda row: str([*row.values()][:4])) for table, rows in found.items()}


def read_again(moot: Moot, path: str) -> Any:
    run_id = path.removeprefix("/api/runs/").removesuffix("/events")
    return moot.story(run_id) if path.endswith("/events") else moot.get(path)


def test_what_was_recorded_is_read_field_for_field(recording: Recording) -> None:
    database, recorded = recording.restore("finished"), recording.json("documents")
    before = contents(recording.databases, database)
    with answering(Script()) as models, serving(database, models, recording.scratch) as moot:
        changed = [
            line
            for path, then in recorded.items()
            for line in differences(then, read_again(moot, path), path)
        ]
        asked = len(models.requests)
    assert not changed
    assert not list(differences(before, contents(recording.databases, database)))
    assert asked == 0


@pytest.mark.parametrize("cut", CUTS)
def test_a_run_that_was_killed_comes_to_the_end_it_would_have_come_to(
    recording: Recording, whole: dict[str, StoredEvent], cut: str
) -> None:
    recorded, database = recording.json(cut), recording.restore(cut)
    assert stored_of(recording.databases, database, recording.runs) == recorded
    after = resumed(recording, database, recording.runs)
    calls = Counter(exchange["model"].partition("/")[0] for exchange in recording.json("replies"))
    for name, before in recorded.items():
        told = after.told[name]
        assert (told.content, told.order, told.rows) == (
            whole[name].content,
            whole[name].order,
            whole[name].rows,
        ), name
        assert after.numbers[name] == list(range(1, len(told.events) + 1)), name
        assert after.stored[name]["events"][: len(before["events"])] == before["events"], name
        assert [call for call in before["calls"] if call not in after.stored[name]["calls"]] == [], name
        paid = sum(call["ended_ms"] >= 0 for call in before["calls"])
        assert paid + after.asked[name] == calls[name], f"{name}: what was paid for is not asked again"


def test_a_run_with_every_call_stored_asks_for_none(
    recording: Recording, whole: dict[str, StoredEvent]
) -> None:
    """As if it was killed just before its last event. Whoever changes a prompt leaves its former wording
    beside it (see `Run.ask`), else what was paid for is lost."""
    database = recording.restore("finished")
    ids = ", ".join(f"'{run_id}'" for run_id in recording.runs.values())
    recording.databases.execute(
        database,
        f"DELETE FROM events WHERE type = 'complete' AND run_id IN ({ids})",
        f"UPDATE messages SET status = 'running', content = '' "
        f"WHERE id IN (SELECT message_id FROM runs WHERE id IN ({ids}))",
        f"UPDATE runs SET status = 'running', finished_at = NULL WHERE id IN ({ids})",
    )
    after = resumed(recording, database, recording.runs)
    assert after.asked == Counter()
    for name, told in after.told.items():
        assert (told.content, told.order, told.rows) == (
            whole[name].content,
            whole[name].order,
            whole[name].rows,
        ), name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("version", VERSIONS)
def test_every_mode_of_a_version_was_recorded(version: str, kind: str) -> None:
    modes = {
        *[
            "blueprint",
            "brainstorm",
            "chain",
            "confidence_weighted",
            "council",
            "debate",
            "decompose",
            "delphi",
            "dialectic",
        ],
        *["fact_check", "jury", "peer_review", "red_team", "specialist_panel", "tournament", "vote"],
    }
    for cut in CUTS:
        assert read_json(RECORDED / version / kind, cut).keys() >= modes
