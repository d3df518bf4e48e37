"""The integrated assessment of a panel: its sections, its risk matrix, and how grave it all is.

### Consolidated Risk Matrix
| Domain | Risk Level | Key Concern | Recommended Action | Source Specialists |
| Access | Critical   | no expiry   | rotate tokens      | S1, S3             |   ─▶  at least high_risk
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from moot.deliberation.choices import closed_word
from moot.deliberation.parsing import NOTHING_SHOWN, Shown, lines, plain
from moot.deliberation.sections import Section, items, says_none, sections, table_rows
from moot.deliberation.text import cited, name_key
from moot.kernel.values import Wire
from moot.modes.specialist_panel.layouts import SYNTHESIS_SAMPLES

Level = Literal["Critical", "High", "Medium", "Low"]
Assessment = Literal["critical_risk", "high_risk", "moderate_risk", "low_risk"]
LEVELS: dict[str, Level] = {"CRITICAL": "Critical", "HIGH": "High", "MEDIUM": "Medium", "LOW": "Low"}
BY_LEVEL: dict[Level, Assessment] = {
    "Critical": "critical_risk",
    "High": "high_risk",
    "Medium": "moderate_risk",
    "Low": "low_risk",
}
MOST_RECOMMENDATIONS = 10
FINDING_ID = r"S\d{1,3}(?:\.\d{1,3})?"
_PARTS = (
    "Convergent Findings",
    "Divergent Findings",
    "Consolidated Risk Matrix",
    "Unified Recommendations",
    "Executive Summary",
)


class Risk(Wire):
    """A row of the matrix; `risk_level` is null if it names none of the four."""

    domain: str
    risk_level: Level | None
    key_concern: str
    recommended_action: str
    source_specialists: str


class AssessmentSections(Wire):
    convergent: str | None
    divergent: str | None
    risk_matrix: str | None
    recommendations: str | None
    executive_summary: str | None


@dataclass(frozen=True)
class PanelSynthesis:
    """What could be read of the synthesizer's text; a count is None if its section is missing."""

    sections: AssessmentSections
    convergent: int | None
    divergent: int | None
    recommendations: int | None
    matrix: list[Risk]
    unknown_citations: list[str]
    under_supported: list[str]
    readable: bool


def read_synthesis(
    text: str, known_ids: Collection[str] = (), shown: Shown = NOTHING_SHOWN
) -> PanelSynthesis:
    """`known` are the ids of all findings and of the seats that reported."""
    own = [line for line in lines(text) if not SYNTHESIS_SAMPLES.is_sample(line.plain)]
    found = sections(own, _PARTS, other_headings_end=True, headings_only=True, shown=shown)
    parts = {name: part for name, part in found.items() if part.text.strip()}
    convergent, divergent, matrix, advice, summary = (parts.get(name) for name in _PARTS)
    bullets = items(convergent.lines) if convergent else []
    return PanelSynthesis(
        sections=AssessmentSections(
            convergent=_text(convergent),
            divergent=_text(divergent),
            risk_matrix=_text(matrix),
            recommendations=_text(advice),
            executive_summary=_text(summary),
        ),
        convergent=len(bullets) if convergent else None,
        divergent=_conflicts(divergent) if divergent else None,
        recommendations=min(len(items(advice.lines)), MOST_RECOMMENDATIONS) if advice else None,
        matrix=[_risk(cells) for cells in _rows(matrix, "domain")] if matrix else [],
        unknown_citations=[id for id in cited(text, FINDING_ID) if id not in known_ids],
        under_supported=[bullet for bullet in bullets if len(_seats(bullet, known_ids)) < 2],
        readable=bool(parts),
    )


def _text(section: Section | None) -> str | None:
    return section.text if section else None


def _conflicts(section: Section) -> int | None:
    """How many conflicts there are; nobody knows where a section neither lists any nor says that there is
    none."""
    return len(_rows(section, "finding")) or (0 if says_none(section.text) or "|" in section.text else None)


def _rows(section: Section, header: str) -> list[list[str]]:
    """The rows that say something, without the header."""
    rows = table_rows(section.lines)
    return [cells for cells in rows if not says_none(cells[0]) and name_key(plain(cells[0])) != header]


def _risk(cells: Sequence[str]) -> Risk:
    domain, level, concern, action, source, *_ = [*cells, "", "", "", ""]
    return Risk(
        domain=domain,
        risk_level=LEVELS.get(closed_word(plain(level), tuple(LEVELS)) or ""),
        key_concern=concern,
        recommended_action=action,
        source_specialists=source,
    )


def _seats(bullet: str, known_ids: Collection[str]) -> set[str]:
    return {id.partition(".")[0] for id in cited(bullet, FINDING_ID) if id in known_ids}


def worst_level(matrix: Sequence[Risk]) -> Level | None:
    present = {risk.risk_level for risk in matrix}
    return next((level for level in BY_LEVEL if level in present), None)


def top_risk(matrix: Sequence[Risk]) -> str | None:
    """The concern of the first row at the worst level present."""
    worst = worst_level(matrix)
    return next((risk.key_concern for risk in matrix if worst and risk.risk_level == worst), None)


def overall_assessment(panel_score: Fraction | None, worst: Level | None) -> Assessment | None:
    """By the unrounded score; a critical risk is never less than high. Without a score the worst level
    decides, without both nothing does."""
    if panel_score is None:
        return BY_LEVEL[worst] if worst else None
    by_score = _by_score(panel_score)
    if worst == "Critical" and by_score in ("moderate_risk", "low_risk"):
        return "high_risk"
    return by_score


def _by_score(panel_score: Fraction) -> Assessment:
    if panel_score >= 4:
        return "low_risk"
    if panel_score >= 3:
        return "moderate_risk"
    return "high_risk" if panel_score >= 2 else "critical_risk"
