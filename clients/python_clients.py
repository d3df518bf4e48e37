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
from collections.abc import Callable, Coroutine
from importlib.metadata import version
from typing import Any, Literal, Protocol, TypeVar
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import openai
from pydantic import BaseModel

URL, NAME = sys.argv[1], sys.argv[2]
V1 = f"{URL}/v1"
MODES = ("vote", "council", "debate")
FAULTS = {"fails-401": 401, "fails-402": 402, "fails-429": 429, "fails-hang": 504}
QUESTION = "Tabs or spaces?"
ASK: Any = [{"role": "user", "content": QUESTION}]
os.environ["OPENAI_API_KEY"] = "none"


T = TypeVar("T")
Errors = tuple[type[Exception], ...]


class Choice(BaseModel):
    choice: Literal["tabs", "spaces"]


class Client(Protocol):
    """`errors`: by what the client says that something failed. `pieces`: leave after so many, or stay.
    `choose`: ask for an answer in a schema, if the client can."""

    package: str
    errors: Errors

    def ask(self, model: str) -> str: ...
    def stream(self, model: str, pieces: int | None = None) -> str: ...
    @property
    def choose(self) -> Callable[[str], Choice] | None: ...


class OpenAI:
    package = "openai"
    errors: Errors = (openai.APIError,)

    def __init__(self) -> None:
        self.client = openai.OpenAI(base_url=V1)

    def ask(self, model: str) -> str:
        return self.client.chat.completions.create(model=model, messages=ASK).choices[0].message.content or ""

    def stream(self, model: str, pieces: int | None = None) -> str:
        text = ""
        with self.client.chat.completions.create(model=model, messages=ASK, stream=True) as chunks:
            for number, chunk in enumerate(chunks):
                text += chunk.choices[0].delta.content or ""
                if number == pieces:
                    break
        return text

    def choose(self, model: str) -> Choice:
        answer = self.client.chat.completions.parse(model=model, messages=ASK, response_format=Choice)
        assert answer.choices[0].message.parsed is not None
        return answer.choices[0].message.parsed


class AsyncOpenAI:
    """The same client without blocking."""

    package = "openai"
    errors: Errors = (openai.APIError,)

    def ask(self, model: str) -> str:
        async def ask(client: openai.AsyncOpenAI) -> str:
            answer = await client.chat.completions.create(model=model, messages=ASK)
            return answer.choices[0].message.content or ""

        return self._with_client(ask)

    def stream(self, model: str, pieces: int | None = None) -> str:
        async def read(client: openai.AsyncOpenAI) -> str:
            text, number = "", 0
            async with await client.chat.completions.create(model=model, messages=ASK, stream=True) as chunks:
                async for chunk in chunks:
                    text += chunk.choices[0].delta.content or ""
                    if number == pieces:
                        break
                    number += 1
            return text

        return self._with_client(read)

    def choose(self, model: str) -> Choice:
        async def parse(client: openai.AsyncOpenAI) -> Choice:
            answer = await client.chat.completions.parse(model=model, messages=ASK, response_format=Choice)
            assert answer.choices[0].message.parsed is not None
            return answer.choices[0].message.parsed

        return self._with_client(parse)

    def _with_client(self, work: Callable[[openai.AsyncOpenAI], Coroutine[Any, Any, T]]) -> T:
        async def run() -> T:
            async with openai.AsyncOpenAI(base_url=V1) as client:
                return await work(client)

        return asyncio.run(run())


class ResponseFailed(Exception):
    """A stream of events tells of a failure by an event; the client raises nothing."""


