"""A file that was made to be taken away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

PIECE = 1 << 18


async def file_pieces(path: Path, cleanup: ExitStack) -> AsyncIterator[bytes]:
    """The file, which goes when it was sent or the reader has left."""
    with cleanup, path.open("rb") as file:
        while piece := await asyncio.to_thread(file.read, PIECE):
            yield piece
