"""Which trace a run belongs to, so that whoever takes it up goes on with it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.add_column("runs", sa.Column("traceparent", sa.Text))
