"""The first schema, with full-text search over titles and messages.

On SQLite the search tables hold only the index (`content=''`), under the row numbers of what they
index, and triggers keep them; on PostgreSQL it is an index over an expression. Both look at the first
100 000 characters only: PostgreSQL refuses to index a text whose words exceed a megabyte.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None

BIG_KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")
JSON = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
RUNNING = sa.text("status = 'running'")


def upgrade() -> None:
    conversations()
    deliberation_stages()
    council_stages()
    runs()
    journal()
    idempotency_keys()
    if op.get_context().dialect.name == "sqlite":
        sqlite_search("conversations", "title")
        sqlite_search("messages", "content")
    else:
        postgres_search("conversations", "title")
        postgres_search("messages", "content")


def of_message() -> sa.Column[str]:
    return sa.Column("message_id", sa.Text, sa.ForeignKey("messages.id", ondelete="CASCADE"), nullable=False)


def of_run(*, primary_key: bool = False) -> sa.Column[str]:
    run = sa.ForeignKey("runs.id", ondelete="CASCADE")
    return sa.Column("run_id", sa.Text, run, primary_key=primary_key, nullable=False)


def conversations() -> None:
    op.create_table(
        "conversations",
        sa.Column("number", BIG_KEY, sa.Identity(), primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("mode", sa.Text, nullable=False, server_default="council"),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
    )
    op.create_index("idx_conversations_user", "conversations", ["user_id", "updated_at", "id"])
    conversation = sa.ForeignKey("conversations.id", ondelete="CASCADE")
    op.create_table(
        "messages",
        sa.Column("number", BIG_KEY, sa.Identity(), primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("conversation_id", sa.Text, conversation, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_index("idx_messages_conversation", "messages", ["conversation_id", "number"])


def deliberation_stages() -> None:
    op.create_table(
        "deliberation_stages",
        sa.Column("id", sa.Text, primary_key=True),
        of_message(),
        sa.Column("stage_type", sa.Text, nullable=False),
        sa.Column("stage_order", sa.Integer, nullable=False),
        sa.Column("seat", sa.Integer),
        sa.Column("model", sa.Text),
        sa.Column("role", sa.Text),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("parsed_data", JSON),
        sa.Column("response_time_ms", sa.Integer),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_index("idx_deliberation_stages_message", "deliberation_stages", ["message_id", "stage_order"])


def council_stages() -> None:
    for name in ("stage1_responses", "stage3_synthesis"):
        op.create_table(
            name,
            sa.Column("id", sa.Text, primary_key=True),
            of_message(),
            sa.Column("seat", sa.Integer),
            sa.Column("model", sa.Text, nullable=False),
            sa.Column("response", sa.Text, nullable=False),
            sa.Column("response_time_ms", sa.Integer),
        )
        op.create_index(f"idx_{name}_message", name, ["message_id"])
    op.create_table(
        "stage2_rankings",
        sa.Column("id", sa.Text, primary_key=True),
        of_message(),
        sa.Column("seat", sa.Integer),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("ranking_text", sa.Text, nullable=False),
        sa.Column("parsed_ranking", JSON),
    )
    op.create_index("idx_stage2_rankings_message", "stage2_rankings", ["message_id"])
    op.create_table(
        "stage2_label_map",
        sa.Column("id", sa.Text, primary_key=True),
        of_message(),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer),
        sa.Column("model", sa.Text, nullable=False),
        sa.UniqueConstraint("message_id", "label", name="uq_stage2_label_map_message_label"),
    )


def runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("conversation_id", sa.Text, nullable=False),
        sa.Column("user_message_id", sa.Text, nullable=False),
        sa.Column("message_id", sa.Text, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("config", sa.Text, nullable=False),
        sa.Column("history", sa.Text, nullable=False),
        sa.Column("seed", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("retry_of", sa.Text),
        sa.Column("new_conversation", sa.Boolean, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=False),
        sa.Column("finished_at", sa.BigInteger),
    )
    op.create_index("idx_runs_conversation", "runs", ["conversation_id", "started_at"])
    op.create_index("idx_runs_message", "runs", ["message_id"])
    op.create_index("idx_runs_user", "runs", ["user_id", "started_at", "id"])
    op.create_index(
        "idx_runs_running",
        "runs",
        ["conversation_id"],
        unique=True,
        sqlite_where=RUNNING,
        postgresql_where=RUNNING,
    )
    op.create_table(
        "leases",
        of_run(primary_key=True),
        sa.Column("owner", sa.Text),
        sa.Column("lease_until", sa.BigInteger, nullable=False),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("active_ms", sa.BigInteger, nullable=False),
        sa.Column("cancel_requested", sa.Boolean, nullable=False),
    )


def journal() -> None:
    op.create_table(
        "calls",
        of_run(primary_key=True),
        sa.Column("step", sa.Text, primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("started_ms", sa.BigInteger, nullable=False),
        sa.Column("ended_ms", sa.BigInteger, nullable=False),
        sa.Column("first_token_ms", sa.BigInteger),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("text", sa.Text),
        sa.Column("reasoning", sa.Text),
        sa.Column("kind", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("prompt_tokens", sa.BigInteger),
        sa.Column("completion_tokens", sa.BigInteger),
        sa.Column("reasoning_tokens", sa.BigInteger),
        sa.Column("cost", sa.Double),
        sa.Column("finish_reason", sa.Text),
    )
    op.create_table(
        "decisions",
        of_run(primary_key=True),
        sa.Column("step", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "events",
        of_run(primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("run_id", "key", name="uq_events_run_key"),
    )


def idempotency_keys() -> None:
    op.create_table(
        "idempotency_keys",
        sa.Column("user_id", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("digest", sa.Text, nullable=False),
        of_run(),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_index("idx_idempotency_keys_created", "idempotency_keys", ["created_at"])
    op.create_index("idx_idempotency_keys_run", "idempotency_keys", ["run_id"])


def sqlite_search(table: str, column: str) -> None:
    search = f"search_{table}"
    put = f"INSERT INTO {search} (rowid, text) VALUES (new.number, substr(new.{column}, 1, 100000));"
    drop = (
        f"INSERT INTO {search} ({search}, rowid, text) "
        f"VALUES ('delete', old.number, substr(old.{column}, 1, 100000));"
    )
    op.execute(
        f"CREATE VIRTUAL TABLE {search} "
        "USING fts5(text, content='', tokenize='unicode61 remove_diacritics 2')"
    )
    op.execute(f"CREATE TRIGGER {search}_insert AFTER INSERT ON {table} BEGIN {put} END")
    op.execute(f"CREATE TRIGGER {search}_delete AFTER DELETE ON {table} BEGIN {drop} END")
    op.execute(
        f"CREATE TRIGGER {search}_update AFTER UPDATE OF {column} ON {table} "
        f"WHEN old.{column} IS NOT new.{column} BEGIN {drop} {put} END"
    )


def postgres_search(table: str, column: str) -> None:
    op.execute(
        f"CREATE INDEX search_{table} ON {table} USING gin (to_tsvector('simple', left({column}, 100000)))"
    )