class Responses:
    """The same client's other API."""

    package = "openai"
    errors: Errors = (openai.APIError, ResponseFailed)

    def __init__(self) -> None:
        self.client = openai.OpenAI(base_url=V1)

    def ask(self, model: str) -> str:
        return self.client.responses.create(model=model, input=QUESTION).output_text

    def in_background(self, model: str) -> str:
        response = self.client.responses.create(model=model, input=QUESTION, background=True)
        while response.status == "in_progress":
            time.sleep(0.1)
            response = self.client.responses.retrieve(response.id)
        return response.output_text

    def stream(self, model: str, pieces: int | None = None) -> str:
        text = ""
        with self.client.responses.create(model=model, input=QUESTION, stream=True) as events:
            for number, event in enumerate(events):
                if event.type == "response.output_text.delta":
                    text += event.delta
                if event.type == "response.failed" and event.response.error is not None:
                    raise ResponseFailed(event.response.error.message)
                if number == pieces:
                    break
        return text

    def choose(self, model: str) -> Choice:
        parsed = self.client.responses.parse(model=model, input=QUESTION, text_format=Choice).output_parsed
        assert parsed is not None
        return parsed


class LiteLLM:
    package = "litellm"
    errors: Errors = (openai.APIError,)

    def _send(self, model: str, **more: Any) -> Any:
        import litellm

        return litellm.completion(
            model=f"openai/{model}", messages=ASK, api_base=V1, api_key="none", num_retries=0, **more
        )

    def ask(self, model: str) -> str:
        return str(self._send(model).choices[0].message.content)

    def stream(self, model: str, pieces: int | None = None) -> str:
        text, chunks = "", self._send(model, stream=True)
        for number, chunk in enumerate(chunks):
            text += chunk.choices[0].delta.content or ""
            if number == pieces:
                chunks.completion_stream.close()
                break
        return text

    def choose(self, model: str) -> Choice:
        answer = self._send(model, response_format=Choice)
        return Choice.model_validate_json(answer.choices[0].message.content)


class LangChain:
    package = "langchain-openai"
    errors: Errors = (openai.APIError,)

    def _model(self, model: str) -> Any:
        from langchain_openai import ChatOpenAI

        return ChatOpenAI(model=model, base_url=V1, api_key="none")

    def ask(self, model: str) -> str:
        return str(self._model(model).invoke(QUESTION).content)

    def stream(self, model: str, pieces: int | None = None) -> str:
        text, chunks = "", self._model(model).stream(QUESTION)
        for number, chunk in enumerate(chunks):
            text += chunk.content
            if number == pieces:
                chunks.close()
                break
        return text

    def choose(self, model: str) -> Choice:
        held = self._model(model).with_structured_output(Choice, method="json_schema")
        return Choice.model_validate(held.invoke(QUESTION))


class PydanticAI:
    package = "pydantic-ai-slim"

    def __init__(self) -> None:
        from pydantic_ai.exceptions import AgentRunError

        self.errors: Errors = (AgentRunError, openai.APIError)

    def _agent(self, model: str, **more: Any) -> Any:
        from pydantic_ai import Agent
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        return Agent(OpenAIChatModel(model, provider=OpenAIProvider(base_url=V1, api_key="none")), **more)

    def ask(self, model: str) -> str:
        return str(self._agent(model).run_sync(QUESTION).output)

    def stream(self, model: str, pieces: int | None = None) -> str:
        async def read() -> str:
            text = ""
            async with self._agent(model).run_stream(QUESTION) as result:
                async for piece in result.stream_text(delta=True):
                    text += piece
            return text

        return asyncio.run(read() if pieces is None else left_in_the_middle(read()))

    def choose(self, model: str) -> Choice:
        from pydantic_ai import NativeOutput

        held = self._agent(model, output_type=NativeOutput(Choice)).run_sync(QUESTION)
        return Choice.model_validate(held.output)


