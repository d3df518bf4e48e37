"""Where PostgreSQL has pgvector, or lets us install it, it searches vectors; elsewhere nothing changes."""

from __future__ import annotations

from alembic import op
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    try:
        with connection.begin_nested():
            connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
            # Without a size: embedders differ in theirs. Empty, until a vector is made anew.
            connection.execute(text("ALTER TABLE template_vectors ADD COLUMN embedding vector"))
            # In the row itself where there is room: to fetch each from elsewhere takes longer than comparing.
            connection.execute(text("ALTER TABLE template_vectors ALTER COLUMN embedding SET STORAGE MAIN"))
    except DBAPIError:
        return  # not there, or not ours to install
