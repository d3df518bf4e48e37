"""Every way a provider fails, over real HTTP: the kind, whether to try again, and what the person reads."""

from __future__ import annotations

import asyncio
import logging
import socket

import pytest

from moot.settings.providers import Provider
from moot.testing import ModelServer, Reply
from moot.transport.failures import seconds_to_wait
from moot.transport.provider_message import clean, words_in
from tests.transport.asking import KEY, a_request, client, failure, hear, openrouter, stack


@pytest.mark.parametrize(
    ("status", "message", "kind", "retry", "reason"),
    [
        (
            401,
            "User not found.",
            "auth",
            False,
            "OpenRouter refused the key in OPENROUTER_API_KEY for openai/o3 (401): User not found.",
        ),
        (
            402,
            "Insufficient credits",
            "credit",
            False,
            "OpenRouter says the account is out of credit (402) and did not run openai/o3: Insufficient credits.",
        ),
        (
            403,
            "Not allowed",
            "auth",
            False,
            "OpenRouter refused the key in OPENROUTER_API_KEY for openai/o3 (403): Not allowed.",
        ),
        (
            403,
            "Your input was flagged",
            "refused",
            False,
            "OpenRouter refused the prompt for openai/o3 (403): Your input was flagged.",
        ),
        (
            403,
            "Key limit exceeded",
            "credit",
            False,
            "OpenRouter says the account is out of credit (403) and did not run openai/o3: Key limit exceeded.",
        ),
        (
            404,
            "No endpoints found",
            "not_found",
            False,
            'OpenRouter has no model "openai/o3" (404): No endpoints found.',
        ),
        (
            400,
            "openai/o3 is not a valid model ID",
            "not_found",
            False,
            'OpenRouter has no model "openai/o3" (400): openai/o3 is not a valid model ID.',
        ),
        (
            400,
            "context length exceeded",
            "other",
            False,
            "OpenRouter rejected the call to openai/o3 (400): context length exceeded.",
        ),
        (408, "Slow", "timeout", True, "OpenRouter gave up waiting for openai/o3 (408): Slow."),
        (
            429,
            "Rate limit exceeded",
            "rate_limited",
            True,
            "OpenRouter is rate limiting openai/o3 (429): Rate limit exceeded.",
        ),
        (
            429,
            "insufficient_quota: you exceeded your quota",
            "credit",
            False,
            "OpenRouter says the account is out of credit (429) and did not run openai/o3: "
            "insufficient_quota: you exceeded your quota.",
        ),
        (500, "Oops!", "other", True, "OpenRouter failed on openai/o3 (500): Oops!"),
        (502, "Bad gateway", "other", True, "OpenRouter failed on openai/o3 (502): Bad gateway."),
        (503, "No provider", "other", True, "OpenRouter failed on openai/o3 (503): No provider."),
        (504, "Slow", "timeout", True, "OpenRouter gave up waiting for openai/o3 (504): Slow."),
        (
            529,
            "Overloaded",
            "rate_limited",
            True,
            "OpenRouter is rate limiting openai/o3 (529): Overloaded.",
        ),
    ],
)
async def test_a_refusal_names_model_provider_and_cause(
    status: int, message: str, kind: str, retry: bool, reason: str
) -> None:
    reply = Reply(status=status, message=message)
    async with ModelServer(default=reply) as server, client(server) as transport:
        error = await failure(transport)
    assert (error.kind, error.retry, error.reason) == (kind, retry, reason)


async def test_nobody_listening_is_told_with_the_address() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        async with stack(ollama_host=f"127.0.0.1:{port}", attempts=1) as transport:
            error = await failure(transport, a_request("ollama/llama3.3"))
    assert error.kind == "network"
    assert error.reason == (
        f"Could not reach Ollama at http://127.0.0.1:{port}: connection refused. Is it running? "
        "The call was for ollama/llama3.3."
    )


