"""Blueprint: an architect plans a long document, authors write its sections at once, an editor joins them.

outline ─▶ section_1 … section_n (all at once) ─▶ assembly (the editor's words, put together by code)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import Field, field_validator, model_validator

from moot.blueprints import (
    AssembledDocument,
    BlueprintResult,
    FailedSection,
    OutlineData,
    Scope,
    SectionLine,
    SectionsHeard,
    WrittenSection,
    assembled_lines,
    best_outline,
    result_of,
)
from moot.chapters import WORDS, Cleaned, cleaned
from moot.composing import Assembly, assemble
from moot.doctypes import DOCUMENT_TYPES, type_label
from moot.errors import NoAnswer, RunFailed
from moot.events import Event, Opening, TitleComplete, every, last
from moot.fences import Foreign, Part, one_line
from moot.mode import Between, Count, Mode, ModeConfig, ModelId, Panel, Question, problem
from moot.outlines import FEWEST, MOST, Outline, PlannedSection, read_outline, rendered
from moot.run import Run, answered, seats
from moot.wire import Answer, Failure, Maybe, Row
