"""moot presets: a mode and its config under a name, to be asked with again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from moot.cli.ask import ChairmanOption, ConfigOption, ModelsOption, SetOption
from moot.cli.config import config_from, read_config
from moot.cli.runs import JsonOption
from moot.cli.session import exit_on_error, load_settings, perform
from moot.cli.suggestions import find_mode
from moot.history.safe_text import safe_json, safe_text
from moot.kernel.user import LOCAL_USER
from moot.wiring import open_engine

if TYPE_CHECKING:
    from moot.kernel.engine import Engine
    from moot.presets.presets import Preset

app = typer.Typer(
    help="Save, share and reuse a mode with its setup.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
PresetName = Annotated[str, typer.Argument(metavar="NAME", help="The preset's name or id.")]
OffOption = Annotated[bool, typer.Option("--off", help="Undo it.")]


@app.command("list")
def list_presets(
    mode: Annotated[str | None, typer.Option("--mode", "-m", help="Only presets for this mode.")] = None,
    json: JsonOption = False,
) -> None:
    """List your presets, then those others share."""

    async def work(engine: Engine) -> None:
        from moot.cli.listing import print_json, print_table
        from moot.presets.presets import list_presets

        found = await list_presets(engine, LOCAL_USER, mode)
        if json:
            print_json(found)
        else:
            rows = [(one.name, one.mode, _notes(one)) for one in found]
            print_table(
                ("preset", "mode", "notes"), rows, "No presets yet: `moot presets save` adds one.", cut=False
            )

    _perform(work)


@app.command()
def show(name: PresetName) -> None:
    """Print a preset as JSON."""

    async def work(engine: Engine) -> None:
        from moot.presets.presets import find_preset

        print(safe_json((await find_preset(engine, LOCAL_USER, name)).model_dump_json(indent=2)))

    _perform(work)


@app.command()
def save(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the preset.")],
    mode: Annotated[str | None, typer.Option("--mode", "-m", help="The mode; see `moot modes`.")] = None,
    models: ModelsOption = None,
    chairman: ChairmanOption = None,
    setting: SetOption = None,
    config: ConfigOption = None,
    share: Annotated[bool, typer.Option("--share", help="Let everyone on this server use it.")] = False,
    default: Annotated[bool, typer.Option("--default", help="Make it the default for its mode.")] = False,
) -> None:
    """Save a preset, replacing yours of the same name."""
    with exit_on_error():
        base = None if config is None else read_config(config)

    async def work(engine: Engine) -> None:
        from moot.kernel.request import parse
        from moot.presets import presets

        chosen = find_mode(mode or engine.settings.default_mode, engine.modes)
        schema = chosen.config.model_json_schema()
        config_fields = config_from(
            schema, base=base, models=models, special=chairman, settings=setting or ()
        )
        fields = {"name": name, "mode": chosen.id, "config": config_fields or {}, "shared": share}
        one = await presets.save_preset(engine, LOCAL_USER, parse(presets.NewPreset, fields))
        if default:
            one = await presets.make_default(engine, LOCAL_USER, one.id)
        print(safe_text(_line(one)))

    _perform(work)


@app.command()
def share(name: PresetName, off: OffOption = False) -> None:
    """Share your preset with everyone on this server."""

    async def work(engine: Engine) -> None:
        from moot.presets import presets

        one = await presets.find_preset(engine, LOCAL_USER, name)
        change = presets.PresetChange(name=None, config=None, shared=not off)
        print(safe_text(_line(await presets.change_preset(engine, LOCAL_USER, one.id, change))))

    _perform(work)


@app.command()
def default(name: PresetName, off: OffOption = False) -> None:
    """Make a preset the default for its mode."""

    async def work(engine: Engine) -> None:
        from moot.presets.presets import find_preset, make_default

        one = await find_preset(engine, LOCAL_USER, name)
        print(safe_text(_line(await make_default(engine, LOCAL_USER, one.id, on=not off))))

    _perform(work)


@app.command()
def delete(name: PresetName) -> None:
    """Delete your preset."""

    async def work(engine: Engine) -> None:
        from moot.presets.presets import find_preset, remove_preset

        await remove_preset(engine, LOCAL_USER, (await find_preset(engine, LOCAL_USER, name)).id)

    _perform(work)


def _perform(work: Callable[[Engine], Awaitable[None]]) -> None:
    async def run() -> int:
        async with open_engine(load_settings()) as engine:
            await work(engine)
        return 0

    perform(run())


def _line(one: Preset) -> str:
    return f"{one.name:<30} {one.mode:<20} {_notes(one)}".rstrip()


def _notes(one: Preset) -> str:
    notes = [
        *(["default"] if one.is_default else []),
        *(["shared"] if one.shared and one.own else []),
        *([] if one.own else [f"by {one.owner}"]),
        *([f"NOT USABLE: {one.problem}"] if one.problem else []),
    ]
    return ", ".join(notes)