async def test_an_address_nobody_knows_is_told() -> None:
    async with stack(openrouter_base_url="http://models.invalid/v1", attempts=1) as transport:
        error = await failure(transport)
    assert error.reason == (
        "Could not reach OpenRouter at http://models.invalid: its name could not be looked up. "
        "The call was for openai/o3."
    )


async def test_a_server_that_hangs_up_before_it_answers_is_told() -> None:
    hanging_up = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    async with hanging_up:
        port = hanging_up.sockets[0].getsockname()[1]
        async with stack(openrouter_base_url=f"http://127.0.0.1:{port}/v1", attempts=1) as transport:
            error = await failure(transport)
    assert error.kind == "network"
    assert error.reason.startswith(f"Could not reach OpenRouter at http://127.0.0.1:{port}: ")


async def test_a_missing_key_is_asked_for() -> None:
    async with (
        ModelServer(default=Reply(status=401, message="No key")) as server,
        stack(openrouter_base_url=server.url, attempts=1) as transport,
    ):
        error = await failure(transport)
    assert error.reason == (
        "OpenRouter needs a key for openai/o3 (401), and none is set in OPENROUTER_API_KEY: No key."
    )


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (
            Reply(text="half an", error_in_200=True),
            "other",
            "OpenRouter failed on openai/o3 (502): provider died.",
        ),
        (
            Reply(whole=True, error_in_200=True),
            "other",
            "OpenRouter failed on openai/o3 (502): provider died.",
        ),
        (Reply(malformed=True), "unreadable", "OpenRouter sent no JSON for openai/o3: Bad gateway."),
        (
            Reply(text="half an answer", unfinished=True),
            "network",
            "OpenRouter broke off its reply for openai/o3: the stream ended without a finish reason.",
        ),
        (
            Reply(text="one two three four", drop_after=2),
            "network",
            "OpenRouter broke off its reply for openai/o3: the connection was closed.",
        ),
        (
            Reply(raw=""),
            "network",
            "OpenRouter broke off its reply for openai/o3: the stream ended without a finish reason.",
        ),
        (
            Reply(raw='{"choices": [{"mess'),
            "network",
            "OpenRouter broke off its reply for openai/o3: the JSON is not complete.",
        ),
        (
            Reply(raw="busy, come back later"),
            "unreadable",
            "OpenRouter sent no completion for openai/o3: busy,",
        ),
        (
            Reply(raw='{"ok": true}'),
            "unreadable",
            'OpenRouter sent no completion for openai/o3: {"ok": true}.',
        ),
        (
            Reply(raw="data: {oops}\n\n"),
            "unreadable",
            "OpenRouter sent an event that is not JSON for openai/o3",
        ),
        (
            Reply(raw="data: [1]\n\n"),
            "unreadable",
            "OpenRouter sent an event that is not a completion for openai/o3",
        ),
        (
            Reply(finish_reason="content_filter"),
            "refused",
            "openai/o3 refused to answer (OpenRouter, content_filter).",
        ),
        (
            Reply(raw='data: {"choices":[{"delta":{"refusal":"I will not."},"finish_reason":"stop"}]}\n\n'),
            "refused",
            "openai/o3 refused to answer (OpenRouter, stop): I will not.",
        ),
        (
            Reply(raw='data: {"error":{"code":"rate_limit_exceeded","message":"Slow down"}}\n\n'),
            "rate_limited",
            "OpenRouter is rate limiting openai/o3 (429): Slow down.",
        ),
        (
            Reply(raw='data: {"choices":[{"delta":{},"finish_reason":"error"}]}\n\n'),
            "other",
            "OpenRouter failed on openai/o3 (502): the provider gave no reason.",
        ),
    ],
)
async def test_a_200_that_is_no_answer_is_a_failure(reply: Reply, kind: str, words: str) -> None:
    async with ModelServer(default=reply) as server, openrouter(server) as transport:
        error = await failure(transport)
    assert error.kind == kind
    assert error.reason.startswith(words)


