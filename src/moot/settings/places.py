"""Where a person's own things are: the folders of the XDG base directory specification."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

FILE_NAME = "moot.toml"


def data_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Where moot keeps what is yours: the database, downloaded weights, which files you trust."""
    return _xdg(os.environ if environ is None else environ, "XDG_DATA_HOME", ".local/share")


def user_file(environ: Mapping[str, str] | None = None) -> Path:
    """Your own settings file."""
    return _xdg(os.environ if environ is None else environ, "XDG_CONFIG_HOME", ".config") / FILE_NAME


def default_database(environ: Mapping[str, str]) -> str:
    return f"sqlite:///{data_folder(environ) / 'moot.db'}"


def default_weights(environ: Mapping[str, str]) -> Path:
    return data_folder(environ) / "all-MiniLM-L6-v2"


def default_secret_file(environ: Mapping[str, str]) -> Path:
    return data_folder(environ) / "secret.key"


def _xdg(environ: Mapping[str, str], variable: str, fallback: str) -> Path:
    named = Path(environ.get(variable, ""))
    # A relative path is to be ignored, says the specification.
    return (named if named.is_absolute() else Path.home() / fallback) / "moot"
