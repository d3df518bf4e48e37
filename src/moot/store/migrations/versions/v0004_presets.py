"""Presets: a mode with its config under a name, and which one a person begins with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0004"
down_revision = "0003"

JSON = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "presets",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("config", JSON, nullable=False),
        sa.Column("shared", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("user_id", "name", name="uq_presets_user_name"),
    )
    op.create_index("idx_presets_shared", "presets", ["shared"])
    op.create_table(
        "preset_defaults",
        sa.Column("user_id", sa.Text, primary_key=True),
        sa.Column("mode", sa.Text, primary_key=True),
        sa.Column("preset_id", sa.Text, sa.ForeignKey("presets.id", ondelete="CASCADE"), nullable=False),
    )
    op.create_index("idx_preset_defaults_preset", "preset_defaults", ["preset_id"])
