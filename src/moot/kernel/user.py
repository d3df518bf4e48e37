"""Whose runs, conversations, templates and presets these are."""

from __future__ import annotations

LOCAL_USER = "local"
"""Who is asking where nobody says: on the command line, in a program, at a server without a login."""
