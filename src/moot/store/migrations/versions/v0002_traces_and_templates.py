"""What a dialectic leaves and what it is built on: traces with their grades, templates with their vectors."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0002"
down_revision = "0001"

JSON = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    traces()
    templates()


def of_message() -> sa.Column[str]:
    return sa.Column("message_id", sa.Text, sa.ForeignKey("messages.id", ondelete="CASCADE"), nullable=False)


def traces() -> None:
    op.create_table(
        "reasoning_traces",
        sa.Column("id", sa.Text, primary_key=True),
        of_message(),
        sa.Column("trace_id", sa.Text, nullable=False, unique=True),
        sa.Column("templates_used", JSON, nullable=False),
        sa.Column("total_rounds", sa.Integer, nullable=False),
        sa.Column("early_stopped", sa.Boolean, nullable=False),
        sa.Column("stop_reason", sa.Text, nullable=False),
        sa.Column("same_model", sa.Boolean, nullable=False),
        sa.Column("had_error", sa.Boolean, nullable=False),
        sa.Column("models", JSON, nullable=False),
        sa.Column("timing", JSON, nullable=False),
        sa.Column("tokens", JSON, nullable=False),
        sa.Column("cost_usd", sa.Double),
        sa.Column("prompt_version", sa.Text, nullable=False),
        sa.Column("schema_version", sa.Integer, nullable=False),
        sa.Column("user_rating", sa.Integer),
        sa.Column("rating_note", sa.Text),
        sa.Column("rated_at", sa.BigInteger),
    )
    op.create_index("idx_reasoning_traces_message", "reasoning_traces", ["message_id"])
    op.create_table(
        "trace_scores",
        sa.Column("id", sa.Text, primary_key=True),
        of_message(),
        sa.Column("trace_id", sa.Text, nullable=False, unique=True),
        sa.Column("judge", sa.Text, nullable=False),
        sa.Column("auto_score", sa.Double),
        sa.Column("criteria", JSON),
        sa.Column("justification", sa.Text),
        sa.Column("would_benefit", sa.Boolean),
        sa.Column("score_error", sa.Text),
    )
    op.create_index("idx_trace_scores_message", "trace_scores", ["message_id"])


def templates() -> None:
    op.create_table(
        "reasoning_templates",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("when_to_use", sa.Text, nullable=False),
        sa.Column("steps", JSON, nullable=False),
        sa.Column("checks", JSON, nullable=False),
        sa.Column("example_questions", JSON, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
    )
    op.create_index("idx_reasoning_templates_user", "reasoning_templates", ["user_id", "created_at", "id"])
    op.create_table(
        "template_vectors",
        sa.Column("embedder", sa.Text, primary_key=True),
        sa.Column("template_id", sa.Text, primary_key=True),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "embedders",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("floor", sa.Double, nullable=False),
    )
