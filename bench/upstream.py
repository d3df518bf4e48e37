#!/usr/bin/env python3
"""A fast fake OpenAI/OpenRouter chat-completions upstream for benchmarks and fault tests.

    python upstream.py --port 9000                 # loopback only
    POST /v1/chat/completions  (any path ending in /chat/completions)
    PUT  /__config   {"default": {...}, "models": {"vendor/model": {...}}}   (replaces)
    GET  /__stats    counters;  POST /__reset  clears them
    GET  /v1/models  minimal list

One raw asyncio.Protocol (uvloop when there), replies rendered once and cached, so the
upstream costs ~20 us a call and is never the thing being measured.

Behaviour fields (per model, falling back to default):
    latency_ms      time to the whole reply, or to the first token when streaming      0
    jitter_ms       uniform extra, from a seeded RNG                                   0
    tokens          words in an answer                                                 300
    chunk_words     words in a streamed chunk                                          1
    tps             streamed tokens a second; 0 = every chunk at once                  0
    fail_first      the first N calls of this model answer `status`                    0
    fail_rate       share of calls that answer `status`                                0
    status          the failing status (500, 429, 401, ...)                            500
    retry_after     seconds, sent with a failing 429/503                               none
    hang            true: accept and never answer                                      false
    drop_after      streaming: close the socket after N chunks; else after N bytes     none
    stall_after     streaming: go silent after N chunks, socket open                   none
    error_in_200    true: 200 whose body (or last chunk) is {"error": ...}             false
    malformed       true: 200 with a body that is not JSON                             false
    empty           true: 200 with content ""                                          false
    finish_reason   "stop" | "length" | "content_filter"                               stop
    comments        streaming: N ": OPENROUTER PROCESSING" comments first              0
    text            fixed answer text (for injection tests)                            none
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import time

MODEL_RE = re.compile(rb'"model"\s*:\s*"([^"]+)"')
STREAM_RE = re.compile(rb'"stream"\s*:\s*true')
WORDS = (
    "the council weighed each answer and found that evidence supports a careful "
    "balanced conclusion with several caveats about scale cost and time"
).split()

RANK_TEXT = (
    "Response A is thorough. Response B is concise. Response C misses a point.\n\n"
    "FINAL RANKING:\n1. Response B\n2. Response A\n3. Response C"
)
RANK_JSON = (
    "Response B is best.\n\n```json\n"
    + json.dumps(
        {
            "ranking": ["Response B", "Response A", "Response C"],
            "scores": {"Response A": 8, "Response B": 9, "Response C": 6},
        }
    )
    + "\n```"
)
VOTE_TEXT = "Response B answers best.\n\nVOTE: Response B"


def answer_text(tokens: int) -> str:
    # The same words every time, in an order that does not repeat: a loop would be no answer.
    return " ".join(random.Random(7).choices(WORDS, k=tokens))


class State:
    def __init__(self) -> None:
        self.default: dict = {}
        self.models: dict[str, dict] = {}
        self.cache: dict = {}
        self.rng = random.Random(1)
        self.reset()

    def reset(self) -> None:
        self.calls = self.accepts = self.inflight = self.peak = self.chunks = 0
        self.per_model: dict[str, int] = {}
        self.log: list = []

    def behaviour(self, model: str) -> dict:
        return {**self.default, **self.models.get(model, {})}


S = State()


def kind_of(body: bytes) -> str:
    if b"hairman" in body or b"ynthesi" in body:
        return "synthesis"
    if b"FINAL RANKING" in body:
        return "rank"
    if b'\\"ranking\\"' in body:
        return "rank_json"
    if b"VOTE:" in body:
        return "vote"
    if b"title" in body[-1200:] or b"Title" in body[-1200:]:
        return "title"
    return "answer"


def content_for(kind: str, b: dict) -> str:
    if b.get("empty"):
        return ""
    if "text" in b:
        return b["text"]
    if kind == "rank":
        return RANK_TEXT
    if kind == "rank_json":
        return RANK_JSON
    if kind == "vote":
        return VOTE_TEXT
    if kind == "title":
        return "Weighing The Evidence"
    return answer_text(int(b.get("tokens", 300)))


def http(status: int, body: bytes, ctype: bytes = b"application/json", extra: bytes = b"") -> bytes:
    return (
        b"HTTP/1.1 %d X\r\ncontent-type: %s\r\ncontent-length: %d\r\n%s\r\n"
        % (status, ctype, len(body), extra)
    ) + body


def error_body(status: int) -> bytes:
    return json.dumps(
        {"error": {"message": f"upstream said {status}", "code": status, "type": "fake"}}
    ).encode()


def render_full(model: str, kind: str, b: dict) -> bytes:
    text = content_for(kind, b)
    n = len(text.split())
    return http(
        200,
        json.dumps(
            {
                "id": "gen-fake",
                "object": "chat.completion",
                "created": 1,
                "model": model,
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": text},
                        "finish_reason": b.get("finish_reason", "stop"),
                    }
                ],
                "usage": {
                    "prompt_tokens": 100,
                    "completion_tokens": n,
                    "total_tokens": 100 + n,
                    "cost": 0.0001,
                },
            }
        ).encode(),
    )


def render_chunks(model: str, kind: str, b: dict) -> list[bytes]:
    """SSE data lines, one token each; the usage chunk and [DONE] at the end."""

    def frame(obj: dict) -> bytes:
        data = b"data: " + json.dumps(obj).encode() + b"\n\n"
        return b"%x\r\n%s\r\n" % (len(data), data)

    def chunk(delta: dict, finish=None, **kw) -> dict:
        return {
            "id": "gen-fake",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
            **kw,
        }

    words = re.findall(r"\S+\s*", content_for(kind, b))
    size = int(b.get("chunk_words", 1))
    parts = ["".join(words[at : at + size]) for at in range(0, len(words), size)]
    out = [
        frame(chunk({"role": "assistant", "content": p} if i == 0 else {"content": p}))
        for i, p in enumerate(parts)
    ]
    if b.get("error_in_200"):
        out.append(
            frame(
                {
                    "id": "gen-fake",
                    "object": "chat.completion.chunk",
                    "created": 1,
                    "model": model,
                    "error": {"code": 502, "message": "provider died"},
                    "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
                }
            )
        )
    else:
        out.append(frame(chunk({}, b.get("finish_reason", "stop"))))
    n = len(parts)
    out.append(
        frame(
            {
                "id": "gen-fake",
                "object": "chat.completion.chunk",
                "created": 1,
                "model": model,
                "choices": [],
                "usage": {"prompt_tokens": 100, "completion_tokens": n, "total_tokens": 100 + n},
            }
        )
    )
    done = b"data: [DONE]\n\n"
    out.append(b"%x\r\n%s\r\n0\r\n\r\n" % (len(done), done))
    return out


STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
    b"cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n"
)


class Conn(asyncio.Protocol):
    __slots__ = ("buf", "busy", "loop", "timer", "tr")

    def __init__(self, loop) -> None:
        self.loop, self.buf, self.timer, self.busy = loop, b"", None, False

    def connection_made(self, tr) -> None:
        self.tr = tr
        S.accepts += 1

    def connection_lost(self, exc) -> None:
        if self.timer:
            self.timer.cancel()
        if self.busy:
            S.inflight -= 1
            self.busy = False

    def data_received(self, data: bytes) -> None:
        self.buf += data
        while not self.busy:
            end = self.buf.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self.buf[:end].lower()
            i = head.find(b"content-length:")
            length = int(head[i + 15 :].split(b"\r\n", 1)[0]) if i >= 0 else 0
            if len(self.buf) < end + 4 + length:
                return
            line = self.buf[: self.buf.find(b"\r\n")].split(b" ")
            body = self.buf[end + 4 : end + 4 + length]
            self.buf = self.buf[end + 4 + length :]
            self.handle(line[0], line[1].split(b"?")[0], body)

    # -- requests -----------------------------------------------------------------
    def handle(self, method: bytes, path: bytes, body: bytes) -> None:
        if path.endswith(b"/chat/completions"):
            return self.completion(body)
        if path == b"/__config":
            cfg = json.loads(body)
            S.default, S.models, S.cache = cfg.get("default", {}), cfg.get("models", {}), {}
            return self.tr.write(http(200, b"{}"))
        if path == b"/__stats":
            return self.tr.write(
                http(
                    200,
                    json.dumps(
                        {
                            "calls": S.calls,
                            "accepts": S.accepts,
                            "inflight": S.inflight,
                            "peak": S.peak,
                            "chunks": S.chunks,
                            "per_model": S.per_model,
                            "log": S.log[-2000:],
                        }
                    ).encode(),
                )
            )
        if path == b"/__reset":
            S.reset()
            return self.tr.write(http(200, b"{}"))
        if path.endswith(b"/models"):
            return self.tr.write(http(200, b'{"object":"list","data":[]}'))
        self.tr.write(http(404, error_body(404)))

    def completion(self, body: bytes) -> None:
        m = MODEL_RE.search(body)
        model = m.group(1).decode() if m else "none"
        stream = STREAM_RE.search(body) is not None
        kind = kind_of(body)
        b = S.behaviour(model)
        S.calls += 1
        nth = S.per_model[model] = S.per_model.get(model, 0) + 1
        S.inflight += 1
        S.peak = max(S.peak, S.inflight)
        self.busy = True
        if b.get("log"):
            S.log.append([time.monotonic(), model, kind, stream])
        delay = (b.get("latency_ms", 0) + S.rng.random() * b.get("jitter_ms", 0)) / 1000
        if b.get("hang"):
            return
        failing = nth <= b.get("fail_first", 0) or (b.get("fail_rate") and S.rng.random() < b["fail_rate"])
        if failing:
            status = b.get("status", 500)
            extra = b"retry-after: %d\r\n" % b["retry_after"] if "retry_after" in b else b""
            reply = http(status, error_body(status), extra=extra)
            return self.later(delay, lambda: self.finish(reply))
        if b.get("malformed"):
            return self.later(delay, lambda: self.finish(http(200, b"<html>oops")))
        if stream:
            key = (model, kind, "s")
            chunks = S.cache.get(key) or S.cache.setdefault(key, render_chunks(model, kind, b))
            self.later(delay, lambda: self.start_stream(chunks, b))
        else:
            if b.get("error_in_200"):
                return self.later(delay, lambda: self.finish(http(200, error_body(502))))
            key = (model, kind)
            full = S.cache.get(key) or S.cache.setdefault(key, render_full(model, kind, b))
            if b.get("drop_after") is not None:
                return self.later(delay, lambda: (self.tr.write(full[: b["drop_after"]]), self.tr.close()))
            self.later(delay, lambda: self.finish(full))

    def later(self, delay: float, fn) -> None:
        if delay <= 0:
            fn()
        else:
            self.timer = self.loop.call_later(delay, fn)

    def finish(self, data: bytes) -> None:
        self.timer = None
        if self.tr.is_closing():
            return
        self.tr.write(data)
        self.done()

    def done(self) -> None:
        self.busy = False
        S.inflight -= 1
        if self.buf:
            self.loop.call_soon(self.data_received, b"")

    # -- streaming ------------------------------------------------------------------
    def start_stream(self, chunks: list[bytes], b: dict) -> None:
        self.timer = None
        comment = b": OPENROUTER PROCESSING\n\n"
        self.tr.write(
            STREAM_HEAD
            + b"".join(b"%x\r\n%s\r\n" % (len(comment), comment) for _ in range(b.get("comments", 0)))
        )
        tps = b.get("tps", 0)
        drop, stall = b.get("drop_after"), b.get("stall_after")
        if not tps and drop is None and stall is None:
            S.chunks += len(chunks)
            self.tr.write(b"".join(chunks))
            return self.done()
        t0 = self.loop.time()

        def step(i: int = 0) -> None:
            if self.tr.is_closing():
                return
            if stall is not None and i >= stall:
                return
            if drop is not None and i >= drop:
                return self.tr.close()
            self.tr.write(chunks[i])
            S.chunks += 1
            if i + 1 == len(chunks):
                self.timer = None
                return self.done()
            if i + 3 >= len(chunks) or not tps:  # the tail costs no token time
                self.timer = self.loop.call_later(0, step, i + 1)
            else:
                self.timer = self.loop.call_at(t0 + (i + 1) / tps, step, i + 1)

        step()


async def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--port", type=int, default=9000)
    ap.add_argument("--config", help="JSON, as PUT /__config takes")
    a = ap.parse_args()
    if a.config:
        cfg = json.loads(a.config)
        S.default, S.models = cfg.get("default", {}), cfg.get("models", {})
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Conn(loop), "127.0.0.1", a.port, backlog=4096)
    print(f"upstream on 127.0.0.1:{a.port}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        import uvloop

        uvloop.run(main())
    except ImportError:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
