"""The yardstick: the same council calls by hand on aiohttp and orjson, stored nowhere and shown to nobody.

Run as a process of its own: `python -m bench.bare BASE_URL COUNT AT_ONCE WHOLE` prints JSON. With WHOLE = 1
replies are not streamed.
"""

from __future__ import annotations

import asyncio
import sys
import time

import aiohttp
import orjson

MODELS = ["a/one", "b/two", "c/three"]
QUESTION = "What are the trade-offs between microservices and monolithic architectures for a small team?"


def rank_prompt(question: str, answers: list[str]) -> str:
    body = "\n\n".join(f"--- Response {chr(65 + i)} ---\n{answer}" for i, answer in enumerate(answers))
    ending = 'End with "FINAL RANKING:" and a list.'
    return f"You are an expert evaluator.\n\nQuestion: {question}\n\n{body}\n\n{ending}"


def synthesis_prompt(question: str, answers: list[str], rankings: list[str]) -> str:
    shown = "\n\n".join([*answers, *rankings])
    return (
        f"You are a chairman synthesizing the best answer.\n\nQuestion: {question}\n\n{shown}\n\nSynthesize."
    )


class Bare:
    def __init__(self, base: str, session: aiohttp.ClientSession, whole: bool) -> None:
        self.url = base + "/chat/completions"
        self.session = session
        self.ask = self.ask_whole if whole else self.ask_streaming
        self.chunks = 0

    async def ask_whole(self, model: str, prompt: str) -> str:
        body = orjson.dumps({"model": model, "messages": [{"role": "user", "content": prompt}]})
        headers = {"content-type": "application/json"}
        async with self.session.post(self.url, data=body, headers=headers) as reply:
            return str(orjson.loads(await reply.read())["choices"][0]["message"]["content"])

    async def ask_streaming(self, model: str, prompt: str) -> str:
        body = orjson.dumps(
            {"model": model, "stream": True, "messages": [{"role": "user", "content": prompt}]}
        )
        text = ""
        async with self.session.post(
            self.url, data=body, headers={"content-type": "application/json"}
        ) as reply:
            async for line in reply.content:
                if line.startswith(b"data: {"):
                    self.chunks += 1
                    choices = orjson.loads(line[6:])["choices"]
                    if choices and (piece := choices[0]["delta"].get("content")):
                        text += piece
        return text

    async def council(self) -> float:
        started = time.perf_counter()
        title = asyncio.create_task(self.ask("a/one", f"Generate a brief title for: {QUESTION}"))
        answers = await asyncio.gather(*(self.ask(model, QUESTION) for model in MODELS))
        prompt = rank_prompt(QUESTION, answers)
        rankings = await asyncio.gather(*(self.ask(model, prompt) for model in MODELS))
        await self.ask("a/one", synthesis_prompt(QUESTION, answers, rankings))
        await title
        return time.perf_counter() - started


async def main(base: str, count: int, at_once: int, whole: bool) -> None:
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:
        bare = Bare(base, session, whole)
        await bare.council()
        bare.chunks = 0
        slots = asyncio.Semaphore(at_once)

        async def one() -> float:
            async with slots:
                return await bare.council()

        cpu, wall = time.process_time(), time.perf_counter()
        times = await asyncio.gather(*(one() for _ in range(count)))
        spent = time.process_time() - cpu
        wall = time.perf_counter() - wall
    print(
        orjson.dumps(
            {
                "cpu_ms": spent * 1000 / count,
                "median_s": sorted(times)[len(times) // 2],
                "wall_s": wall,
                "chunks": bare.chunks / count,
            }
        ).decode()
    )


if __name__ == "__main__":
    import uvloop

    uvloop.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] == ["1"]))
