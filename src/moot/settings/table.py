"""The table of settings: each with its type, default and words, and what a project's file may do with it.

    default_mode: Harmless[str]             a project's moot.toml may set it
    max_calls: LowerOnly[Whole]             … may only lower it
    database_url: TrustedOnly[str]          … may set it once `moot trust` has shown the file

To classify a setting, be the stranger whose repository is cloned: who would get data, keys, money or a place
to listen if you chose its value? Whatever says where something goes is for trusted files only, and so is
whatever hurts in both directions. A setting without a class counts as such, and fails a test.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    AllowInfNan,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    SecretStr,
    field_validator,
)

from moot.kernel.limits import STRICT, Limits
from moot.kernel.values import SIMULATOR, is_model_id
from moot.settings.addresses import is_loopback, network
from moot.settings.places import default_database, default_secret_file, default_weights
from moot.settings.providers import (
    ANTHROPIC,
    OLLAMA,
    OPENAI,
    OPENROUTER,
    Provider,
    ollama_address,
    web_address,
)

log = logging.getLogger(__name__)

RESERVED = (ANTHROPIC, OLLAMA, OPENAI, OPENROUTER, SIMULATOR)
CapturedContent = Literal["NO_CONTENT", "SPAN_ONLY", "EVENT_ONLY", "SPAN_AND_EVENT"]
_HEADER_NAME = re.compile(r"[A-Za-z0-9-]+")


class Standing(Enum):
    """What a project's moot.toml may do with a setting while nobody has trusted it."""

    HARMLESS = "harmless"
    LOWER_ONLY = "lower only"
    TRUSTED_ONLY = "trusted only"


T = TypeVar("T")
Harmless = Annotated[T, Standing.HARMLESS]
LowerOnly = Annotated[T, Standing.LOWER_ONLY]
TrustedOnly = Annotated[T, Standing.TRUSTED_ONLY]


def _key(value: SecretStr) -> SecretStr:
    stripped = value.get_secret_value().strip()
    if not stripped.isascii() or not stripped.isprintable() or " " in stripped:
        raise ValueError("a key may only contain printable ASCII characters, without spaces")
    return SecretStr(stripped)


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def _long(value: SecretStr) -> SecretStr:
    if len(value.get_secret_value()) < 16:
        raise ValueError("it must have at least 16 characters")
    return value


def _secret_keys(value: SecretStr) -> SecretStr:
    parts = [part.strip() for part in value.get_secret_value().split(",") if part.strip()]
    if not parts or any(len(part) < 32 for part in parts):
        raise ValueError(
            "each key must have at least 32 characters, and a comma begins another key; "
            "`openssl rand -base64 32` makes one"
        )
    return SecretStr(",".join(parts))


def _listed(value: object) -> object:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _model_id(value: str) -> str:
    if not is_model_id(value):
        raise ValueError(f"{value[:60]!r} is not a model id such as openai/o3")
    return value


