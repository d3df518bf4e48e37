"""Embedding: texts as vectors of length 1, so that near meanings lie near each other.

    embedder = embedder_for(Settings(embedder="ollama/nomic-embed-text"))
    vectors = await embedder.embed(["Tabs or spaces?"])

`builtin` runs all-MiniLM-L6-v2 here, in numpy, once `moot embedder install` has fetched its weights;
`<provider>/<model>` asks that provider's /embeddings; `off` embeds nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from moot.kernel.errors import MootError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from moot.settings import Settings
    from moot.settings.providers import Provider

    Vectors = NDArray[np.float32]

BUILTIN, OFF = "builtin", "off"
LONGEST = 4000
"""So many characters of a question are embedded: what follows says little more of what it is about, and would
exceed what some embedders take. The built-in one reads 256 word pieces of it."""


class NoEmbedding(MootError):
    """Texts could not be embedded; the message says why and what to do."""


class Embedder(Protocol):
    """`id`: under which its vectors are kept; vectors of two embedders are never compared. `name`: what a
    person calls it. `floor`: the cosine from which on two texts are about the same; None: probing tells."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def floor(self) -> float | None: ...

    async def embed(self, texts: list[str]) -> Vectors:
        """One row of length 1 a text. Raises NoEmbedding."""
        ...


def embedder_for(settings: Settings, providers: Mapping[str, Provider] | None = None) -> Embedder:
    """The embedder that the settings name, at one of these providers; by default, of the settings'. Raises
    NoEmbedding if they name none that could be."""
    if settings.embedder == BUILTIN:
        from moot.templates.embedding.builtin import BuiltIn

        return BuiltIn(settings.embedder_folder)
    if settings.embedder == OFF:
        raise NoEmbedding("The setting embedder is off.")
    from moot.templates.embedding.endpoint import Endpoint

    return Endpoint(settings.embedder, settings, providers or settings.known_providers())


def beginning(question: str) -> str:
    """What is embedded of a question."""
    return question.strip()[:LONGEST]


def embedder_name(setting: str) -> str:
    """What a person calls the embedder of a setting, whether it is there or not."""
    return "all-MiniLM-L6-v2" if setting == BUILTIN else setting
