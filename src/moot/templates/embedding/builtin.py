"""The built-in embedder: all-MiniLM-L6-v2, loaded when first needed, computed off the event loop."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from moot.templates.embedding import NoEmbedding

if TYPE_CHECKING:
    from moot.templates.embedding import Vectors
    from moot.templates.embedding.minilm import MiniLM


class BuiltIn:
    id = "builtin/all-MiniLM-L6-v2"
    name = "all-MiniLM-L6-v2"
    # (1 + cos) / 2 then is the scale of similarity: 0.65 at this cosine.
    floor = 0.30

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._model: MiniLM | None = None
        # One text at a time: two at once would only share the same cores.
        self._turn = asyncio.Lock()

    async def embed(self, texts: list[str]) -> Vectors:
        async with self._turn:
            return await asyncio.to_thread(self._embed, texts)

    def _embed(self, texts: list[str]) -> Vectors:
        if self._model is None:
            one_thread()
            from moot.templates.embedding.minilm import MiniLM

            try:
                self._model = MiniLM.load(self._folder)
            except FileNotFoundError:
                raise NoEmbedding(
                    "The built-in embedder is not installed: run `moot embedder install`."
                ) from None
            except (OSError, ValueError, KeyError) as error:
                raise NoEmbedding(
                    f"The built-in embedder in {self._folder} cannot be read ({error}): "
                    "run `moot embedder install --again`."
                ) from None
        return self._model.embed(texts)


def one_thread() -> None:
    """Let numpy multiply in one thread; to be said before it is imported, else it does nothing. The matrices
    here are small. In one thread a question takes 18 ms of processor time; threads that wait for each other,
    busily, take up to 600 on a busy machine, and the first call waits for them."""
    for library in ("OPENBLAS", "OMP", "MKL"):
        # Not a setting of ours that is read, but one of numpy's that is made.
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")  # noqa: TID251
