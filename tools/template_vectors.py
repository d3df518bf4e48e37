"""Writes src/moot/templates/vectors.json: the library as the built-in embedder sees it, so that nobody's
first question has to wait for forty-two templates to be embedded. Its weights must be installed.

python tools/template_vectors.py
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from pathlib import Path

import orjson

from moot.modes.dialectic.scaffolds import library
from moot.settings import Settings
from moot.templates.embedding.builtin import BuiltIn
from moot.templates.index import embed_scaffolds

FILE = Path(__file__).parent.parent / "src" / "moot" / "templates" / "vectors.json"


async def written() -> bytes:
    scaffolds, embedder = library().scaffolds, BuiltIn(Settings().embedder_folder)
    vectors = {
        scaffold.index_digest(): b64encode(vector).decode()
        for scaffold, vector in zip(scaffolds, await embed_scaffolds(embedder, scaffolds), strict=True)
    }
    document = {"embedder": embedder.id, "vectors": vectors}
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


if __name__ == "__main__":
    FILE.write_bytes(asyncio.run(written()))
