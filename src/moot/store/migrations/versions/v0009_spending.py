"""What each person may spend, has reserved and has spent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0009"
down_revision = "0008"

JSON = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "spending",
        sa.Column("run_id", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=False),
        sa.Column("reserved", sa.Double),
        sa.Column("prices", sa.Text),
        sa.Column("lost", sa.Double, nullable=False, server_default="0"),
        sa.Column("spent", sa.Double),
        sa.Column("ended_at", sa.BigInteger),
    )
    op.create_index("idx_spending_user", "spending", ["user_id", "started_at"])
    op.create_index("idx_spending_started", "spending", ["started_at"])
    op.create_table(
        "holds",
        sa.Column(
            "run_id",
            sa.Text,
            sa.ForeignKey("runs.id", ondelete="CASCADE"),
            primary_key=True,
            nullable=False,
        ),
        sa.Column("step", sa.Text, primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("dollars", sa.Double, nullable=False),
    )
    op.create_table(
        "person_limits",
        sa.Column("user_id", sa.Text, primary_key=True),
        sa.Column("limits", JSON, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
    )
    # What was asked lately counts from the first day on.
    op.execute(
        "INSERT INTO spending (run_id, user_id, started_at, spent, ended_at) "
        "SELECT id, user_id, started_at, CASE WHEN status = 'running' THEN NULL ELSE "
        "coalesce((SELECT sum(cost) FROM calls WHERE run_id = id AND ended_ms >= 0), 0) END, finished_at "
        "FROM runs"
    )
