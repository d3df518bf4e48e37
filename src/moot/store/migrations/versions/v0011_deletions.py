"""People who are being deleted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "deletions",
        sa.Column("user_id", sa.Text, primary_key=True),
        sa.Column("requested_at", sa.BigInteger, nullable=False),
    )
