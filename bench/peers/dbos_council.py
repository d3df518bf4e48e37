"""DBOS: a durable workflow, a step a call, its database in SQLite."""

from __future__ import annotations

import aiohttp
import orjson
from council import council
from dbos import DBOS

SESSION: aiohttp.ClientSession
URL = ""


async def setup(base: str, folder: str) -> None:
    global SESSION, URL
    URL = f"{base}/chat/completions"
    SESSION = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
    DBOS(
        config={
            "name": "council",
            "system_database_url": f"sqlite:///{folder}/dbos.db",
            "run_admin_server": False,
            "log_level": "ERROR",
        }
    )
    DBOS.launch()


@DBOS.step()
async def ask(model: str, prompt: str) -> str:
    body = orjson.dumps({"model": model, "messages": [{"role": "user", "content": prompt}]})
    async with SESSION.post(URL, data=body, headers={"content-type": "application/json"}) as reply:
        return str(orjson.loads(await reply.read())["choices"][0]["message"]["content"])


@DBOS.workflow()
async def workflow() -> str:
    return await council(ask)


async def deliberate() -> str:
    return await workflow()


async def close() -> None:
    await SESSION.close()
    DBOS.destroy()
