"""Providers that people add, with their keys."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "provider_keys",
        sa.Column("user_id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("base_url", sa.Text),
        sa.Column("secret", sa.LargeBinary),
        sa.Column("hint", sa.Text),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
    )
