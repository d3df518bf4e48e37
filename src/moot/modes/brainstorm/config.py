"""Options of a brainstorm: who has ideas, who sorts and writes, how many ideas and themes there may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from moot.kernel.mode import Between, Count, ModeConfig, ModelId, Panel, RoleModel, TimeoutMs


class BrainstormConfig(ModeConfig):
    models: Annotated[
        tuple[ModelId, ...],
        Count(3, 6, "Brainstorm mode requires at least 3 models", "Maximum 6 models allowed"),
        Field(
            title="Models",
            description="Each gives ideas and scores the clusters. A model may hold several seats.",
        ),
    ]
    curator_model: Annotated[
        RoleModel,
        Field(
            title="Curator", description="Sorts the ideas into clusters. Choose a model that reasons well."
        ),
    ]
    refiner_model: Annotated[
        RoleModel, Field(title="Refiner", description="Writes the proposal. Choose a model that writes well.")
    ]
    min_ideas_per_model: Annotated[
        int,
        Between("minIdeasPerModel", 3, 10),
        Field(title="Minimum ideas", description="The minimum number of ideas per model."),
    ] = 5
    max_clusters: Annotated[
        int,
        Between("maxClusters", 3, 8),
        Field(title="Maximum clusters", description="The maximum number of clusters."),
    ] = 6
    timeout_ms: Annotated[TimeoutMs, Between("timeoutMs", 30_000, 180_000)] = 120_000


def defaults(panel: Panel, given: Mapping[str, Any]) -> Mapping[str, Any]:
    models = given.get("models")
    curator = models[0] if isinstance(models, list | tuple) and models else panel.special()
    return {
        "models": panel.pick(3) if models is None else models,
        "curatorModel": curator,
        "refinerModel": curator,
    }
