"""all-MiniLM-L6-v2 in numpy: a text as 384 numbers, near texts near each other.

    model = MiniLM.load(folder)          # vocab.txt and model.safetensors
    model.embed(["Tabs or spaces?"])     # one row of length 1 a text

Six layers of twelve heads, the mean over all pieces, length 1. Every text is computed by itself, so
that no vector depends on what it was embedded beside.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from moot.templates.embedding.wordpiece import WordPiece

Matrix = NDArray[np.float32]

LAYERS, HEADS, SIZE, MOST_PIECES = 6, 12, 384, 256
_EPSILON = np.float32(1e-12)


class MiniLM:
    def __init__(self, vocabulary: Sequence[str], weights: Mapping[str, Matrix]) -> None:
        self._reader = WordPiece(vocabulary)
        self._weights = weights

    @classmethod
    def load(cls, folder: Path) -> MiniLM:
        """Raises OSError or ValueError if the folder does not hold the model."""
        vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
        return cls(vocabulary, read_safetensors(folder / "model.safetensors"))

    def embed(self, texts: Sequence[str]) -> Matrix:
        vectors = [self._embed(self._reader.encode(text.strip(), MOST_PIECES)) for text in texts]
        return np.stack(vectors) if vectors else np.zeros((0, SIZE), np.float32)

    def _embed(self, numbers: Sequence[int]) -> Matrix:
        words = self._weights["embeddings.word_embeddings.weight"][list(numbers)]
        places = self._weights["embeddings.position_embeddings.weight"][: len(numbers)]
        kind = self._weights["embeddings.token_type_embeddings.weight"][0]
        state = self._normed(words + places + kind, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            state = self._layer(state, f"encoder.layer.{layer}")
        return unit(state.mean(axis=0))

    def _layer(self, state: Matrix, name: str) -> Matrix:
        attended = self._dense(
            self._attention(state, f"{name}.attention.self"), f"{name}.attention.output.dense"
        )
        state = self._normed(state + attended, f"{name}.attention.output.LayerNorm")
        inner = gelu(self._dense(state, f"{name}.intermediate.dense"))
        return self._normed(state + self._dense(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _attention(self, state: Matrix, name: str) -> Matrix:
        query, key, value = (
            self._dense(state, f"{name}.{part}").reshape(len(state), HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(SIZE / HEADS))
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        attended: Matrix = (weights @ value).transpose(1, 0, 2).reshape(len(state), SIZE)
        return attended

    def _dense(self, state: Matrix, name: str) -> Matrix:
        return state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _normed(self, state: Matrix, name: str) -> Matrix:
        centred = state - state.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + _EPSILON)
        normed: Matrix = centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return normed


def unit(vector: Matrix) -> Matrix:
    """The vector at length 1; one of length 0 stays."""
    length = np.float32(np.sqrt((vector * vector).sum()))
    scaled: Matrix = (vector / length if length > 0 else vector).astype(np.float32)
    return scaled


def gelu(x: Matrix) -> Matrix:
    """x·Φ(x); numpy has no error function, this approximation (Abramowitz and Stegun 7.1.26) is off by
    1.5e-7 at most, less than a float32 can tell."""
    z = np.abs(x) * np.float32(0.7071067811865476)
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - series * np.exp(-z * z))
    smooth: Matrix = (x * (1 + erf) / 2).astype(np.float32)
    return smooth


def read_safetensors(path: Path) -> dict[str, Matrix]:
    """The float32 tensors of a file, copied: where they lie in it they are not aligned, and multiplying by
    what is not aligned is many times slower."""
    data = np.memmap(path, dtype=np.uint8, mode="r")
    size = int(data[:8].view("<u8")[0])
    header = json.loads(bytes(data[8 : 8 + size]))
    tensors: dict[str, Matrix] = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = (
            np.frombuffer(bytes(data[start:end]), "<f4").astype(np.float32).reshape(entry["shape"])
        )
    return tensors
