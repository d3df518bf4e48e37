"""A server with scripted models for other people's clients: it prints its address and waits.

Its presets are what a client may run into: three modes that work, and one preset for each kind of failure.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

import aiohttp
from pydantic import SecretStr

from moot.http.serve import serve
from moot.settings import Settings
from moot.testing import ModelServer, Reply, Rule, Script

GOOD = ["good/ann", "good/bob", "good/cyd"]
FAULTS = {
    "401": Reply(status=401),
    "402": Reply(status=402),
    "429": Reply(status=429),
    "hang": Reply(hang=True),
}
SLOW = Reply(text="Tabs, for their width is yours.", latency=5)
ANSWER = "Tabs, for their width is yours."
RULES = [
    Rule("JSON schema", '{"choice": "tabs"}'),
    Rule("You are a chairman", ANSWER),
    Rule("FINAL RANKING", "FINAL RANKING:\n1. Response A\n2. Response B\n3. Response C\n4. Response D"),
    Rule("DECISION:", "DECISION: STAND\nREASONING: Fine."),
    Rule("VOTE:", "VOTE: Response A"),
]


def presets() -> list[dict[str, Any]]:
    panels = {f"fails-{name}": [f"x/{name}"] * 3 for name in FAULTS}
    panels |= {"seat-fails": [*GOOD, "x/402"], "slow": ["x/slow"] * 3}
    patience = {"fails-hang": {"timeoutMs": 10_000}}
    return [
        {"name": name, "mode": "vote", "config": {"councilModels": models, **patience.get(name, {})}}
        for name, models in panels.items()
    ]


async def main(port: int) -> None:
    lines = {"x/slow": SLOW, **{f"x/{name}": reply for name, reply in FAULTS.items()}}
    script = Script(models=lines, rules=RULES, default=Reply(text=ANSWER, tokens_per_second=200))
    async with ModelServer(script) as upstream:
        settings = Settings(
            port=port,
            database_url=f"sqlite:///{Path(tempfile.mkdtemp()) / 'moot.db'}",
            openrouter_base_url=upstream.url,
            openrouter_api_key=SecretStr("sk-scripted"),
            default_models=tuple(GOOD),
            title_model="good/title",
            attempts=1,
            log_level="warning",
        )
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(serve(settings, ready.set_result))
        address = await ready
        async with aiohttp.ClientSession(address) as session:
            for preset in presets():
                async with session.post("/api/presets", json=preset) as answer:
                    assert answer.status == 201, await answer.text()
        print(address, flush=True)
        await serving


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
