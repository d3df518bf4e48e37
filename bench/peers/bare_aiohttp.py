"""By hand on aiohttp and uvloop."""

from __future__ import annotations

import aiohttp
import orjson
from council import council

SESSION: aiohttp.ClientSession
URL = ""


async def setup(base: str, folder: str) -> None:
    global SESSION, URL
    URL = f"{base}/chat/completions"
    SESSION = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))


async def ask(model: str, prompt: str) -> str:
    body = orjson.dumps({"model": model, "messages": [{"role": "user", "content": prompt}]})
    async with SESSION.post(URL, data=body, headers={"content-type": "application/json"}) as reply:
        return str(orjson.loads(await reply.read())["choices"][0]["message"]["content"])


async def deliberate() -> str:
    return await council(ask)


async def close() -> None:
    await SESSION.close()
