"""Record databases of this version for the tests: make record-runs

Every mode deliberates, on SQLite and on PostgreSQL, behind a real server process that is killed before the
first call was answered. From there on the same runs are brought to their end, killed early, and killed
late, each on a copy: they have one seed and must tell one story. What later versions make of them is
`tests/test_recorded_runs.py`'s to say. A recording is made once for a version and never changed.

Models are simulated, behind HTTP; each is named after the run that asks it: `jury/ada`.
"""

from __future__ import annotations

import json
import signal
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.harness.postgres_server import running_server
from tests.harness.recordings import (
    RECORDED,
    Databases,
    Moot,
    PostgresDatabases,
    SqliteDatabases,
    journals,
    model_server,
    moot_server,
    pack,
    read_documents,
)
from tests.harness.simulating import simulated_reply
from tests.harness.waiting import wait_until

from moot.testing import ModelServer, Received, Reply, Script

QUESTION = """Should a small team move its web shop to microservices?

The shop was founded in 2012 and serves 40,000 customers in three countries. Its monolith has 120,000 lines, \
and a release takes two days. Five developers work on it; two of them know the payment code."""
DOLLARS = 0.0001
UNTIDY = ":unreadable=0.4"
TEMPLATE = {
    "name": "Count the hands",
    "whenToUse": "A team wonders whether it can carry a larger design.",
    "steps": ["Count who knows each part", "Name what nobody knows", "Say who would learn it"],
    "checks": ["Is every part known to two?"],
    "exampleQuestions": ["Can three people run five services?", "Who could stand in for whom?"],
}


@dataclass
class Voices:
    """Answer for simulated models, so many calls a run; what comes after hangs until its caller dies.

    A model belongs to the run whose name stands before the slash. One that is called `down` fails until its
    run is among the `repaired`, one that is called `mute` says nothing. In a run that is called `…_untidy`
    they often keep to no layout, so that they are asked again.
    """

    limits: Mapping[str, float] = field(default_factory=dict)
    repaired: set[str] = field(default_factory=set)
    replies: Counter[str] = field(default_factory=Counter)
    exchanges: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, received: Received) -> Reply:
        run, _, name = received.model.partition("/")
        if name.startswith("mute") or self.replies[run] >= self.limits.get(run, float("inf")):
            return Reply(hang=True)
        self.replies[run] += 1
        reply = self._reply(received, name.startswith("down") and run not in self.repaired)
        self.exchanges.append({"model": received.model, "prompt": received.prompt, "reply": reply})
        return Reply(**reply)

    def _reply(self, received: Received, down: bool) -> dict[str, Any]:
        if down:
            return {"status": 500, "message": "The provider is down."}
        thought = {"reasoning": "It depends on the team."} if received.model.endswith("/eli") else {}
        untidy = UNTIDY if received.model.partition("/")[0].endswith("_untidy") else ""
        return {"text": simulated_reply(received, untidy), "cost": DOLLARS, **thought}


