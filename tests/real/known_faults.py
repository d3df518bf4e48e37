"""What is not read as it should be, openly. An entry that is read rightly must leave this table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

KNOWN_FAULTS: Mapping[str, Literal["misread", "unread"]] = {
    "blueprint/assembly/106": "misread",
    "blueprint/assembly/sample": "misread",
    "brainstorm/ideas/79": "misread",
    "brainstorm/ideas/title-fields": "misread",
    "brainstorm/ideas/bold-sample-filled": "misread",
    "brainstorm/scores/table": "unread",
    "decompose/plan/template": "misread",
    "jury/verdict/43": "misread",
    "red_team/attack/bare-sample-title": "misread",
    "red_team/attack/filled-brackets": "misread",
    "red_team/attack/none-as-finding": "misread",
    "red_team/judgement/template": "misread",
    "specialist_panel/cross_review/template": "misread",
    "tournament/match/64": "unread",
    "vote/vote/129": "misread",
    "vote/vote/half": "misread",
}
