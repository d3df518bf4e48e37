"""How well templates are found: held-out questions, each with the template that fits it best.

    top 1 0.83 · top 3 0.96 · reach the minimum 0.89 · off-topic 0.07

The questions were written by whoever wrote the templates: the shares are for comparing embedders and
changes, not a promise.
"""

from __future__ import annotations

from importlib.resources import files

import orjson

from moot.kernel.clock import monotonic
from moot.kernel.engine import Engine
from moot.kernel.values import Wire
from moot.modes.dialectic.scaffolds import MINIMUM
from moot.templates.index import TemplateIndex

NOBODY = "nobody"
"""A person without templates of their own: the library alone is measured."""
TOP = 3


class Quality(Wire):
    """Shares from 0 to 1. `top1` and `top3` before the minimum, `found` and `off_topic` after it."""

    embedder: str
    questions: int
    top1: float
    top3: float
    top3_after_minimum: float
    found: float
    templates_each: float
    off_topic: float
    milliseconds_each: float


async def measure(engine: Engine, minimum: float = MINIMUM) -> Quality:
    """Raises NoEmbedding."""
    index = TemplateIndex(engine.settings, engine.store)
    document = orjson.loads(files("moot").joinpath("templates/questions.json").read_bytes())
    await index.rank(document["questions"][0]["question"], NOBODY, TOP)  # the vectors are made here
    first = top = near_hits = found_count = templates = 0
    start = monotonic()
    for entry in document["questions"]:
        best = await index.rank(entry["question"], NOBODY, TOP)
        near = [one for one in best if one.similarity >= minimum]
        first += best[0].id == entry["template"]
        top += any(one.id == entry["template"] for one in best)
        near_hits += any(one.id == entry["template"] for one in near)
        found_count += bool(near)
        templates += len(near)
    each = (monotonic() - start) * 1000 / len(document["questions"])
    stray = 0
    for text in document["offTopic"]:
        stray += (await index.rank(text, NOBODY, 1))[0].similarity >= minimum
    count = len(document["questions"])
    return Quality(
        embedder=index.name,
        questions=count,
        top1=first / count,
        top3=top / count,
        top3_after_minimum=near_hits / count,
        found=found_count / count,
        templates_each=templates / count,
        off_topic=stray / len(document["offTopic"]),
        milliseconds_each=each,
    )
