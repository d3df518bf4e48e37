"""A blueprint's options: its models, the kinds of document it writes, and what a request may leave out.

>>> DOCUMENT_TYPES["security_assessment"].label
'Security Assessment'
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, field_validator, model_validator

from moot.kernel.mode import Between, Count, ModeConfig, ModelId, ModelName, Panel, TimeoutMs, problem
from moot.kernel.values import Maybe


class DocumentType(NamedTuple):
    """`must_cover` is what the architect is told that such a document must deal with."""

    label: str
    must_cover: str


DOCUMENT_TYPES = {
    "architecture_blueprint": DocumentType(
        "Architecture Blueprint",
        "context and limits; parts and their duties; data and its paths; interfaces; operation; failure; "
        "security; open decisions",
    ),
    "technical_design_document": DocumentType(
        "Technical Design Document",
        "problem; options weighed; chosen design; data and interfaces; migration; tests; risks",
    ),
    "implementation_roadmap": DocumentType(
        "Implementation Roadmap",
        "goal and measures; phases with exit tests; dependencies; people; risks; first 30 days",
    ),
    "cost_analysis_report": DocumentType(
        "Cost Analysis Report",
        "scope; one-off and running cost; drivers; scenarios; sensitivity; advice",
    ),
    "security_assessment": DocumentType(
        "Security Assessment",
        "assets; threats; controls present; gaps with severity; remedies in order; residual risk",
    ),
    "custom": DocumentType("Custom Document", "nothing is prescribed"),
}


class BlueprintConfig(ModeConfig):
    document_type: Annotated[
        str,
        Field(
            title="Document type",
            description="Decides what the outline must cover.",
            json_schema_extra={"enum": list(DOCUMENT_TYPES)},
        ),
    ] = "architecture_blueprint"
    document_type_label: Annotated[
        Maybe[str],
        Field(title="Label", description="What a custom document is called, 3 to 80 characters."),
    ]
    architect_model: Annotated[
        str,
        ModelName("Architect model is required"),
        Field(title="Architect", description="Writes the outline."),
    ]
    author_models: Annotated[
        tuple[ModelId, ...],
        Count(1, 6, "Blueprint mode requires at least 1 author model", "Maximum 6 author models allowed"),
        Field(
            title="Authors", description="They take turns writing sections. A model may hold several seats."
        ),
    ]
    assembler_model: Annotated[
        str,
        ModelName("Assembler model is required"),
        Field(
            title="Assembler",
            description="Edits the whole document and writes the summary. May also be the architect.",
        ),
    ]
    timeout_ms: Annotated[TimeoutMs, Between("timeoutMs", 60_000, 600_000)] = 120_000

    @field_validator("document_type")
    @classmethod
    def _is_known(cls, value: str) -> str:
        if value not in DOCUMENT_TYPES:
            raise problem(f"Invalid document type: {value}")
        return value

    @model_validator(mode="after")
    def _only_custom_documents_have_a_label(self) -> Self:
        if self.document_type_label is None:
            return self
        if self.document_type != "custom":
            raise problem("documentTypeLabel is only allowed for custom documents")
        if not 3 <= len(self.document_type_label.strip()) <= 80:
            raise problem("documentTypeLabel must have 3 to 80 characters")
        return self

    @property
    def type_label(self) -> str:
        return " ".join((self.document_type_label or "").split()) or DOCUMENT_TYPES[self.document_type].label


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    planner = panel.special()
    return {"architectModel": planner, "authorModels": panel.pick(3), "assemblerModel": planner}
