"""What earlier versions stored is read as it was then, and what they left unfinished comes to the same end.

Each folder of `tests/recorded` was made by the version it is named after: see `tests/recordings.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from rapidfuzz import fuzz
from rapidfuzz.distance import Prefix

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
    journals,
    model_server,
    moot_server,
    read_json,
)
from tests.laws.test_kill_modes import APART, unpacked, without_times

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
class Outcome:
    """All that a run left: its story, and the rows of its message by table. Times are left out."""

    events: list[Any]
    rows: dict[str, list[Any]]

    @property
    def order(self) -> list[str]:
        """Of the events that come once; what is told as each seat finishes may come in any order."""
        types = [event["type"] for event in self.events]
        return [type for type in types if types.count(type) == 1]

    def changes(self, now: Outcome) -> list[str]:
        """How another outcome differs from this one."""
        order = [] if self.order == now.order else [f"the order is {now.order}"]
        rows = [line for table in self.rows for line in mismatches(self.rows[table], now.rows[table])]
        return [*mismatches(self.events, now.events), *order, *rows]


def outcomes(
    databases: Databases, database: str, runs: Mapping[str, str], stories: Mapping[str, list[dict[str, Any]]]
) -> dict[str, Outcome]:
    query = "SELECT runs.id AS of_run, {0}.* FROM {0} JOIN runs ON runs.message_id = {0}.{1}"
    queries = {table: query.format(table, "message_id") for table in ROWS}
    queries["messages"] = query.format("messages", "id")
    found = databases.select(database, queries)

    def rows_of(run_id: str) -> dict[str, list[Any]]:
        return {
            table: [timeless(row) for row in rows if row["of_run"] == run_id] for table, rows in found.items()
        }

    def timeless(row: Mapping[str, Any]) -> Any:
        kept = {name: unpacked(cell) for name, cell in row.items() if name not in (*APART, *LATER)}
        return without_times(kept)

    return {
        name: Outcome([without_times(event) for event in unnumbered(stories[name])], rows_of(run_id))
        for name, run_id in runs.items()
    }


def unnumbered(story: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in event.items() if key != "number"} for event in story]


@pytest.fixture(scope="module")
def whole(recording: Recording) -> dict[str, Outcome]:
    """What came of the runs when they were recorded, never disturbed."""
    documents, database = recording.json("documents"), recording.restore("finished")
    stories = {name: documents[f"/api/runs/{run_id}/events"] for name, run_id in recording.runs.items()}
    return outcomes(recording.databases, database, recording.runs, stories)


@dataclass(frozen=True)
class Resumption:
    """What became of the recorded runs, by name, and how often the models of each were asked."""

    outcomes: dict[str, Outcome]
    numbers: dict[str, list[int]]
    journals: dict[str, Any]
    requests: Counter[str]


def resume(recording: Recording, database: str) -> Resumption:
    """Let today's server bring the runs to their end."""
    databases, runs = recording.databases, recording.runs
    playback = Playback(recording.json("replies"))
    with (
        model_server(Script(default=playback)) as models,
        moot_server(database, models, recording.scratch) as moot,
    ):
        stories = {name: moot.story(run_id) for name, run_id in runs.items()}
        requests = Counter(received.model.partition("/")[0] for received in models.requests)
    return Resumption(
        outcomes=outcomes(databases, database, runs, stories),
        numbers={name: [event["number"] for event in story] for name, story in stories.items()},
        journals=journals(databases, database, runs),
        requests=requests,
    )


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
    elif isinstance(then, str) and isinstance(now, str) and then != now:
        same = Prefix.similarity(then, now)
        yield f"{where} was, from character {same}, {then[same:]!r:.200} and is {now[same:]!r:.200}"
    elif then != now or type(then) is not type(now):
        yield f"{where} was {then!r:.200} and is {now!r:.200}"


def mismatches(then: Iterable[Any], now: Iterable[Any]) -> list[str]:
    """What is gone and what is new, in whatever order they come. What has only changed is told by its fields."""
    left, gone = list(now), []
    for one in then:
        place = next((at for at, other in enumerate(left) if not any(differences(one, other))), None)
        if place is None:
            gone.append(one)
        else:
            del left[place]
    return [
        *(f"gone: {one!r:.200}; nearest to it: {nearest_differences(one, left)}" for one in gone),
        *(f"new: {one!r:.200}" for one in left),
    ]


