"""Providers: who can be asked, where, with which key, and what to call its models.

openai/o3            OpenRouter, as "openai/o3"; OpenAI, as "o3", when only its key is set
ollama/llama3.3      Ollama, as "llama3.3"
lab/qwen3            the endpoint `lab` of the config file, as "qwen3"
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from pydantic import SecretStr

ANTHROPIC = "anthropic"
OLLAMA = "ollama"
OPENAI = "openai"
OPENROUTER = "openrouter"
OLLAMA_PORT = 11434
_HOST = re.compile(r"[^\s\x00-\x1f\x7f\\]+")


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider. `configured`: a person has said something about it; `missing`: what still keeps it
    from being asked. `owner`: whose key it is, if only they may use it. `public_only`: no address within
    the server's own network is connected to. `problem`: why it cannot be asked, though it is configured.

    What is kept about a provider (connections, slots, silence, lists of models) is kept by the whole value,
    never by its name: two people's `openrouter` are two providers."""

    name: str
    title: str
    base_url: str
    kind: Literal["openai", "anthropic"] = "openai"
    key: SecretStr | None = None
    key_name: str | None = None
    needs_key: bool = True
    configured: bool = True
    concurrency: int = 256
    owner: str | None = None
    public_only: bool = False
    problem: str | None = None

    def __hash__(self) -> int:
        # Looked up several times for each call; the key, which is slow to hash, hardly tells two apart.
        return hash((self.name, self.base_url, self.owner))

    @classmethod
    def openrouter(cls, base_url: str | None, key: SecretStr | None, concurrency: int) -> Provider:
        return cls._built_in(
            OPENROUTER, "OpenRouter", "https://openrouter.ai/api/v1", base_url, key, concurrency
        )

    @classmethod
    def openai(cls, base_url: str | None, key: SecretStr | None, concurrency: int) -> Provider:
        return cls._built_in(OPENAI, "OpenAI", "https://api.openai.com/v1", base_url, key, concurrency)

    @classmethod
    def anthropic(cls, base_url: str | None, key: SecretStr | None, concurrency: int) -> Provider:
        default = "https://api.anthropic.com"
        return cls._built_in(ANTHROPIC, "Anthropic", default, base_url, key, concurrency, kind="anthropic")

    @classmethod
    def ollama(cls, host: str | None, concurrency: int) -> Provider:
        return cls(
            name=OLLAMA,
            title="Ollama",
            base_url=f"{host or ollama_address('')}/v1",
            needs_key=False,
            configured=host is not None,
            concurrency=concurrency,
        )

    @classmethod
    def _built_in(
        cls,
        name: str,
        title: str,
        default_url: str,
        base_url: str | None,
        key: SecretStr | None,
        concurrency: int,
        kind: Literal["openai", "anthropic"] = "openai",
    ) -> Provider:
        return cls(
            name=name,
            title=title,
            base_url=base_url or default_url,
            kind=kind,
            key=key,
            key_name=f"{name.upper()}_API_KEY",
            # Whoever moves a provider to an address of their own may need no key there.
            needs_key=base_url is None,
            configured=key is not None or base_url is not None,
            concurrency=concurrency,
        )

    @property
    def missing(self) -> str | None:
        """The variable to set before this provider can be asked."""
        return self.key_name if self.needs_key and self.key is None else None

    @property
    def quota(self) -> str:
        """The name under which its calls at once are counted: a person's key has a limit of its own."""
        return self.name if self.owner is None else f"{self.name}@{self.owner}"

    @property
    def address(self) -> str:
        """Scheme, host and port: what a message shows."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}"

    def own_name(self, model: str) -> str:
        """What this provider itself calls a model."""
        return model if self.name == OPENROUTER else model.removeprefix(f"{self.name}/")


def web_address(url: str) -> str:
    """A base URL without its final slash. Raises ValueError if it is no web address, or holds a password."""
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or not _HOST.fullmatch(parts.netloc):
        raise ValueError(f"{url!r} is not an address; it should look like https://host/v1")
    if "@" in parts.netloc:
        raise ValueError("an address holds no user or password; put the key into its own variable")
    if parts.query or parts.fragment:
        raise ValueError(f"{url!r} has a ? or # part; an address ends with its path")
    return url.strip().rstrip("/")


def ollama_address(host: str) -> str:
    """The address a client uses for what OLLAMA_HOST says, which may also be what the server binds to.

    >>> ollama_address("0.0.0.0"), ollama_address("gpu:8080"), ollama_address("https://gpu.example")
    ('http://127.0.0.1:11434', 'http://gpu:8080', 'https://gpu.example')
    """
    host = host.strip().rstrip("/")
    if "://" in host:
        return web_address(host).removesuffix("/v1")
    parts = urlsplit(f"//{host}")
    name = parts.hostname or "127.0.0.1"
    if name in ("0.0.0.0", "::"):
        name = "127.0.0.1"
    shown = f"[{name}]" if ":" in name else name
    return web_address(f"http://{shown}:{parts.port or OLLAMA_PORT}{parts.path}")
