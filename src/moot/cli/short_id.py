"""Ids as the command line shows them: their first characters, by which every command finds them again."""

from __future__ import annotations

LENGTH = 8


def short_id(id: str) -> str:
    return id[:LENGTH]
