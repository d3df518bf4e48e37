"""What only Ollama's own pages say of its models: how large they are, and how long a prompt may be.

Both are asked for beside OpenAI's pages, which do not have them. A server that does not know these pages
says nothing, and nothing is made of that.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from moot.kernel.errors import TransportError
from moot.settings.providers import Provider

SECONDS = 2.0
_CONTEXT_SET = re.compile(r"^num_ctx\s+(\d+)\s*$", re.MULTILINE)
_SIZE = re.compile(r"([\d.]+)\s*([KMBT])", re.IGNORECASE)
_TIMES = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}


async def parameter_counts(provider: Provider) -> dict[str, int]:
    """By model id, as far as `/api/tags` tells."""
    found = {}
    for entry in await _entries(provider, "/api/tags"):
        details = entry.get("details")
        said = _SIZE.fullmatch(str(details.get("parameter_size"))) if isinstance(details, dict) else None
        if said is not None and said[1].count(".") < 2:
            found[f"{provider.name}/{entry['name']}"] = int(float(said[1]) * _TIMES[said[2].lower()])
    return found


async def context_length(provider: Provider, model: str) -> int | None:
    """The context that the model is served with, if it is loaded or its file sets one; else the longest that
    it was made for: what is beyond that is lost in any case."""
    name = model.removeprefix(f"{provider.name}/")
    for loaded in await _entries(provider, "/api/ps"):
        context = loaded.get("context_length")
        if name in (loaded.get("name"), loaded.get("model")) and isinstance(context, int) and context > 0:
            return context
    shown = await _page(provider, "/api/show", {"model": name})
    parameters = shown.get("parameters")
    said = _CONTEXT_SET.search(parameters) if isinstance(parameters, str) else None
    if said is not None and int(said[1]) > 0:
        return int(said[1])
    about = shown.get("model_info")
    made_for = about.items() if isinstance(about, dict) else ()
    lengths = [value for key, value in made_for if key.endswith(".context_length") and isinstance(value, int)]
    return max(lengths, default=None)


async def _entries(provider: Provider, path: str) -> list[dict[str, Any]]:
    entries = (await _page(provider, path)).get("models")
    listed = entries if isinstance(entries, list) else []
    return [entry for entry in listed if isinstance(entry, dict) and isinstance(entry.get("name"), str)]


async def _page(provider: Provider, path: str, body: Any = None) -> dict[str, Any]:
    from moot.transport.pages import page

    root = replace(provider, base_url=provider.base_url.removesuffix("/v1"))
    try:
        document = await page(root, path, SECONDS, body)
    except TransportError:
        return {}
    return document if isinstance(document, dict) else {}
