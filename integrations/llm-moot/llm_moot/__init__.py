"""moot for LLM: every mode and every preset is a model.

    llm -m moot-vote "Tabs or spaces?"

The panel deliberates in this process, or on the server that MOOT_URL names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import llm

from llm_moot.catalogue import Target, known_presets, modes, read_presets
from llm_moot.door import open_door
from llm_moot.models import AsyncMootModel, MootModel, token
from llm_moot.work import in_thread


@llm.hookimpl
def register_models(register: Callable[..., None]) -> None:
    for target in (*modes(), *known_presets()):
        register(MootModel(target), AsyncMootModel(target), aliases=target.aliases)


@llm.hookimpl
def register_commands(cli: click.Group) -> None:
    @cli.group(name="moot")
    def moot() -> None:
        """Ask a panel of models with moot."""

    @moot.command()
    def refresh() -> None:
        """Read your presets anew, and list the models they are."""
        for target in refresh_presets():
            click.echo(f"{target.model_id}  ({target.mode})")


def refresh_presets() -> tuple[Target, ...]:
    async def read(put: Callable[[Any], None]) -> None:
        async with open_door(token()) as door:
            put(await read_presets(door))

    try:
        return next(iter(in_thread(read)))
    except llm.ModelError as error:
        raise click.ClickException(str(error)) from None
