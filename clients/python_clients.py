"""Other people's Python clients at a moot: each asks in three modes, streams, stops, and is told what failed.

python clients/python_clients.py http://127.0.0.1:8765 openai
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import time
from importlib.metadata import version
from typing import Any
from urllib.request import urlopen

URL, NAME = sys.argv[1], sys.argv[2]
V1 = f"{URL}/v1"
MODES = ("vote", "council", "debate")
FAULTS = {"fails-401": 401, "fails-402": 402, "fails-429": 429, "fails-hang": 504}
SILENT = ("pydantic-ai", "llm")
"""They hand over nothing before the first word of the answer: this script could not leave in the middle."""
ASK = [{"role": "user", "content": "Tabs or spaces?"}]
os.environ["OPENAI_API_KEY"] = "none"


class OpenAI:
    package = "openai"

    def __init__(self) -> None:
        import openai

        self.client = openai.OpenAI(base_url=V1)

    def ask(self, model: str) -> str:
        return self.client.chat.completions.create(model=model, messages=ASK).choices[0].message.content

    def stream(self, model: str, pieces: int | None = None) -> str:
        text = ""
        with self.client.chat.completions.create(model=model, messages=ASK, stream=True) as chunks:
            for number, chunk in enumerate(chunks):
                text += chunk.choices[0].delta.content or ""
                if number == pieces:
                    break
        return text


class LiteLLM:
    package = "litellm"

    def _send(self, model: str, **more: Any) -> Any:
        import litellm

        return litellm.completion(model=f"openai/{model}", messages=ASK, api_base=V1, api_key="none", num_retries=0, **more)

    def ask(self, model: str) -> str:
        return self._send(model).choices[0].message.content

    def stream(self, model: str, pieces: int | None = None) -> str:
        text, chunks = "", self._send(model, stream=True)
        for number, chunk in enumerate(chunks):
            text += chunk.choices[0].delta.content or ""
            if number == pieces:
                chunks.completion_stream.close()
                break
        return text


class LangChain:
    package = "langchain-openai"

    def _model(self, model: str) -> Any:
        from langchain_openai import ChatOpenAI

        return ChatOpenAI(model=model, base_url=V1, api_key="none")

    def ask(self, model: str) -> str:
        return self._model(model).invoke("Tabs or spaces?").content

    def stream(self, model: str, pieces: int | None = None) -> str:
        text, chunks = "", self._model(model).stream("Tabs or spaces?")
        for number, chunk in enumerate(chunks):
            text += chunk.content
            if number == pieces:
                chunks.close()
                break
        return text


class PydanticAI:
    package = "pydantic-ai-slim"

    def _agent(self, model: str) -> Any:
        from pydantic_ai import Agent
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        return Agent(OpenAIChatModel(model, provider=OpenAIProvider(base_url=V1, api_key="none")))

    def ask(self, model: str) -> str:
        return self._agent(model).run_sync("Tabs or spaces?").output

    def stream(self, model: str, pieces: int | None = None) -> str:
        async def read() -> str:
            text = ""
            async with self._agent(model).run_stream("Tabs or spaces?") as result:
                if pieces is not None:
                    return text
                async for piece in result.stream_text(delta=True):
                    text += piece
            return text

        return asyncio.run(read())


class LLM:
    package = "llm"

    def _model(self, model: str) -> Any:
        from llm.default_plugins.openai_models import Chat

        return Chat(model, model_name=model, api_base=V1)

    def ask(self, model: str) -> str:
        return self._model(model).prompt("Tabs or spaces?", key="none", stream=False).text()

    def stream(self, model: str, pieces: int | None = None) -> str:
        text = ""
        for number, piece in enumerate(self._model(model).prompt("Tabs or spaces?", key="none")):
            text += piece
            if number == pieces:
                break
        return text


class LLMMoot:
    """The plugin of our own, in somebody else's program. It always streams, so no status reaches its caller."""

    package = "llm-moot"

    def __init__(self) -> None:
        from llm_moot import refresh_presets

        os.environ["MOOT_URL"] = URL
        refresh_presets()

    def _prompt(self, model: str) -> Any:
        import llm

        return llm.get_model(model.replace("/", "-", 1)).prompt("Tabs or spaces?")

    def ask(self, model: str) -> str:
        return self._prompt(model).text()

    def stream(self, model: str, pieces: int | None = None) -> str:
        text, events = "", self._prompt(model).stream_events()
        for number, event in enumerate(events):
            text += event.chunk if event.type == "text" else ""
            if number == pieces:
                events.close()
                break
        return text


CLIENTS = {"openai": OpenAI, "litellm": LiteLLM, "langchain": LangChain, "pydantic-ai": PydanticAI, "llm": LLM, "llm-moot": LLMMoot}


def status(error: BaseException | None) -> int | None:
    while error is not None:
        found = getattr(error, "status_code", None)
        if isinstance(found, int):
            return found
        error = error.__cause__ or error.__context__
    return None


def chain(error: BaseException | None) -> str:
    said = ""
    while error is not None:
        said += f"{type(error).__name__}: {error} "
        error = error.__cause__ or error.__context__
    return said


def stopped(client: Any) -> Any:
    """Whoever leaves a stream stops its run, on the server too."""
    client.stream("moot/slow", 0)
    gc.collect()  # some clients close the connection with the last reference to it
    for _ in range(50):
        with urlopen(f"{URL}/api/runs?limit=1") as answer:
            newest = json.load(answer)["runs"][0]["status"]
        if newest == "cancelled":
            return True
        time.sleep(0.1)
    return f"the run is {newest}"


def check(what: str, work: Any) -> bool:
    began = time.monotonic()
    try:
        said = work()
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    good = said is True
    print(f"{NAME}\t{what}\t{'yes' if good else 'NO'}\t{'' if good else str(said)[:160]}\t{time.monotonic() - began:.1f}", flush=True)
    return good


def failure(client: Any, preset: str, expected: int, *, stream: bool) -> Any:
    try:
        text = client.stream(f"moot/{preset}") if stream else client.ask(f"moot/{preset}")
    except Exception as error:
        if stream or client.package == "llm-moot":  # under a 200: an error frame, which the client raises with the provider's words
            return f"scripted {expected}" in chain(error) or chain(error)
        return status(error) == expected or f"{status(error)}: {error}"
    return f"no error, but {text!r}"


def main() -> int:
    client = CLIENTS[NAME]()
    print(f"{NAME}\tversion\tyes\t{version(client.package)}\t0", flush=True)
    results = []
    for mode in MODES:
        results.append(check(f"{mode}, whole", lambda mode=mode: "Tabs" in client.ask(f"moot/{mode}")))
        results.append(check(f"{mode}, streamed", lambda mode=mode: "Tabs" in client.stream(f"moot/{mode}")))
    if NAME not in SILENT:
        results.append(check("stops", lambda: stopped(client)))
    for preset, expected in FAULTS.items():
        name = f"{expected}" if expected != 504 else "timeout (504)"
        results.append(check(name, lambda p=preset, e=expected: failure(client, p, e, stream=False)))
        if expected != 504:
            results.append(check(f"{name}, streamed", lambda p=preset, e=expected: failure(client, p, e, stream=True)))
    results.append(check("failed seat said", lambda: "This answer is degraded" in client.ask("moot/seat-fails")))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