@dataclass
class Recorder:
    """`runs`: by name, those that every recording of this kind has. Each mode has one of its name."""

    databases: Databases
    models: ModelServer
    voices: Voices
    folder: Path
    into: Path
    runs: dict[str, str] = field(default_factory=dict)

    def record(self) -> None:
        calls: dict[str, int] = {}
        while not calls:  # untidy models may bring a run to nothing: then the dice are cast again
            before = self.begin()
            calls = self.finish(before)
        print(f"{self.databases.kind}: {sum(calls.values())} calls in {len(calls)} runs")
        self.cut(before, "early", {run: max(1, count // 3) for run, count in calls.items()})
        self.cut(before, "late", {run: count - 1 for run, count in calls.items()})

    def begin(self) -> str:
        """Every run with its opening, and no call of its own that was answered."""
        database = self.databases.new()
        self.voices.limits = {}
        self.voices.repaired.clear()
        with moot_server(database, self.models, self.folder) as moot:
            modes = {mode["id"]: mode for mode in moot.get("/api/modes")["modes"] if mode["available"]}
            first, degraded = self.to_end(moot, vote("follow_up")), self.to_end(moot, vote("retried", "down"))
            self.voices.repaired.add("retried")
            self.models.reset()
            bodies = {
                f"{mode}{tidiness}": question(mode, entry["configSchema"], f"{mode}{tidiness}")
                for tidiness in ("", "_untidy")
                for mode, entry in modes.items()
            }
            bodies["follow_up"] = {**vote("follow_up"), "conversationId": first["conversationId"]}
            bodies["degraded"] = vote("degraded", "down")
            names = {*bodies, "retried"}
            self.voices.limits = dict.fromkeys(names, 0)
            self.runs = {name: moot.ask(body)["runId"] for name, body in bodies.items()}
            self.runs["retried"] = moot.ask({}, f"/api/runs/{degraded['runId']}/retry")["runId"]
            wait_until(lambda: self.active_runs() >= names)
            kill(moot)
        self.voices.replies.clear()
        return database

    def active_runs(self) -> set[str]:
        """The names of the runs whose models were asked."""
        return {received.model.partition("/")[0] for received in self.models.requests}

    def finish(self, before: str) -> dict[str, int]:
        """Bring every run to its end, and keep what is said about them; how many calls each made, or nothing
        if one of them failed."""
        database = self.databases.copy(before)
        self.voices.limits = {}
        self.voices.exchanges.clear()
        with moot_server(database, self.models, self.folder) as moot:
            if any(moot.story(run_id)[-1]["type"] != "complete" for run_id in self.runs.values()):
                return {}
            calls = {name: self.voices.replies[name] for name in self.runs}
            exchanges = list(self.voices.exchanges)
            self.add_other_endings(moot)
            documents = read_documents(moot)
        with moot_server(database, self.models, self.folder) as moot:
            assert read_documents(moot) == documents, "what is read does not stay the same"
        self.keep(database, "finished")
        self.keep_json("documents", documents)
        self.keep_json("replies", exchanges)
        return calls

    def add_other_endings(self, moot: Moot) -> None:
        """What else people leave behind: other endings, a rating, a preset, a template, a title, figures."""
        self.to_end(moot, vote("failed", "down", "down-too", "down-as-well"))
        mute = moot.ask(vote("cancelled", "mute"))["runId"]
        wait_until(lambda: len(moot.get(f"/api/runs/{mute}")["calls"]) == 4)
        moot.send("POST", f"/api/runs/{mute}/cancel")
        moot.send("POST", f"/api/traces/{self.runs['dialectic']}/rate", {"rating": 9, "note": "It helped."})
        moot.send("POST", "/api/templates", TEMPLATE)
        config = {"councilModels": ["vote/ada", "vote/bo", "vote/cleo"]}
        preset = moot.send("POST", "/api/presets", {"name": "Three", "mode": "vote", "config": config})
        moot.send("PUT", f"/api/presets/{preset['id']}/default")
        conversation = moot.get(f"/api/runs/{self.runs['council']}")["conversationId"]
        moot.send("PATCH", f"/api/conversations/{conversation}", {"title": "A shop in parts"})
        moot.get("/api/insight")

    def to_end(self, moot: Moot, body: Mapping[str, Any]) -> dict[str, Any]:
        opening = moot.ask(body)
        moot.story(opening["runId"])
        return opening

    def cut(self, before: str, name: str, limits: Mapping[str, int]) -> None:
        """Kill the server once every run has stored so many calls of its own, and waits for another."""
        database = self.databases.copy(before)
        self.voices.replies.clear()
        self.voices.limits = limits
        query = "SELECT run_id, count(*) AS calls FROM calls WHERE ended_ms >= 0 GROUP BY run_id"

        def is_there() -> bool:
            rows = self.databases.select(database, {"calls": query})["calls"]
            counts = {row["run_id"]: row["calls"] for row in rows}
            return all(counts.get(run, 0) == limits[name] for name, run in self.runs.items())

        with moot_server(database, self.models, self.folder) as moot:
            wait_until(is_there)
            kill(moot)
        assert is_there()
        self.keep(database, name)
        self.keep_json(name, journals(self.databases, database, self.runs))

    def keep(self, database: str, name: str) -> None:
        """Without the name of the machine, which stands in the leases; and these have run out, whatever
        the clock says where they are read."""
        alone = self.databases.copy(database)
        lapsed = "UPDATE leases SET owner = 'recorder/1/1/1', lease_until = 1 WHERE owner IS NOT NULL"
        self.databases.execute(alone, lapsed)
        pack(self.into / f"{name}{self.databases.suffix}", self.databases.dump(alone))

    def keep_json(self, name: str, content: Any) -> None:
        pack(self.into / f"{name}.json.xz", json.dumps(content, ensure_ascii=False, indent=1).encode())


def kill(moot: Moot) -> None:
    moot.process.send_signal(signal.SIGKILL)
    moot.process.wait(10)


def question(mode: str, schema: Mapping[str, Any], run: str) -> dict[str, Any]:
    """The mode's defaults, with models that carry the run's name."""
    defaults = {name: one.get("default") for name, one in schema["properties"].items() if name != "timeoutMs"}
    given = {name: value for name, value in defaults.items() if value is not None}
    if mode == "dialectic":
        given["minSimilarity"] = 0.1
    config = json.loads(json.dumps(given).replace('"panel/', f'"{run}/'))
    return {"question": QUESTION, "mode": mode, "modeConfig": config}


def vote(run: str, *names: str) -> dict[str, Any]:
    """A vote of three who can be asked, and of these."""
    models = [f"{run}/{name}" for name in (*(("ada", "bo", "cleo") if len(names) < 2 else ()), *names)]
    config = {"councilModels": models, "chairmanModel": models[0]}
    return {"question": "Tabs or spaces?", "mode": "vote", "modeConfig": config}


def record(databases: Databases, folder: Path, into: Path) -> None:
    into.mkdir(parents=True)
    voices = Voices()
    with model_server(Script(default=voices)) as models:
        Recorder(databases, models, voices, folder, into).record()


def main() -> None:
    into = RECORDED / version("moot")
    if into.exists():
        raise SystemExit(f"{into} is there: a recording is made once for a version and never changed.")
    with tempfile.TemporaryDirectory() as made, running_server() as server:
        folder = Path(made)
        record(SqliteDatabases(folder), folder, into / "sqlite")
        record(PostgresDatabases(server), folder, into / "postgres")


if __name__ == "__main__":
    main()