class LLM:
    package = "llm"

    def __init__(self) -> None:
        import llm

        self.errors: Errors = (llm.ModelError, openai.APIError)

    def _model(self, model: str, kind: str = "Chat") -> Any:
        from llm.default_plugins import openai_models

        return getattr(openai_models, kind)(model, model_name=model, api_base=V1, supports_schema=True)

    def ask(self, model: str) -> str:
        return str(self._model(model).prompt(QUESTION, key="none", stream=False).text())

    def stream(self, model: str, pieces: int | None = None) -> str:
        if pieces is None:
            return "".join(self._model(model).prompt(QUESTION, key="none"))

        async def read() -> str:
            return str(await self._model(model, "AsyncChat").prompt(QUESTION, key="none").text())

        return asyncio.run(left_in_the_middle(read()))

    def choose(self, model: str) -> Choice:
        held = self._model(model).prompt(QUESTION, key="none", stream=False, schema=Choice)
        return Choice.model_validate_json(held.text())


class LLMMoot:
    """Our own plugin in somebody else's program. It always streams, so no status reaches its caller."""

    package = "llm-moot"

    def __init__(self) -> None:
        import llm

        from llm_moot import refresh_presets

        os.environ["MOOT_URL"] = URL
        refresh_presets()
        self.errors: Errors = (llm.ModelError,)

    def _prompt(self, model: str) -> Any:
        import llm

        return llm.get_model(model.replace("/", "-", 1)).prompt(QUESTION)

    def ask(self, model: str) -> str:
        return str(self._prompt(model).text())

    def stream(self, model: str, pieces: int | None = None) -> str:
        text, events = "", self._prompt(model).stream_events()
        for number, event in enumerate(events):
            text += event.chunk if event.type == "text" else ""
            if number == pieces:
                events.close()
                break
        return text

    choose = None


class OpenWebUI:
    """A chat program before a moot; its own API is asked, as its page does. Its address: OPEN_WEBUI_URL."""

    package = "open-webui"
    errors: Errors = (HTTPError,)

    def __init__(self) -> None:
        self._url = os.environ["OPEN_WEBUI_URL"]
        person = {"email": "admin@localhost", "password": "admin"}  # of a server without sign-in
        with self._post("/api/v1/auths/signin", person) as answer:
            self._token = json.load(answer)["token"]
        listing = Request(f"{self._url}/api/models", headers={"authorization": f"Bearer {self._token}"})
        with urlopen(listing) as answer:  # the program knows only models it has listed
            assert "moot/vote" in {model["id"] for model in json.load(answer)["data"]}

    def _post(self, path: str, body: dict[str, Any], **headers: str) -> Any:
        given = {"content-type": "application/json", **headers}
        return urlopen(Request(f"{self._url}{path}", json.dumps(body).encode(), given))

    def _send(self, model: str, *, stream: bool) -> Any:
        body = {"model": model, "messages": ASK, "stream": stream}
        return self._post("/api/chat/completions", body, authorization=f"Bearer {self._token}")

    def ask(self, model: str) -> str:
        with self._send(model, stream=False) as answer:
            return str(json.load(answer)["choices"][0]["message"]["content"])

    def stream(self, model: str, pieces: int | None = None) -> str:
        text, number = "", 0
        with self._send(model, stream=True) as lines:
            for line in lines:
                if not line.startswith(b"data: {"):
                    continue
                chunk = json.loads(line.removeprefix(b"data: "))
                if "error" in chunk:
                    raise HTTPError(self._url, 200, chunk["error"]["message"], lines.headers, None)
                text += chunk["choices"][0]["delta"].get("content") or ""
                if number == pieces:
                    break
                number += 1
        return text

    choose = None


async def left_in_the_middle(reading: Coroutine[Any, Any, str]) -> str:
    """A client that hands over nothing before the answer's first word is stopped while its run goes on."""
    before = newest()
    task = asyncio.create_task(reading)
    await asyncio.to_thread(wait_for_another, before)
    task.cancel()
    await asyncio.wait([task])
    return ""


