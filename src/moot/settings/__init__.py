"""Settings: read once, from five places, into one frozen value. The only reader of the environment.

overrides (the command line) > environment > ./moot.toml > ~/.config/moot/moot.toml > defaults

# moot.toml
default_models = ["lab/qwen3", "ollama/llama3.3", "openai/o3"]

[providers.lab]
base_url = "https://lab.example/v1"
api_key_env = "LAB_API_KEY"
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
)

from moot.kernel.errors import MootError
from moot.kernel.values import SIMULATOR
from moot.settings.providers import (
    ANTHROPIC,
    OLLAMA,
    OPENAI,
    OPENROUTER,
    Provider,
    ollama_address,
    web_address,
)

RESERVED = (ANTHROPIC, OLLAMA, OPENAI, OPENROUTER, SIMULATOR)
_UNTRUSTED = "is not read from a project's file, which could send your key to a stranger"


class BadSetting(MootError):
    """A setting cannot be used. The message names where it stands, its name and what is wrong."""


def _key(value: SecretStr) -> SecretStr:
    stripped = value.get_secret_value().strip()
    if not stripped.isascii() or not stripped.isprintable() or " " in stripped:
        raise ValueError("a key is made of printable ASCII characters without blanks")
    return SecretStr(stripped)


def _listed(value: object) -> object:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Key = Annotated[SecretStr, AfterValidator(_key)]
Address = Annotated[str, AfterValidator(web_address)]
ModelIds = Annotated[tuple[str, ...], BeforeValidator(_listed)]
_FROZEN = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Endpoint(BaseModel):
    """A `[providers.<name>]` table of moot.toml: an endpoint of your own."""

    model_config = _FROZEN

    base_url: Address = Field(description="Where it listens, with the version: https://lab.example/v1.")
    api_key_env: str | None = Field(
        None, description="The environment variable that holds its key; none: no key is sent."
    )
    api_key: Key | None = Field(None, description="The key itself; never read from a file.")
    kind: Literal["openai", "anthropic"] = Field(
        "openai", description="Its dialect: chat completions, or Anthropic's Messages."
    )
    concurrency: int | None = Field(None, ge=1, description="Calls at once; default: `concurrency`.")


def _from(variable: str) -> dict[str, Any]:
    return {"env": variable}


class Settings(BaseModel):
    """Every setting with its default. `Settings.load()` reads it from the five places."""

    model_config = _FROZEN

    openrouter_api_key: Key | None = Field(
        None, json_schema_extra=_from("OPENROUTER_API_KEY"), description="Key for OpenRouter."
    )
    openrouter_base_url: Address | None = Field(
        None,
        json_schema_extra=_from("OPENROUTER_BASE_URL"),
        description="Where OpenRouter listens, if not at https://openrouter.ai/api/v1.",
    )
    openai_api_key: Key | None = Field(
        None,
        json_schema_extra=_from("OPENAI_API_KEY"),
        description="Key for OpenAI, asked directly when OpenRouter is not configured.",
    )
    openai_base_url: Address | None = Field(
        None,
        json_schema_extra=_from("OPENAI_BASE_URL"),
        description="Where OpenAI listens, if not at https://api.openai.com/v1.",
    )
    anthropic_api_key: Key | None = Field(
        None,
        json_schema_extra=_from("ANTHROPIC_API_KEY"),
        description="Key for Anthropic, asked directly when OpenRouter is not configured.",
    )
    anthropic_base_url: Address | None = Field(
        None,
        json_schema_extra=_from("ANTHROPIC_BASE_URL"),
        description="Where Anthropic listens, if not at https://api.anthropic.com.",
    )
    ollama_host: Annotated[str, AfterValidator(ollama_address)] | None = Field(
        None,
        json_schema_extra=_from("OLLAMA_HOST"),
        description="Where Ollama listens, if not at http://127.0.0.1:11434.",
    )
    database_url: str = Field(
        default_factory=lambda: _default_database(os.environ),
        repr=False,
        json_schema_extra=_from("DATABASE_URL"),
        description="sqlite:///path or postgresql://…; default: moot.db in your data folder.",
    )
    host: str = Field("127.0.0.1", description="Address the server listens on.")
    port: int = Field(8765, ge=0, le=65535, description="Port the server listens on; 0: any free one.")
    user_header: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9-]+$",
        description="Header in which a proxy with a login names who is asking; default: all are one person.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Least severe message that is logged."
    )
    default_mode: str = Field("council", description="Mode of a question that names none.")
    default_models: ModelIds = Field(
        (), description="Models of a question that names none, by comma; default: what is configured."
    )
    title_model: str | None = Field(
        None, description="Model that names new conversations; default: the mode's special role, or seat 1."
    )
    timeout_ms: int = Field(
        120_000, ge=1_000, le=3_600_000, description="How long one call may take, retries included."
    )
    pipeline_seconds: float = Field(
        600, gt=0, description="Working time of one run; council is exempt. Later calls fail at once."
    )
    connect_seconds: float = Field(
        10, gt=0, description="How long a provider may take to accept a connection."
    )
    attempts: int = Field(3, ge=1, le=10, description="How often one call is tried when a provider falters.")
    retry_wait_seconds: float = Field(
        60, gt=0, description="Longest wait before a retry; a provider that asks for more has failed."
    )
    concurrency: int = Field(256, ge=1, description="Calls at once per provider.")
    ollama_concurrency: int = Field(2, ge=1, description="Calls at once to Ollama, which shares one machine.")
    max_calls: int = Field(500, ge=1, description="Calls one run may make.")
    max_tokens: int | None = Field(
        None, ge=1, description="Tokens one run may use, prompts included; default: no limit."
    )
    max_dollars: float | None = Field(None, gt=0, description="Dollars one run may cost; default: no limit.")
    max_question_chars: int = Field(32_000, ge=1, description="Longest question.")
    max_content_chars: int = Field(
        400_000, ge=1, description="Longest text handed in to be judged or worked on."
    )
    max_body_bytes: int = Field(4_000_000, ge=1, description="Largest HTTP request.")
    lease_seconds: float = Field(
        30, gt=1, description="How long a run stays with a process that has gone silent."
    )
    embedder: str = Field(
        "builtin", description="What finds reasoning templates: builtin, off, or <provider>/<model>."
    )
    embedder_folder: Path = Field(
        default_factory=lambda: _default_weights(os.environ),
        description="Where the built-in embedder's weights are; default: in your data folder.",
    )
    models_cache_seconds: float = Field(300, ge=0, description="How long lists of models are kept.")
    providers: dict[str, Endpoint] = Field(
        default_factory=dict, description="Endpoints of your own, as `[providers.<name>]` tables."
    )

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: str) -> str:
        if not value.startswith(("sqlite:///", "postgresql://", "postgres://")):
            raise ValueError("the database is sqlite:///path or postgresql://user:password@host/name")
        return value

    @field_validator("providers")
    @classmethod
    def _free_names(cls, value: dict[str, Endpoint]) -> dict[str, Endpoint]:
        for name in value:
            if name in RESERVED:
                raise ValueError(f"the name {name!r} is taken by moot itself; choose another")
            if not name or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
                raise ValueError(f"{name!r} cannot begin a model id; use letters, digits and signs of -_.")
        return value

    @classmethod
    def load(
        cls,
        overrides: Mapping[str, object] | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> Settings:
        """Read the five places. Raises BadSetting, whose message names the place and the setting."""
        environ = os.environ if environ is None else environ
        sources = [
            (name, values)
            for name, values in (
                _file(_user_file(environ), trusted=True),
                _file((folder or Path.cwd()) / "moot.toml", trusted=False),
                ("the environment", _environment(environ)),
                ("the command line", {k: v for k, v in (overrides or {}).items() if v is not None}),
            )
            if values
        ]
        merged = {key: value for _, values in sources for key, value in values.items()}
        if isinstance(merged.get("providers"), dict):
            tables = (table for _, values in sources for table in _tables(values))
            merged["providers"] = {name: _with_key(table, environ) for name, table in tables}
        merged.setdefault("database_url", _default_database(environ))
        merged.setdefault("embedder_folder", _default_weights(environ))
        try:
            return cls.model_validate(merged)
        except ValidationError as error:
            raise _explained(error, sources) from None

    def known_providers(self) -> dict[str, Provider]:
        """Every provider by name, whether it can be asked or not: see `Provider.missing`."""
        built_in = (
            Provider.openrouter(self.openrouter_base_url, self.openrouter_api_key, self.concurrency),
            Provider.openai(self.openai_base_url, self.openai_api_key, self.concurrency),
            Provider.anthropic(self.anthropic_base_url, self.anthropic_api_key, self.concurrency),
            Provider.ollama(self.ollama_host, self.ollama_concurrency),
        )
        own = (
            Provider(
                name=name,
                title=name,
                base_url=endpoint.base_url,
                kind=endpoint.kind,
                key=endpoint.api_key,
                key_name=endpoint.api_key_env,
                needs_key=endpoint.api_key_env is not None,
                concurrency=endpoint.concurrency or self.concurrency,
            )
            for name, endpoint in self.providers.items()
        )
        return {provider.name: provider for provider in (*built_in, *own)}


@dataclass(frozen=True, slots=True)
class Documented:
    """A line of the table of settings."""

    name: str
    variable: str
    default: str
    description: str


def documented() -> list[Documented]:
    """Every setting but `[providers.<name>]`, in order, for the docs and `moot doctor`."""
    return [
        Documented(name, variable_of(name), _shown(field.default), field.description or "")
        for name, field in Settings.model_fields.items()
        if name != "providers"
    ]


def variable_of(name: str) -> str:
    """The environment variable of a setting."""
    extra = Settings.model_fields[name].json_schema_extra
    return str(extra["env"]) if isinstance(extra, dict) else f"MOOT_{name.upper()}"


def data_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Where moot keeps what is yours: the database, downloaded weights."""
    return _xdg(os.environ if environ is None else environ, "XDG_DATA_HOME", ".local/share")


