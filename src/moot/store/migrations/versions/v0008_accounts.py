"""Accounts: people, how they sign in, what they hand to programs, and the links they give away."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0008"
down_revision = "0007"

JSON = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    _people()
    _ways_in()
    _links()


def _people() -> None:
    op.create_table(
        "people",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("name_key", sa.Text, nullable=False, unique=True),
        sa.Column("password_hash", sa.Text),
        sa.Column("administrator", sa.Boolean, nullable=False),
        sa.Column("issuer", sa.Text),
        sa.Column("subject", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("disabled_at", sa.BigInteger),
        sa.UniqueConstraint("issuer", "subject", name="uq_people_issuer_subject"),
    )


def _ways_in() -> None:
    op.create_table(
        "sessions",
        sa.Column("digest", sa.Text, primary_key=True),
        _of_person(),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )
    op.create_index("idx_sessions_person", "sessions", ["person_id"])
    op.create_index("idx_sessions_expiry", "sessions", ["expires_at"])
    op.create_table(
        "known_devices",
        sa.Column("digest", sa.Text, primary_key=True),
        _of_person(),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_index("idx_known_devices_person", "known_devices", ["person_id"])
    op.create_table(
        "sign_in_attempts",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=False),
    )
    op.create_index("idx_sign_in_attempts_started", "sign_in_attempts", ["started_at"])
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Text, primary_key=True),
        _of_person(),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False, unique=True),
        sa.Column("scopes", JSON, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger),
        sa.Column("used_at", sa.BigInteger),
    )
    op.create_index("idx_api_tokens_person", "api_tokens", ["person_id"])


def _links() -> None:
    op.create_table(
        "one_time_links",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("digest", sa.Text, nullable=False, unique=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("administrator", sa.Boolean, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        _of_person(nullable=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )
    op.create_index("idx_one_time_links_person", "one_time_links", ["person_id"])
    op.create_table(
        "share_links",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("token", sa.Text, nullable=False, unique=True),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger),
    )
    op.create_index("idx_share_links_run", "share_links", ["run_id"])
    op.create_index("idx_share_links_user", "share_links", ["user_id", "created_at"])


def _of_person(*, nullable: bool = False) -> sa.Column[str]:
    person = sa.ForeignKey("people.id", ondelete="CASCADE")
    return sa.Column("person_id", sa.Text, person, nullable=nullable)
