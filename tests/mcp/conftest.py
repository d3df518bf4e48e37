from __future__ import annotations

import mcp.client.session
import mcp.shared._httpx_utils
import pytest

from moot.mcp import calls
from tests.harness.waiting import PATIENCE


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither side gives up because the machine is slow."""
    monkeypatch.setattr(calls, "WAIT_SECONDS", PATIENCE)
    monkeypatch.setattr(mcp.client.session, "DISCOVER_TIMEOUT_SECONDS", PATIENCE)
    monkeypatch.setattr(mcp.shared._httpx_utils, "MCP_DEFAULT_TIMEOUT", PATIENCE)