def _no_boolean(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a number is needed, not true or false")
    return value


def _header_name(value: str) -> str:
    if not _HEADER_NAME.fullmatch(value):
        raise ValueError("the name of a header is made of letters, digits and hyphens")
    return value


def _origin(value: str) -> str:
    address = web_address(value)
    if urlsplit(address).path:
        raise ValueError("the page stands at the root of its address: write https://host, without a path")
    return address


def _issuer(value: str) -> str:
    """As it is written: the provider repeats it letter by letter."""
    web_address(value)
    return value


def _rule(value: str) -> str:
    claim, equals, wanted = value.partition("=")
    if value != "*" and not (claim and equals and wanted):
        raise ValueError(f"{value[:60]!r} is not a rule: write claim=value, as in groups=research, or *")
    return value


def _model_limit(value: str) -> str:
    model, _, most = value.rpartition("=")
    if not (most.isascii() and most.isdigit() and 0 < int(most) < 1_000_000):
        raise ValueError("write model=number, such as openai/o3=10")
    return f"{_model_id(model.strip())}={int(most)}"


Key = Annotated[SecretStr, AfterValidator(_key)]
Address = Annotated[str, AfterValidator(web_address)]
ModelId = Annotated[str, AfterValidator(_model_id)]
ModelIds = Annotated[tuple[ModelId, ...], BeforeValidator(_listed)]
Networks = Annotated[tuple[Annotated[str, AfterValidator(network)], ...], BeforeValidator(_listed)]
ModelLimits = Annotated[tuple[Annotated[str, AfterValidator(_model_limit)], ...], BeforeValidator(_listed)]
Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Rules = Annotated[tuple[Annotated[str, AfterValidator(_rule)], ...], BeforeValidator(_listed)]
Whole = Annotated[int, BeforeValidator(_no_boolean)]
Number = Annotated[float, BeforeValidator(_no_boolean), AllowInfNan(False)]
_FROZEN = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Endpoint(BaseModel):
    """A `[providers.<name>]` table of moot.toml: an endpoint of your own."""

    model_config = _FROZEN

    base_url: Address = Field(description="Its address, including the version: https://lab.example/v1.")
    api_key_env: str | None = Field(
        None, description="The environment variable with its key; without one, no key is sent."
    )
    api_key: Key | None = Field(None, description="The key itself; never read from a file.")
    kind: Literal["openai", "anthropic"] = Field(
        "openai", description="Its dialect: chat completions, or Anthropic's Messages."
    )
    concurrency: Whole | None = Field(None, ge=1, description="Calls at once; default: `concurrency`.")


def _from(variable: str) -> dict[str, Any]:
    return {"env": variable}


class Settings(BaseModel):
    """Every setting with its default. `Settings.load()` reads it from the five places."""

    model_config = _FROZEN
    _in_files: frozenset[str] = PrivateAttr(frozenset())

    openrouter_api_key: TrustedOnly[Key | None] = Field(
        None, json_schema_extra=_from("OPENROUTER_API_KEY"), description="Key for OpenRouter."
    )
    openrouter_base_url: TrustedOnly[Address | None] = Field(
        None,
        json_schema_extra=_from("OPENROUTER_BASE_URL"),
        description="Address of OpenRouter, if not https://openrouter.ai/api/v1.",
    )
    openai_api_key: TrustedOnly[Key | None] = Field(
        None,
        json_schema_extra=_from("OPENAI_API_KEY"),
        description="Key for OpenAI, asked directly when OpenRouter is not configured.",
    )
    openai_base_url: TrustedOnly[Address | None] = Field(
        None,
        json_schema_extra=_from("OPENAI_BASE_URL"),
        description="Address of OpenAI, if not https://api.openai.com/v1.",
    )
    anthropic_api_key: TrustedOnly[Key | None] = Field(
        None,
        json_schema_extra=_from("ANTHROPIC_API_KEY"),
        description="Key for Anthropic, asked directly when OpenRouter is not configured.",
    )
    anthropic_base_url: TrustedOnly[Address | None] = Field(
        None,
        json_schema_extra=_from("ANTHROPIC_BASE_URL"),
        description="Address of Anthropic, if not https://api.anthropic.com.",
    )
    ollama_host: TrustedOnly[Annotated[str, AfterValidator(ollama_address)] | None] = Field(
        None,
        json_schema_extra=_from("OLLAMA_HOST"),
        description="Address of Ollama, if not http://127.0.0.1:11434.",
    )
    database_url: TrustedOnly[str] = Field(
        default_factory=lambda: default_database(os.environ),
        repr=False,
        json_schema_extra=_from("DATABASE_URL"),
        description="sqlite:///path or postgresql://…; default: moot.db in your data folder.",
    )
    host: TrustedOnly[str] = Field("127.0.0.1", description="Address the server listens on.")
    port: TrustedOnly[Whole] = Field(
        8765, ge=0, le=65535, description="Port the server listens on; 0 for any free one."
    )
    public_url: TrustedOnly[Annotated[str, AfterValidator(_origin)] | None] = Field(
        None,
        description="Where people reach the server, as in https://moot.example; links start with it.",
    )
    accounts: TrustedOnly[Literal["auto", "on"]] = Field(
        "auto",
        description="Whether people sign in; auto: only if other machines can reach the server.",
    )
    registration: TrustedOnly[Literal["invitation", "open"]] = Field(
        "invitation", description="Who may create an account: people with an invitation, or anyone (open)."
    )
    session_days: TrustedOnly[Whole] = Field(30, ge=1, le=400, description="How many days a sign-in lasts.")
    oidc_issuer: TrustedOnly[Annotated[str, AfterValidator(_issuer)] | None] = Field(
        None, description="OpenID Connect provider at which people may sign in, as in https://login.example."
    )
    oidc_client_id: TrustedOnly[str | None] = Field(
        None, description="The name by which that provider knows this server."
    )
    oidc_client_secret: TrustedOnly[Key | None] = Field(
        None, description="The secret that goes with it; none for a public client."
    )
    oidc_name: TrustedOnly[str | None] = Field(
        None, max_length=60, description="What the button says: Sign in with …; default: the issuer's host."
    )
    oidc_scopes: TrustedOnly[Names] = Field(
        ("openid", "profile", "email"), description="What the provider is asked for, comma-separated."
    )
    oidc_people: TrustedOnly[Rules] = Field(
        (),
        description="Who gets an account by signing in there: claim=value, comma-separated, or * for "
        "everyone at the provider; default: only people who have connected their account.",
    )
    oidc_administrators: TrustedOnly[Rules] = Field(
        (), description="The same for administrators; if set, it is checked whenever they sign in."
    )
    retention_days: TrustedOnly[Whole | None] = Field(
        None,
        ge=1,
        le=36_500,
        description="Days without a new question after which a conversation is deleted; default: never.",
    )
    user_header: TrustedOnly[Annotated[str, AfterValidator(_header_name)] | None] = Field(
        None,
        description="Header in which a proxy with its own login says who is asking; moot then has no login.",
    )
    trusted_proxies: TrustedOnly[Networks] = Field(
        ("127.0.0.0/8", "::1/128"),
        description="Proxies whose headers are trusted, as comma-separated addresses.",
    )
    administrators: TrustedOnly[Names] = Field(
        (), description="Names of administrators, comma-separated, if a proxy says who is asking."
    )
    secret_key: TrustedOnly[Annotated[SecretStr, AfterValidator(_secret_keys)] | None] = Field(
        None,
        description="Encrypts the keys that people save. Of several, comma-separated, the first encrypts "
        "and all decrypt. Default: what `secret_key_file` holds.",
    )
    secret_key_file: TrustedOnly[Path] = Field(
        default_factory=lambda: default_secret_file(os.environ),
        description="File with a secret key, created when first needed; default: in your data folder.",
    )
    private_endpoints: TrustedOnly[Literal["auto", "allow", "refuse"]] = Field(
        "auto",
        description="Whether endpoints that people save may be on the server's own network; auto: only if "
        "you are the only one it serves.",
    )
    log_level: TrustedOnly[Literal["debug", "info", "warning", "error"]] = Field(
        "info", description="Lowest severity to log."
    )
    log_format: TrustedOnly[Literal["text", "json"]] = Field(
        "text", description="Format of the log: text for people; json for programs, one object per line."
    )
    telemetry: TrustedOnly[bool] = Field(
        False,
        description="Send traces and metrics by OpenTelemetry to the address in "
        "`OTEL_EXPORTER_OTLP_ENDPOINT`.",
    )
    metrics_exporter: TrustedOnly[str] = Field(
        "otlp",
        description="`none`: send traces alone, for a backend that takes no metrics.",
        json_schema_extra={"env": "OTEL_METRICS_EXPORTER"},
    )
    capture_message_content: TrustedOnly[Annotated[CapturedContent, BeforeValidator(_upper)]] = Field(
        "NO_CONTENT",
        description="Whether traces hold questions and answers: NO_CONTENT, SPAN_ONLY, EVENT_ONLY, "
        "SPAN_AND_EVENT.",
        json_schema_extra={"env": "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"},
    )
    default_mode: Harmless[str] = Field("council", description="Mode for questions that name none.")
    default_models: TrustedOnly[ModelIds] = Field(
        (), description="Models for questions that name none, comma-separated; default: what is configured."
    )
    title_model: TrustedOnly[ModelId | None] = Field(
        None, description="Model that names new conversations; default: the mode's special role, or seat 1."
    )
    timeout_ms: LowerOnly[Whole] = Field(
        120_000, ge=1_000, le=3_600_000, description="How long one call may take, retries included."
    )
    pipeline_seconds: LowerOnly[Number] = Field(
        600,
        gt=0,
        description="Working time of one run; each stage leaves some for the next. Council has no limit.",
    )
    connect_seconds: LowerOnly[Number] = Field(
        10, gt=0, description="How long a provider may take to accept a connection."
    )
    attempts: LowerOnly[Whole] = Field(
        3, ge=1, le=10, description="How many times a call is tried if a provider fails temporarily."
    )
    retry_wait_seconds: LowerOnly[Number] = Field(
        60, gt=0, description="Longest wait before a retry; if a provider asks for more, the call fails."
    )
    concurrency: LowerOnly[Whole] = Field(256, ge=1, description="Calls at once per provider.")
    model_concurrency: TrustedOnly[ModelLimits] = Field(
        (),
        description="Calls at once to individual models, comma-separated: openai/o3=10; "
        "default: no separate limit.",
    )
    ollama_concurrency: LowerOnly[Whole] = Field(
        2, ge=1, description="Calls at once to Ollama, which shares one machine."
    )
    max_calls: LowerOnly[Whole] = Field(500, ge=1, description="Calls one run may make.")
    max_tokens: LowerOnly[Whole | None] = Field(
        None, ge=1, description="Tokens one run may use, prompts included; default: no limit."
    )
    max_dollars: LowerOnly[Number | None] = Field(
        None, gt=0, description="Dollars one run may cost; default: no limit."
    )
    reply_tokens: LowerOnly[Whole] = Field(
        4096,
        ge=1,
        description="Longest reply that estimates assume; where dollars are limited, no reply may be longer.",
    )
    limits: TrustedOnly[Literal["none", "strict"]] = Field(
        "none",
        description="What each person may do unless another setting says so: strict is 3 questions a minute, "
        "20 an hour, 100 a day.",
    )
    requests_per_minute: TrustedOnly[Whole | None] = Field(
        None, ge=0, description="Questions each person may ask within a minute; default: as `limits` says."
    )
    requests_per_hour: TrustedOnly[Whole | None] = Field(
        None, ge=0, description="Questions each person may ask within an hour."
    )
    requests_per_day: TrustedOnly[Whole | None] = Field(
        None, ge=0, description="Questions each person may ask within 24 hours."
    )
    runs_at_once_per_person: TrustedOnly[Whole | None] = Field(
        None, ge=0, description="Runs each person may have in progress at once; default: no limit."
    )
    dollars_per_day: TrustedOnly[Number | None] = Field(
        None, ge=0, description="Dollars each person may spend in a day (UTC); default: no limit."
    )
    dollars_per_month: TrustedOnly[Number | None] = Field(
        None, ge=0, description="Dollars each person may spend in a calendar month (UTC); default: no limit."
    )
    max_question_chars: LowerOnly[Whole] = Field(32_000, ge=1, description="Longest question.")
    max_content_chars: LowerOnly[Whole] = Field(
        400_000, ge=1, description="Longest text to judge or work on."
    )
    max_body_bytes: LowerOnly[Whole] = Field(4_000_000, ge=1, description="Largest HTTP request.")
    deliberate: TrustedOnly[bool] = Field(
        True, description="Whether `moot serve` deliberates too; if not, `moot worker` must (PostgreSQL)."
    )
    runs_at_once: TrustedOnly[Whole] = Field(
        500, ge=1, description="Runs one process works on at once; the rest wait (PostgreSQL)."
    )
    webhook_secret: TrustedOnly[Annotated[Key, AfterValidator(_long)] | None] = Field(
        None,
        description="Signs webhooks; all processes on one database need the same. Without it, none are sent.",
    )
    private_webhooks: TrustedOnly[Literal["auto", "allow", "refuse"]] = Field(
        "auto",
        description="Whether webhooks may go to the server's own network, and by http; auto: only if you are "
        "the only one it serves.",
    )
    fleet_secret: TrustedOnly[Annotated[Key, AfterValidator(_long)] | None] = Field(
        None, description="Shared by all processes on one PostgreSQL, so that live text flows between them."
    )
    fleet_host: TrustedOnly[str] = Field(
        "127.0.0.1", description="Address at which the other machines reach this one."
    )
    fleet_port: TrustedOnly[Whole] = Field(
        0, ge=0, le=65535, description="Port at which the others reach it; 0 for any free one."
    )
    drain_seconds: TrustedOnly[Number] = Field(
        25, ge=0, description="How long a worker that is told to stop waits for calls in progress."
    )
    lease_seconds: TrustedOnly[Number] = Field(
        7,
        gt=1,
        description="How long a silent process keeps its runs and its share of a limit.",
    )
    embedder: TrustedOnly[str] = Field(
        "builtin", description="What finds reasoning templates: builtin, off, or <provider>/<model>."
    )
    embedder_folder: TrustedOnly[Path] = Field(
        default_factory=lambda: default_weights(os.environ),
        description="Folder with the built-in embedder's weights; default: in your data folder.",
    )
    models_cache_seconds: TrustedOnly[Number] = Field(
        300, ge=0, description="How long lists of models are cached."
    )
    providers: TrustedOnly[dict[str, Endpoint]] = Field(
        default_factory=dict, description="Endpoints of your own, as `[providers.<name>]` tables."
    )

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: str) -> str:
        if not value.startswith(("sqlite:///", "postgresql://", "postgres://")):
            raise ValueError("write sqlite:///path or postgresql://user:password@host/name")
        return value

    @field_validator("providers")
    @classmethod
    def _free_names(cls, value: dict[str, Endpoint]) -> dict[str, Endpoint]:
        for name in value:
            if name in RESERVED:
                raise ValueError(f"the name {name!r} is taken by moot itself; choose another")
            if not name or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
                raise ValueError(
                    f"{name!r} cannot begin a model id; use letters, digits, hyphens and underscores."
                )
        return value

    @classmethod
    def load(
        cls,
        overrides: Mapping[str, object] | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> Settings:
        """Read the five places; what a project's file was not allowed is logged. Raises BadSetting, whose
        message names the place and the setting."""
        from moot.settings.configuration import Configuration

        configuration = Configuration.load(overrides, environ=environ, folder=folder)
        if configuration.notice:
            log.warning(configuration.notice)
        return configuration.settings

    @property
    def database_address(self) -> str:
        """Where the database is, without a password: what may be shown."""
        if self.database_url.startswith("sqlite:///"):
            return self.database_url.removeprefix("sqlite:///")
        parts = urlsplit(self.database_url)
        return f"{parts.scheme}://{parts.hostname or ''}{parts.path}"

    @property
    def identification(self) -> Literal["local", "proxy", "accounts"]:
        """How the server knows who is asking: there is one person, a proxy says, or people sign in."""
        if self.user_header is not None:
            return "proxy"
        if self.oidc_issuer is not None:
            return "accounts"
        public = urlsplit(self.public_url or "").hostname
        is_here = is_loopback(self.host) and (public is None or is_loopback(public))
        return "local" if self.accounts == "auto" and is_here else "accounts"

    def source_of(self, provider: str) -> Literal["environment", "file"]:
        """Where a provider that is configured was named."""
        named = (f"{provider}_api_key", f"{provider}_base_url", f"{provider}_host", f"providers.{provider}")
        return "file" if any(name in self._in_files for name in named) else "environment"

    @property
    def secret_keys(self) -> tuple[str, ...]:
        """Those of `secret_key`, the one that encrypts first."""
        return () if self.secret_key is None else tuple(self.secret_key.get_secret_value().split(","))

    @property
    def allows_private_webhooks(self) -> bool:
        if self.private_webhooks == "auto":
            return self.identification == "local"
        return self.private_webhooks == "allow"

    @property
    def person_limits(self) -> Limits:
        """What each person may do for whom nothing else was set."""
        preset = STRICT if self.limits == "strict" else Limits()
        own = {name: getattr(self, name) for name in Limits.model_fields if name != "runs_at_once"}
        own["runs_at_once"] = self.runs_at_once_per_person
        return preset.model_copy(update={name: value for name, value in own.items() if value is not None})

    @property
    def model_limits(self) -> dict[str, int]:
        """How many calls at once single models may get, beside the limit of their provider."""
        pairs = (one.rpartition("=") for one in self.model_concurrency)
        return {model: int(most) for model, _, most in pairs}

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
    standing: Standing
    description: str


def documented() -> list[Documented]:
    """Every setting but `[providers.<name>]`, in order, for the docs and `moot doctor`."""
    return [
        Documented(name, variable_of(name), _shown(field.default), standing_of(name), field.description or "")
        for name, field in Settings.model_fields.items()
        if name != "providers"
    ]


def variable_of(name: str) -> str:
    """The environment variable of a setting."""
    extra = Settings.model_fields[name].json_schema_extra
    return str(extra["env"]) if isinstance(extra, dict) else f"MOOT_{name.upper()}"


def standing_of(name: str) -> Standing:
    """What a project's file may do with a setting."""
    declared = [one for one in Settings.model_fields[name].metadata if isinstance(one, Standing)]
    return declared[0] if declared else Standing.TRUSTED_ONLY


def _shown(default: object) -> str:
    if isinstance(default, tuple) and default:
        return ", ".join(default)
    return str(default) if isinstance(default, str | int | float) else "–"
