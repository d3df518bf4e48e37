"""moot modes and models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from moot.cli import plain
from moot.cli.session import load_settings, perform
from moot.wiring import known_providers

if TYPE_CHECKING:
    from moot.settings import Settings
    from moot.transport.catalogue import ModelInfo

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]


def modes(json: JsonOption = False) -> None:
    """List the modes.

    With --json, each comes with the schema of its config: everything --set and --config accept.
    """

    async def work() -> int:
        from moot.cli.listing import print_table
        from moot.kernel.schemas import seats_and_roles
        from moot.modes import MODES

        settings = load_settings()
        if json:
            await _print_schemas(settings)
            return 0
        columns = ("mode", "panel", "time", "follow-ups", "what happens")
        rows = [
            (
                entry.id,
                seats_and_roles(mode),
                f"{round(entry.estimated_duration_ms / 60_000)} min",
                "yes" if entry.supports_multi_turn else "no",
                entry.description,
            )
            for mode, entry in ((mode, mode.entry) for mode in MODES.values())
        ]
        print_table(columns, rows, "There are no modes.", cut=False)
        return 0

    perform(work())


async def _print_schemas(settings: Settings) -> None:
    from moot.kernel.mode import Panel
    from moot.kernel.schemas import config_schema
    from moot.modes import MODES
    from moot.transport.catalogue import SIMULATED_PANEL, Catalogue
    from moot.wiring import default_panel_of

    panel = await default_panel_of(settings, Catalogue(settings), await known_providers(settings))
    panel = panel if panel.models else Panel(SIMULATED_PANEL)
    for mode in MODES.values():
        line = {
            **mode.entry.model_dump(),
            "available": True,
            "configSchema": config_schema(mode, panel, settings.timeout_ms),
        }
        plain.write_json(orjson.dumps(line))


def models(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="WORDS", help="Only models whose id or name contains all of these."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """List available models with context length and prices."""

    async def work() -> int:
        from moot.cli.listing import print_json, print_table
        from moot.transport.catalogue import Catalogue

        settings = load_settings()
        listing = await Catalogue(settings).models(await known_providers(settings), probe=True)
        for missing in listing.unavailable:
            plain.warn(f"{missing.provider}: {missing.reason}")
        matches = list(_containing(listing.models, words or ()))
        if json:
            print_json(matches)
        else:
            columns = ("model", "provider", "context", "$ in", "$ out", "name")
            print_table(columns, map(_row, matches), "No models found.")
            plain.write("\n$ is dollars per million tokens; – means unknown.")
        return 0

    perform(work())


def _containing(models: Iterable[ModelInfo], words: Sequence[str]) -> Iterable[ModelInfo]:
    needles = [word.lower() for word in words]
    return (one for one in models if all(word in f"{one.id} {one.name or ''}".lower() for word in needles))


def _row(model: ModelInfo) -> tuple[str, ...]:
    from moot.kernel.values import SIMULATOR

    context = "–" if model.context_length is None else f"{model.context_length:,}"
    return (
        model.id,
        model.provider,
        context,
        _price(model.prompt_price),
        _price(model.completion_price),
        "simulated" if model.provider == SIMULATOR else model.name or "",
    )


def _price(dollars: float | None) -> str:
    return "–" if dollars is None else f"{dollars:.2f}"
