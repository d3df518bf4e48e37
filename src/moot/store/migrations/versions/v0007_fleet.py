"""Many processes on one database: the runs that wait, who is there, and who may call a provider how often.

Old code goes on with this schema: it knows none of the tables, and the new column has a default.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("leases", sa.Column("version", sa.Integer, nullable=False, server_default="1"))
    held = sa.text("owner IS NOT NULL")
    op.create_index("idx_leases_until", "leases", ["lease_until"], sqlite_where=held, postgresql_where=held)
    run = sa.ForeignKey("runs.id", ondelete="CASCADE")
    op.create_table(
        "waiting_runs",
        sa.Column("run_id", sa.Text, run, primary_key=True, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("turn", sa.BigInteger, nullable=False),
        sa.Column("queued_at", sa.BigInteger, nullable=False),
    )
    op.create_index("idx_waiting_runs_next", "waiting_runs", ["priority", "turn", "queued_at"])
    op.create_index("idx_waiting_runs_user", "waiting_runs", ["user_id", "priority", "turn"])
    op.create_table(
        "processes",
        sa.Column("owner", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("address", sa.Text),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("runs_at_once", sa.Integer, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=False),
        sa.Column("alive_until", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "provider_shares",
        sa.Column("provider", sa.Text, primary_key=True),
        sa.Column("owner", sa.Text, primary_key=True),
        sa.Column("share", sa.Integer, nullable=False),
        sa.Column("demand", sa.Integer, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "provider_pauses",
        sa.Column("provider", sa.Text, primary_key=True),
        sa.Column("model", sa.Text, primary_key=True),
        sa.Column("until", sa.BigInteger, nullable=False),
    )
