"""Batches: many questions asked as one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "batches",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("budget", sa.Double),
        sa.Column("at_once", sa.Integer, nullable=False),
        sa.Column("served", sa.Boolean, nullable=False),
        sa.Column("owner", sa.Text),
        sa.Column("lease_until", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("finished_at", sa.BigInteger),
    )
    op.create_index("idx_batches_user", "batches", ["user_id", "created_at", "id"])
    running = sa.text("status = 'running'")
    op.create_index("idx_batches_running", "batches", ["id"], sqlite_where=running, postgresql_where=running)
    batch = sa.ForeignKey("batches.id", ondelete="CASCADE")
    op.create_table(
        "batch_questions",
        sa.Column("batch_id", sa.Text, batch, primary_key=True, nullable=False),
        sa.Column("line", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("custom_id", sa.Text),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("error", sa.Text),
    )
