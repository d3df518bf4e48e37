"""What insight counts: how seats came out, how long stages took, figures without the texts around them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "seat_results",
        of_run(),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("won", sa.Boolean),
        sa.Column("among", sa.Integer),
        sa.Column("agreed", sa.Integer, nullable=False),
        sa.Column("cases", sa.Integer, nullable=False),
    )
    op.create_table(
        "stage_times",
        of_run(),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("took_ms", sa.BigInteger, nullable=False),
    )
    figures = "run_id model kind started_ms ended_ms first_token_ms prompt_tokens completion_tokens cost"
    op.create_index("idx_calls_figures", "calls", figures.split())
    op.drop_index("idx_runs_user", "runs")
    op.create_index("idx_runs_user", "runs", ["user_id", "started_at", "id", "mode", "status", "retry_of"])


def of_run() -> sa.Column[str]:
    run = sa.ForeignKey("runs.id", ondelete="CASCADE")
    return sa.Column("run_id", sa.Text, run, primary_key=True, nullable=False)
