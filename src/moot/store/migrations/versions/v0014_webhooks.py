"""Webhooks: where they go, and what is still to be delivered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Text),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("events", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_index("idx_webhooks_user", "webhooks", ["user_id"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("webhook_id", sa.Text, sa.ForeignKey("webhooks.id", ondelete="CASCADE")),
        sa.Column("run_id", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("for_everyone", sa.Boolean, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("events", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("due_at", sa.BigInteger, nullable=False),
        sa.Column("lease_until", sa.BigInteger, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("ended_at", sa.BigInteger),
    )
    op.create_index("idx_webhook_deliveries_due", "webhook_deliveries", ["status", "due_at"])
    op.create_index("idx_webhook_deliveries_user", "webhook_deliveries", ["user_id", "created_at"])
    op.create_index("idx_webhook_deliveries_run", "webhook_deliveries", ["run_id"])
    op.create_index("idx_webhook_deliveries_webhook", "webhook_deliveries", ["webhook_id"])