async def test_a_redirect_is_not_followed_and_the_key_stays_home() -> None:
    async with ModelServer(default="stolen") as elsewhere:
        moved = Reply(status=307, location=f"{elsewhere.url}/chat/completions?secret=1")
        async with ModelServer(default=moved) as server, openrouter(server) as transport:
            error = await failure(transport)
        assert elsewhere.requests == []
    assert error.kind == "other"
    assert "Redirects are not followed" in error.reason
    assert "secret" not in error.reason


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=401, message=f"Bad key {KEY} given"),
        Reply(status=500, message=f"Authorization: Bearer {KEY}"),
        Reply(status=307, location=f"https://evil.example/{KEY}"),
        Reply(raw=f"<html>{KEY}</html>"),
        Reply(raw=f'data: {{"error": {{"message": "{KEY}"}}}}\n\n'),
        Reply(raw=f"data: {KEY}\n\n"),
        Reply(whole=True, error_in_200=True, message=KEY),
        Reply(drop_after=0),
    ],
)
async def test_the_key_is_in_no_error_no_repr_and_no_log(
    reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with ModelServer(default=reply) as server, openrouter(server) as transport:
        error = await failure(transport)
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
        shown = f"{error!r} {error} {error.reason} {error.__cause__!r} {vars(transport)} {caplog.text}"
    assert KEY not in shown


async def test_each_key_goes_only_to_its_own_provider() -> None:
    async with (
        ModelServer(default="a") as lab,
        ModelServer(default="b") as router,
        ModelServer(default="c") as local,
    ):
        async with stack(
            openrouter_base_url=router.url,
            openrouter_api_key=KEY,
            ollama_host=local.url,
            providers={"lab": {"base_url": lab.url, "api_key_env": "LAB_KEY", "api_key": "lab-key"}},
        ) as transport:
            for model in ("lab/qwen3", "google/gemini-2.5-pro", "ollama/llama3.3"):
                await hear(transport, a_request(model))
        sent = [server.requests[0].headers.get("authorization") for server in (lab, router, local)]
        assert sent == ["Bearer lab-key", f"Bearer {KEY}", None]
        assert [server.requests[0].model for server in (lab, router, local)] == [
            "qwen3",
            "google/gemini-2.5-pro",
            "llama3.3",
        ]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": {"message": "No.", "code": 400}}', "No."),
        (b'{"error": "model not found"}', "model not found"),
        (b'{"message": "Unauthorized"}', "Unauthorized"),
        (b'{"detail": [{"msg": "field required"}]}', "field required"),
        (
            b'{"error": {"message": "Provider returned error", "metadata": '
            b'{"provider_name": "Acme", "raw": "{\\"error\\": {\\"message\\": \\"busy\\"}}"}}}',
            "Provider returned error Acme: busy",
        ),
        (b'{"error": {"message": "flagged", "metadata": {"reasons": ["violence"]}}}', "flagged [violence]"),
        (b'{"error": {"message": "Gone.", "code": "model_not_found"}}', "Gone. [model_not_found]"),
        (b"<html><style>p {}</style><p>502 Bad&nbsp;Gateway</p></html>", "   502 Bad&nbsp;Gateway  "),
        (b"plain words", "plain words"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"", ""),
        (b"null", ""),
        (b"[" * 100_000, "[" * 4_000),
    ],
)
def test_a_providers_words_are_found_in_whatever_it_sent(body: bytes, words: str) -> None:
    assert words_in(body) == words


def test_words_are_made_safe_to_show() -> None:
    provider = Provider.openrouter(None, None, 1)
    assert clean("a\x1b[31m\u202eb\r\n\x00c\u200b", provider) == "a [31m b c"
    assert clean("key sk-or-v1-0123456789abcdef0123 is bad", provider) == "key ••• is bad"
    assert len(clean("x" * 1_000_000, provider)) == 300


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("2", 2),
        ("0.5", 0.5),
        ("-3", 0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
        ("soon", None),
        ("", None),
        (None, None),
        ("inf", None),
        ("nan", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert seconds_to_wait(header) == seconds