def nearest_differences(one: Any, others: Iterable[Any]) -> list[str]:
    return min((list(differences(one, other)) for other in others), key=len, default=[])


def table_contents(databases: Databases, database: str) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table, in the order of its first columns, which are its key."""
    found = databases.select(database, {table: f"SELECT * FROM {table}" for table in TABLES})
    return {table: sorted(rows, key=lambda row: str([*row.values()][:4])) for table, rows in found.items()}


def reread(moot: Moot, path: str) -> Any:
    run_id = path.removeprefix("/api/runs/").removesuffix("/events")
    return moot.story(run_id) if path.endswith("/events") else moot.get(path)


def known_then(then: Any, now: Any) -> Any:
    """Of a list of conversations those that were listed: by now it tells of runs that kept nothing, too."""
    if not isinstance(now, dict) or not isinstance(now.get("conversations"), list):
        return now
    ids = {one["id"] for one in then["conversations"]}
    return {**now, "conversations": [one for one in now["conversations"] if one["id"] in ids]}


def test_what_was_recorded_is_read_field_for_field(recording: Recording) -> None:
    database, recorded = recording.restore("finished"), recording.json("documents")
    before = table_contents(recording.databases, database)
    with model_server(Script()) as models, moot_server(database, models, recording.scratch) as moot:
        changes = [
            line
            for path, then in recorded.items()
            for line in differences(then, known_then(then, reread(moot, path)), path)
        ]
        assert not changes
        assert not models.requests
    assert not list(differences(before, table_contents(recording.databases, database)))


@pytest.mark.parametrize("cut", CUTS)
def test_a_run_that_was_killed_comes_to_the_end_it_would_have_come_to(
    recording: Recording, whole: dict[str, Outcome], cut: str
) -> None:
    recorded, database = recording.json(cut), recording.restore(cut)
    assert journals(recording.databases, database, recording.runs) == recorded
    calls = Counter(exchange["model"].partition("/")[0] for exchange in recording.json("replies"))
    after = resume(recording, database)
    for name, before in recorded.items():
        assert whole[name].changes(after.outcomes[name]) == [], name
        assert after.numbers[name] == list(range(1, len(whole[name].events) + 1)), name
        paid = sum(call["ended_ms"] >= 0 for call in before["calls"])
        assert paid + after.requests[name] == calls[name], f"{name}: what was paid for is not asked again"
        events, calls_now = after.journals[name]["events"], after.journals[name]["calls"]
        assert not list(differences(before["events"], events[: len(before["events"])])), name
        assert not [line for line in mismatches(before["calls"], calls_now) if line.startswith("gone")], name


def test_a_run_with_every_call_stored_asks_for_none(recording: Recording, whole: dict[str, Outcome]) -> None:
    """As if it was killed just before its last event. Who changes a prompt leaves the original beside it
    (`Rewording`), else what was paid for is lost."""
    database = recording.restore("finished")
    ids = ", ".join(f"'{run_id}'" for run_id in recording.runs.values())
    recording.databases.execute(
        database,
        f"DELETE FROM events WHERE type = 'complete' AND run_id IN ({ids})",
        f"UPDATE messages SET status = 'running', content = '' "
        f"WHERE id IN (SELECT message_id FROM runs WHERE id IN ({ids}))",
        f"UPDATE runs SET status = 'running', finished_at = NULL WHERE id IN ({ids})",
    )
    after = resume(recording, database)
    assert after.requests == Counter()
    for name, outcome in after.outcomes.items():
        assert whole[name].changes(outcome) == [], name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_version_was_recorded_with_all_its_modes(version: str, kind: str) -> None:
    folder = RECORDED / version / kind
    modes = {run["mode"] for run in read_json(folder, "documents")["/api/runs?limit=100"]["runs"]}
    assert len(modes) >= 16
    for cut in CUTS:
        assert read_json(folder, cut).keys() >= modes
