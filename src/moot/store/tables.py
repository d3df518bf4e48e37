"""The schema, once for both databases; `migrations/` brings a database to it.

    conversations ─┬─ messages ─┬─ deliberation_stages
                   ┆            ├─ stage1_responses, stage2_rankings, stage2_label_map, stage3_synthesis
                   ┆            └─ reasoning_traces, trace_scores
                   ┆ (by id only)
                  runs ─┬─ leases, waiting_runs, calls, decisions, events, idempotency_keys
                        └─ seat_results, stage_times
    batches ─── batch_questions ┄ runs (by id only)

A line is a foreign key that cascades. There is none from `runs` to `conversations`: an error may
erase what a person would see, yet the run with its paid calls stays, so that a retry finds them.

Moments are milliseconds since 1970, UTC. JSON that SQL readers may look into is a JSON column;
what only moot reads back (config, history, directions, bodies of events) is text, kept byte for byte.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

metadata = MetaData()

_BigKey = BigInteger().with_variant(Integer, "sqlite")
_Json = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def _moment(name: str, *, nullable: bool = False) -> Column[int]:
    return Column(name, BigInteger, nullable=nullable, info={"moment": True})


def _of_message() -> Column[str]:
    return Column("message_id", Text, ForeignKey("messages.id", ondelete="CASCADE"), nullable=False)


def _of_run(*, primary_key: bool = False) -> Column[str]:
    return Column(
        "run_id", Text, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=primary_key, nullable=False
    )


# `number` counts in order of insertion. It orders the messages of a conversation whatever the clock
# did, and is the row number that SQLite's full-text index needs (VACUUM may renumber implicit ones).
conversations = Table(
    "conversations",
    metadata,
    Column("number", _BigKey, Identity(), primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("user_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("mode", Text, nullable=False, server_default="council"),
    _moment("created_at"),
    _moment("updated_at"),
    Index("idx_conversations_user", "user_id", "updated_at", "id"),
)

messages = Table(
    "messages",
    metadata,
    Column("number", _BigKey, Identity(), primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("conversation_id", Text, ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
    Column("role", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("error", Text),
    _moment("created_at"),
    Index("idx_messages_conversation", "conversation_id", "number"),
)

deliberation_stages = Table(
    "deliberation_stages",
    metadata,
    Column("id", Text, primary_key=True),
    _of_message(),
    Column("stage_type", Text, nullable=False),
    Column("stage_order", Integer, nullable=False),
    Column("seat", Integer),
    Column("model", Text),
    Column("role", Text),
    Column("content", Text, nullable=False),
    Column("parsed_data", _Json),
    Column("response_time_ms", Integer),
    _moment("created_at"),
    Index("idx_deliberation_stages_message", "message_id", "stage_order"),
)

stage1_responses = Table(
    "stage1_responses",
    metadata,
    Column("id", Text, primary_key=True),
    _of_message(),
    Column("seat", Integer),
    Column("model", Text, nullable=False),
    Column("response", Text, nullable=False),
    Column("response_time_ms", Integer),
    Index("idx_stage1_responses_message", "message_id"),
)

stage2_rankings = Table(
    "stage2_rankings",
    metadata,
    Column("id", Text, primary_key=True),
    _of_message(),
    Column("seat", Integer),
    Column("model", Text, nullable=False),
    Column("ranking_text", Text, nullable=False),
    Column("parsed_ranking", _Json),
    Index("idx_stage2_rankings_message", "message_id"),
)

stage2_label_map = Table(
    "stage2_label_map",
    metadata,
    Column("id", Text, primary_key=True),
    _of_message(),
    Column("label", Text, nullable=False),
    Column("seat", Integer),
    Column("model", Text, nullable=False),
    UniqueConstraint("message_id", "label", name="uq_stage2_label_map_message_label"),
)

stage3_synthesis = Table(
    "stage3_synthesis",
    metadata,
    Column("id", Text, primary_key=True),
    _of_message(),
    Column("seat", Integer),
    Column("model", Text, nullable=False),
    Column("response", Text, nullable=False),
    Column("response_time_ms", Integer),
    Index("idx_stage3_synthesis_message", "message_id"),
)

_RUNNING = text("status = 'running'")
_HELD = text("owner IS NOT NULL")

runs = Table(
    "runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("user_message_id", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("config", Text, nullable=False),
    Column("history", Text, nullable=False),
    Column("seed", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("error", Text),
    Column("retry_of", Text),
    Column("new_conversation", Boolean, nullable=False),
    Column("directions", Text),
    Column("traceparent", Text),
    _moment("started_at"),
    _moment("finished_at", nullable=True),
    Index("idx_runs_conversation", "conversation_id", "started_at"),
    Index("idx_runs_message", "message_id"),
    # With all that insight asks of a run: its row carries a history, which is long to read over.
    Index("idx_runs_user", "user_id", "started_at", "id", "mode", "status", "retry_of"),
    Index(
        "idx_runs_running", "conversation_id", unique=True, sqlite_where=_RUNNING, postgresql_where=_RUNNING
    ),
)

# Apart from `runs` because every append renews it: SQLite rewrites a whole row, and that of a run
# carries its history.
leases = Table(
    "leases",
    metadata,
    _of_run(primary_key=True),
    Column("owner", Text),
    _moment("lease_until"),
    Column("epoch", Integer, nullable=False),
    Column("active_ms", BigInteger, nullable=False),
    Column("cancel_requested", Boolean, nullable=False),
    Column("version", Integer, nullable=False, server_default="1"),
    Index("idx_leases_until", "lease_until", sqlite_where=_HELD, postgresql_where=_HELD),
)

# The runs that wait for a process to work on them, on PostgreSQL: the lowest priority first, then the lowest
# turn, which `queue.py` explains. A run leaves in the transaction that gives its lease to somebody.
waiting_runs = Table(
    "waiting_runs",
    metadata,
    _of_run(primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("turn", BigInteger, nullable=False),
    _moment("queued_at"),
    Index("idx_waiting_runs_next", "priority", "turn", "queued_at"),
    Index("idx_waiting_runs_user", "user_id", "priority", "turn"),
)

# Every process that serves or deliberates on this database; `address` is where others reach it.
processes = Table(
    "processes",
    metadata,
    Column("owner", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("address", Text),
    Column("version", Text, nullable=False),
    Column("runs_at_once", Integer, nullable=False),
    _moment("started_at"),
    _moment("alive_until"),
)

# How many calls at once each process may make to a provider: all shares together never exceed the limit.
provider_shares = Table(
    "provider_shares",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("owner", Text, primary_key=True),
    Column("share", Integer, nullable=False),
    Column("demand", Integer, nullable=False),
    _moment("until"),
)

# Providers that have asked us to slow down, for one model or, where that is empty, for all.
provider_pauses = Table(
    "provider_pauses",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    _moment("until"),
)

# Seats count from 1; `seat` is part of the key, where null would differ from null: 0 stands for none.
calls = Table(
    "calls",
    metadata,
    _of_run(primary_key=True),
    Column("step", Text, primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("digest", Text, primary_key=True),
    Column("model", Text, nullable=False),
    Column("started_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger, nullable=False),
    Column("first_token_ms", BigInteger),
    Column("attempts", Integer, nullable=False),
    Column("text", Text),
    Column("reasoning", Text),
    Column("kind", Text),
    Column("reason", Text),
    Column("prompt_tokens", BigInteger),
    Column("completion_tokens", BigInteger),
    Column("reasoning_tokens", BigInteger),
    Column("cost", Double),
    Column("finish_reason", Text),
    # The figures of a call, without the texts that its row carries.
    Index(
        "idx_calls_figures",
        "run_id",
        "model",
        "kind",
        "started_ms",
        "ended_ms",
        "first_token_ms",
        "prompt_tokens",
        "completion_tokens",
        "cost",
    ),
)

decisions = Table(
    "decisions",
    metadata,
    _of_run(primary_key=True),
    Column("step", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

events = Table(
    "events",
    metadata,
    _of_run(primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("key", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("run_id", "key", name="uq_events_run_key"),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("user_id", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    _of_run(),
    _moment("created_at"),
    Index("idx_idempotency_keys_created", "created_at"),
    Index("idx_idempotency_keys_run", "run_id"),
)

# One row a run, and no foreign key: what was spent stays spent though the run is deleted. `reserved` is null
# where nobody limits the money, `spent` until the run has ended.
spending = Table(
    "spending",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    _moment("started_at"),
    Column("reserved", Double),
    Column("prices", Text),
    Column("lost", Double, nullable=False, server_default="0"),
    Column("spent", Double),
    _moment("ended_at", nullable=True),
    Index("idx_spending_user", "user_id", "started_at"),
    Index("idx_spending_started", "started_at"),
)

# What a call may cost, written before it is sent, where money is limited: should the process die, the next
# one knows what may have been paid for. `seat` as in `calls`.
holds = Table(
    "holds",
    metadata,
    _of_run(primary_key=True),
    Column("step", Text, primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("digest", Text, primary_key=True),
    Column("dollars", Double, nullable=False),
)

# One row: the newest revision that is known to the oldest code which may use this database.
schema_floor = Table("schema_floor", metadata, Column("revision", Text, primary_key=True))

# Many questions asked as one. `served`: a server begins them, else the program that was given them. `owner`
# has the lease: one process at a time begins questions.
batches = Table(
    "batches",
    metadata,
    Column("id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("name", Text),
    Column("digest", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("reason", Text),
    Column("budget", Double),
    Column("at_once", Integer, nullable=False),
    Column("served", Boolean, nullable=False),
    Column("owner", Text),
    _moment("lease_until"),
    _moment("created_at"),
    _moment("finished_at", nullable=True),
    Index("idx_batches_user", "user_id", "created_at", "id"),
    Index("idx_batches_running", "id", sqlite_where=_RUNNING, postgresql_where=_RUNNING),
)

# Each has the id of its run from the start, so that nobody begins it twice; `error` says why there is none.
batch_questions = Table(
    "batch_questions",
    metadata,
    Column("batch_id", Text, ForeignKey("batches.id", ondelete="CASCADE"), primary_key=True, nullable=False),
    Column("line", Integer, primary_key=True, autoincrement=False),
    Column("custom_id", Text),
    Column("request", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("error", Text),
)

# What an administrator allows one person in place of the server's limits. A limit that is missing is the
# server's, one that is null is none.
person_limits = Table(
    "person_limits",
    metadata,
    Column("user_id", Text, primary_key=True),
    Column("limits", _Json, nullable=False),
    _moment("updated_at"),
)

# What a story says about its seats and stages, read once when it has ended and somebody wants to know.
# Both can be emptied at any time: they are read from the events again.
seat_results = Table(
    "seat_results",
    metadata,
    _of_run(primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("seat", Integer, nullable=False),
    Column("model", Text, nullable=False),
    Column("won", Boolean),
    Column("among", Integer),
    Column("agreed", Integer, nullable=False),
    Column("cases", Integer, nullable=False),
)

# Number 0 is the whole run, under no name: where it is missing, the story has not been read.
stage_times = Table(
    "stage_times",
    metadata,
    _of_run(primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("stage", Text, nullable=False),
    Column("took_ms", BigInteger, nullable=False),
)

# A trace has the id of its run; question and final answer are the run's and the message's. What a judge
# says of it is a table of its own, so that a run only ever adds rows.
reasoning_traces = Table(
    "reasoning_traces",
    metadata,
    Column("id", Text, primary_key=True),
    _of_message(),
    Column("trace_id", Text, nullable=False, unique=True),
    Column("templates_used", _Json, nullable=False),
    Column("total_rounds", Integer, nullable=False),
    Column("early_stopped", Boolean, nullable=False),
    Column("stop_reason", Text, nullable=False),
    Column("same_model", Boolean, nullable=False),
    Column("had_error", Boolean, nullable=False),
    Column("models", _Json, nullable=False),
    Column("timing", _Json, nullable=False),
    Column("tokens", _Json, nullable=False),
    Column("cost_usd", Double),
    Column("prompt_version", Text, nullable=False),
    Column("schema_version", Integer, nullable=False),
    Column("user_rating", Integer),
    Column("rating_note", Text),
    _moment("rated_at", nullable=True),
    Index("idx_reasoning_traces_message", "message_id"),
)

trace_scores = Table(
    "trace_scores",
    metadata,
    Column("id", Text, primary_key=True),
    _of_message(),
    Column("trace_id", Text, nullable=False, unique=True),
    Column("judge", Text, nullable=False),
    Column("auto_score", Double),
    Column("criteria", _Json),
    Column("justification", Text),
    Column("would_benefit", Boolean),
    Column("score_error", Text),
    Index("idx_trace_scores_message", "message_id"),
)

reasoning_templates = Table(
    "reasoning_templates",
    metadata,
    Column("id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("when_to_use", Text, nullable=False),
    Column("steps", _Json, nullable=False),
    Column("checks", _Json, nullable=False),
    Column("example_questions", _Json, nullable=False),
    _moment("created_at"),
    _moment("updated_at"),
    Index("idx_reasoning_templates_user", "user_id", "created_at", "id"),
)

# `digest` is that of the texts a vector was made from: other texts, and it is made anew. Where PostgreSQL has
# pgvector there is one more column, `embedding`: the same vector as pgvector searches it.
template_vectors = Table(
    "template_vectors",
    metadata,
    Column("embedder", Text, primary_key=True),
    Column("template_id", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("vector", LargeBinary, nullable=False),
)

embedders = Table(
    "embedders",
    metadata,
    Column("id", Text, primary_key=True),
    Column("floor", Double, nullable=False),
)

# Those without a `user_id` are told of everybody's runs.
webhooks = Table(
    "webhooks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("user_id", Text),
    Column("url", Text, nullable=False),
    Column("events", Text, nullable=False),
    _moment("created_at"),
    Index("idx_webhooks_user", "user_id"),
)

webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    Column("id", Text, primary_key=True),
    Column("webhook_id", Text, ForeignKey("webhooks.id", ondelete="CASCADE")),
    Column("run_id", Text, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("user_id", Text, nullable=False),
    Column("for_everyone", Boolean, nullable=False),
    Column("url", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("events", Text, nullable=False),
    _moment("created_at"),
    Column("status", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    _moment("due_at"),
    _moment("lease_until"),
    Column("reason", Text),
    _moment("ended_at", nullable=True),
    Index("idx_webhook_deliveries_due", "status", "due_at"),
    Index("idx_webhook_deliveries_user", "user_id", "created_at"),
    Index("idx_webhook_deliveries_run", "run_id"),
    Index("idx_webhook_deliveries_webhook", "webhook_id"),
)

presets = Table(
    "presets",
    metadata,
    Column("id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("config", _Json, nullable=False),
    Column("shared", Boolean, nullable=False),
    _moment("created_at"),
    _moment("updated_at"),
    UniqueConstraint("user_id", "name", name="uq_presets_user_name"),
    Index("idx_presets_shared", "shared"),
)

# The preset a person begins with in a mode; it may be another's, as long as that one shares it.
preset_defaults = Table(
    "preset_defaults",
    metadata,
    Column("user_id", Text, primary_key=True),
    Column("mode", Text, primary_key=True),
    Column("preset_id", Text, ForeignKey("presets.id", ondelete="CASCADE"), nullable=False),
    Index("idx_preset_defaults_preset", "preset_id"),
)

# `name_key` is the name as it is compared: nobody signs up as "Ann" beside "ann". Who came through a login
# elsewhere has an issuer and a subject, and perhaps no password.
people = Table(
    "people",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False, unique=True),
    Column("password_hash", Text),
    Column("administrator", Boolean, nullable=False),
    Column("issuer", Text),
    Column("subject", Text),
    _moment("created_at"),
    _moment("disabled_at", nullable=True),
    UniqueConstraint("issuer", "subject", name="uq_people_issuer_subject"),
)


def _of_person(*, nullable: bool = False) -> Column[str]:
    return Column("person_id", Text, ForeignKey("people.id", ondelete="CASCADE"), nullable=nullable)


# People of whom something may still be there: whoever begins to delete one says so first, and another process
# goes on should this one end.
deletions = Table(
    "deletions",
    metadata,
    Column("user_id", Text, primary_key=True),
    _moment("requested_at"),
)

# What a browser or a program shows of itself is random and long; only its digest is kept.
sessions = Table(
    "sessions",
    metadata,
    Column("digest", Text, primary_key=True),
    _of_person(),
    _moment("created_at"),
    _moment("expires_at"),
    Index("idx_sessions_person", "person_id"),
    Index("idx_sessions_expiry", "expires_at"),
)

# Browsers in which somebody has signed in before: their attempts are counted apart from a stranger's.
known_devices = Table(
    "known_devices",
    metadata,
    Column("digest", Text, primary_key=True),
    _of_person(),
    _moment("created_at"),
    Index("idx_known_devices_person", "person_id"),
)

sign_in_attempts = Table(
    "sign_in_attempts",
    metadata,
    Column("key", Text, primary_key=True),
    Column("attempts", Integer, nullable=False),
    _moment("started_at"),
    Index("idx_sign_in_attempts_started", "started_at"),
)

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("id", Text, primary_key=True),
    _of_person(),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False, unique=True),
    Column("scopes", _Json, nullable=False),
    _moment("created_at"),
    _moment("expires_at", nullable=True),
    _moment("used_at", nullable=True),
    Index("idx_api_tokens_person", "person_id"),
)

# A link that works once: to make the first administrator, to join, or to choose a new password.
one_time_links = Table(
    "one_time_links",
    metadata,
    Column("id", Text, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("administrator", Boolean, nullable=False),
    Column("note", Text, nullable=False),
    _of_person(nullable=True),
    _moment("created_at"),
    _moment("expires_at"),
    Index("idx_one_time_links_person", "person_id"),
)

# Kept as it is: whoever can read this table can read the run as well.
share_links = Table(
    "share_links",
    metadata,
    Column("id", Text, primary_key=True),
    Column("token", Text, nullable=False, unique=True),
    Column("user_id", Text, nullable=False),
    _of_run(),
    _moment("created_at"),
    _moment("expires_at", nullable=True),
    Index("idx_share_links_run", "run_id"),
    Index("idx_share_links_user", "user_id", "created_at"),
)

# `user_id` is empty for what counts for everyone. `secret` is encrypted (`kernel/keyring.py`).
provider_keys = Table(
    "provider_keys",
    metadata,
    Column("user_id", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("base_url", Text),
    Column("secret", LargeBinary),
    Column("hint", Text),
    _moment("updated_at"),
)