CLIENTS: dict[str, type[Client]] = {
    "openai": OpenAI,
    "openai-async": AsyncOpenAI,
    "openai-responses": Responses,
    "litellm": LiteLLM,
    "langchain": LangChain,
    "pydantic-ai": PydanticAI,
    "llm": LLM,
    "llm-moot": LLMMoot,
    "open-webui": OpenWebUI,
}
TELLS_NO_STATUS = ("llm-moot",)


def newest() -> tuple[str, str]:
    """The newest run on the server, and how it stands."""
    with urlopen(f"{URL}/api/runs?limit=1") as answer:
        run = json.load(answer)["runs"][0]
    return run["runId"], run["status"]


def wait_for_another(run: tuple[str, str]) -> None:
    while newest() == run:
        time.sleep(0.05)


def status(error: BaseException | None) -> int | None:
    while error is not None:
        found = getattr(error, "status_code", getattr(error, "code", None))
        if isinstance(found, int):
            return found
        error = error.__cause__ or error.__context__
    return None


def words(error: BaseException | None) -> str:
    said = ""
    while error is not None:
        said += f"{type(error).__name__}: {error} "
        error = error.__cause__ or error.__context__
    return said


def stopped(client: Client) -> bool | str:
    """Whoever leaves a stream stops its run, on the server too."""
    client.stream("moot/slow", 0)
    gc.collect()  # some clients close the connection with the last reference to it
    for _ in range(50):
        if newest()[1] == "cancelled":
            return True
        time.sleep(0.1)
    return f"the run is {newest()[1]}"


def failure(client: Client, preset: str, expected: int, *, stream: bool) -> bool | str:
    try:
        text = client.stream(f"moot/{preset}") if stream else client.ask(f"moot/{preset}")
    except client.errors as error:
        if (
            stream or NAME in TELLS_NO_STATUS
        ):  # under a 200: an error frame, which the client raises with the provider's words
            told = f"scripted {expected}" if expected != 504 else "did not answer"
            return told in words(error) or words(error)
        return status(error) == expected or f"{status(error)}: {error}"
    return f"no error, but {text!r}"


class Checks:
    """What was tried, a line for each on stdout."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.all_good = True

    def __call__(self, what: str, work: Callable[[], bool | str]) -> None:
        began = time.monotonic()
        try:
            said = work()
        except Exception as error:
            said = words(error)
        good = said is True
        self.all_good = self.all_good and good
        line = (NAME, what, "yes" if good else "NO", "" if good else str(said)[:160])
        print(*line, f"{time.monotonic() - began:.1f}", sep="\t", flush=True)


def main() -> int:
    client = CLIENTS[NAME]()
    print(
        f"{NAME}\tversion\tyes\t{os.environ.get('CLIENT_VERSION') or version(client.package)}\t0", flush=True
    )
    check = Checks(client)
    for mode in MODES:
        check(f"{mode}, whole", lambda mode=mode: "Tabs" in client.ask(f"moot/{mode}"))  # type: ignore[misc]
        check(f"{mode}, streamed", lambda mode=mode: "Tabs" in client.stream(f"moot/{mode}"))  # type: ignore[misc]
    check("stops", lambda: stopped(client))
    for preset, expected in FAULTS.items():
        name = f"{expected}" if expected != 504 else "timeout (504)"
        for stream in (False, True):
            check(
                f"{name}, streamed" if stream else name,
                lambda p=preset, e=expected, s=stream: failure(client, p, e, stream=s),  # type: ignore[misc]
            )
    check("failed seat", lambda: "This answer is degraded" in client.ask("moot/seat-fails"))
    check("failed seat, streamed", lambda: "This answer is degraded" in client.stream("moot/seat-fails"))
    if (choose := client.choose) is not None:
        check("JSON schema", lambda: choose("moot/vote").choice == "tabs")
    if isinstance(client, Responses):
        check("in the background", lambda: "Tabs" in client.in_background("moot/vote"))
    return 0 if check.all_good else 1


if __name__ == "__main__":
    sys.exit(main())
