"""The web page, if it was built; else a line that says where the API is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

import moot

BUILT = Path(moot.__file__).parent / "web" / "static"
NO_PAGE = "moot is up. The API is described at /api/openapi.json, its modes at /api/modes.\n"


def install(app: FastAPI, folder: Path) -> None:
    """Serve the folder's own files by name, and below /assets those whose names change with their content."""
    if not (folder / "index.html").is_file():
        app.add_route("/", _no_page)
        return
    for file in folder.iterdir():
        if file.is_file():
            app.add_route("/" if file.name == "index.html" else f"/{file.name}", _serving(file))
    if (folder / "assets").is_dir():
        app.mount("/assets", _Hashed(directory=folder / "assets"))


async def _no_page(request: Request) -> Response:
    return PlainTextResponse(NO_PAGE)


def _serving(file: Path) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        return FileResponse(file, headers={"cache-control": "no-cache"})

    return serve


class _Hashed(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if response.status_code in (200, 304):
            response.headers["cache-control"] = "public, max-age=31536000, immutable"
        return response
