"""A scripted model server in a process of its own, steered from a test.

with ModelServerProcess({"default": "tabs", "hold_after": 5}) as models:
    …start moot with models.environment, wait for models.requests(), kill it…
    models.release()
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from http.client import HTTPConnection
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit


class ModelServerProcess:
    """Starts the server on a free port and ends it on leaving. Its methods block; from a coroutine, call
    them in a thread."""

    def __init__(self, script: Mapping[str, Any] | None = None) -> None:
        self._script = dict(script or {})
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    @property
    def environment(self) -> dict[str, str]:
        """What a moot process needs in its environment to take this server for OpenRouter."""
        return {"OPENROUTER_BASE_URL": self.url, "OPENROUTER_API_KEY": "sk-scripted"}

    def __enter__(self) -> ModelServerProcess:
        command = [sys.executable, "-m", "moot.testing.server", "--script", json.dumps(self._script)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._end()
            raise RuntimeError("The model server did not start; its own message is above.")
        self.url = line.split()[-1]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def requests(self) -> list[dict[str, Any]]:
        """Every call so far: number, model, digest, outcome, body, headers, path."""
        calls = self._send("GET", "/__requests")
        assert isinstance(calls, list)
        return calls

    def script(self, script: Mapping[str, Any]) -> None:
        self._send("PUT", "/__script", script)

    def release(self, upto: int | None = None) -> None:
        self._send("POST", "/__release", {"upto": upto})

    def reset(self) -> None:
        self._send("POST", "/__reset")

    def _send(self, method: str, path: str, content: Mapping[str, Any] | None = None) -> Any:
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=10)
        try:
            connection.request(method, path, json.dumps(content or {}))
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def _end(self) -> None:
        if self._process is None:
            return
        self._process.terminate()
        self._process.wait(10)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process = None
