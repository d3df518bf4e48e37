from __future__ import annotations

from types import SimpleNamespace

import pytest

from moot.kernel import engine


@pytest.fixture
def same_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run is dealt the same seats, letters and nonces, so that its story can be a snapshot."""
    monkeypatch.setattr(engine, "secrets", SimpleNamespace(token_hex=lambda size: "5e" * size))
