"""What is not read as it should be, openly. An entry that is read rightly must leave this table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

KNOWN_FAULTS: Mapping[str, Literal["misread", "unread"]] = {}