def _default_database(environ: Mapping[str, str]) -> str:
    return f"sqlite:///{data_folder(environ) / 'moot.db'}"


def _default_weights(environ: Mapping[str, str]) -> Path:
    return data_folder(environ) / "all-MiniLM-L6-v2"


def _user_file(environ: Mapping[str, str]) -> Path:
    return _xdg(environ, "XDG_CONFIG_HOME", ".config") / "moot.toml"


def _xdg(environ: Mapping[str, str], variable: str, fallback: str) -> Path:
    named = Path(environ.get(variable, ""))
    # A relative path is to be ignored, says the XDG base directory specification.
    return (named if named.is_absolute() else Path.home() / fallback) / "moot"


def _environment(environ: Mapping[str, str]) -> dict[str, Any]:
    found = {name: environ.get(variable_of(name), "").strip() for name in Settings.model_fields}
    return {name: value for name, value in found.items() if value and name != "providers"}


def _file(path: Path, *, trusted: bool) -> tuple[str, dict[str, Any]]:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return str(path), {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSetting(f"{path} cannot be read: {error}") from None
    if not trusted:
        _refuse_hijacking(path, values)
    for name, table in _tables(values):
        if isinstance(table, dict) and "api_key" in table:
            raise BadSetting(
                f"{path}: providers.{name}.api_key: put the key into an environment variable "
                "and its name into api_key_env."
            )
    return str(path), values


def _refuse_hijacking(path: Path, values: Mapping[str, Any]) -> None:
    """A cloned project must not be able to send the person's keys to a host of its choice."""
    known = {variable_of(name) for name in Settings.model_fields if name.endswith("_api_key")}
    for key in values:
        if key.endswith(("_api_key", "_base_url")) or key == "ollama_host":
            raise BadSetting(
                f"{path}: {key} {_UNTRUSTED}; set {variable_of(key)} or your own moot.toml instead."
                if key in Settings.model_fields
                else f"{path}: unknown setting {key!r}."
            )
    for name, table in _tables(values):
        if isinstance(table, dict) and table.get("api_key_env") in known:
            raise BadSetting(
                f"{path}: providers.{name}.api_key_env = {table['api_key_env']!r} {_UNTRUSTED}; "
                "name another variable, or put the table into your own moot.toml."
            )


def _tables(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    tables = values.get("providers")
    return list(tables.items()) if isinstance(tables, dict) else []


def _with_key(table: Any, environ: Mapping[str, str]) -> Any:
    if not isinstance(table, dict):
        return table
    key = environ.get(str(table.get("api_key_env")), "").strip()
    return {**table, "api_key": key} if key else table


def _explained(error: ValidationError, sources: list[tuple[str, dict[str, Any]]]) -> BadSetting:
    first = error.errors(include_url=False, include_context=False)[0]
    path = [str(part) for part in first["loc"]]
    place = next((name for name, values in reversed(sources) if _holds(values, path)), "moot")
    name = variable_of(path[0]) if place == "the environment" else ".".join(path)
    if first["type"] == "extra_forbidden":
        return BadSetting(f"{place}: unknown setting {name!r}.")
    return BadSetting(f"{place}: {name}: {first['msg'].removeprefix('Value error, ').rstrip('.')}.")


def _holds(values: Mapping[str, Any], path: list[str]) -> bool:
    if path[0] == "providers" and len(path) > 1:
        return path[1] in dict(_tables(values))
    return path[0] in values


def _shown(default: object) -> str:
    return str(default) if isinstance(default, str | int | float) else "–"
