"""moot trust: look at a project's moot.toml, and let all of it count as it is now.

$ moot trust
/home/ann/shop/moot.toml would set:
  providers.lab.base_url = "https://lab.example/v1"
  providers.lab.api_key_env = "LAB_API_KEY"
If you trust it:
  - the value of LAB_API_KEY is sent to https://lab.example/v1
Trust this file as it is now? [y/N]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from moot.cli import plain
from moot.cli.session import exit_on_error
from moot.kernel.errors import Rejected

if TYPE_CHECKING:
    from moot.settings import Settings
    from moot.settings.files import SettingsFile

LONGEST_VALUE = 300
_KEY_OF = {f"{name}_base_url": f"{name.upper()}_API_KEY" for name in ("openrouter", "openai", "anthropic")}


def trust(
    path: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="A folder or its moot.toml; default: this folder.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Stop trusting it.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the files you trust.")] = False,
) -> None:
    """Review a folder's moot.toml and trust it.

    Until you trust it, such a file may only choose the mode and lower limits. Trust covers the file as it
    is now; if it changes, review it again.
    """
    with exit_on_error():
        if list_:
            _list()
        elif revoke:
            _revoke(_file_in(path))
        else:
            _trust(_file_in(path), yes)


def _file_in(path: Path | None) -> Path:
    from moot.settings.places import FILE_NAME

    given = (path or Path.cwd()).absolute()
    file = given if given.name == FILE_NAME and not given.is_dir() else given / FILE_NAME
    if path is not None and not given.is_dir() and given.name != FILE_NAME:
        raise Rejected(f"{path} is neither a folder nor a {FILE_NAME}, and moot reads no other file")
    return file


def _list() -> None:
    from moot.settings.files import SettingsFile
    from moot.settings.problems import BadSetting
    from moot.settings.trust import TrustList

    trusted = TrustList.load()
    for place, entry in trusted.files.items():
        try:
            file = SettingsFile.read(Path(place))
        except BadSetting:
            state = "cannot be read"
        else:
            state = (
                "is gone"
                if file is None
                else "is unchanged"
                if file.sha256 == entry.sha256
                else "has changed"
            )
        plain.write(f"{place}  trusted since {entry.since}, {state}")
    if not trusted.files:
        plain.write("You trust no file.")


def _revoke(path: Path) -> None:
    from moot.settings.trust import TrustList, place_of

    trusted = TrustList.load()
    place = place_of(path)
    if place not in trusted.files:
        raise Rejected(f"{place} was not trusted")
    trusted.removing(place).save()
    plain.write(f"{place} is no longer trusted.")


def _trust(path: Path, yes: bool) -> None:
    from moot.settings.configuration import settings_of
    from moot.settings.files import SettingsFile
    from moot.settings.places import user_file
    from moot.settings.project import ProjectFile
    from moot.settings.trust import TrustList, place_of

    file, place = _read(path), place_of(path)
    user = SettingsFile.read(user_file(), own=True)
    ignored = ProjectFile.weigh(file, "untrusted", user.values if user else {}).ignored
    if not ignored or TrustList.load().of(file) == "trusted":
        plain.write(f"{place} {'is trusted already' if ignored else 'sets nothing that needs your trust'}.")
        return
    # Whatever is wrong in the file is said now, not at the next question.
    meant = settings_of(file)
    plain.write(f"{place} would set:")
    for name, value in _entries(file.values, ignored):
        plain.write(f"  {name} = {value}")
    for number, consequence in enumerate(_consequences(meant, file, user)):
        plain.write(f"If you trust it:\n  - {consequence}" if number == 0 else f"  - {consequence}")
    if not yes and not _confirmed():
        plain.write("Nothing was changed.")
        raise typer.Exit(1)
    TrustList.load().adding(file).save()
    plain.write(f"{place} is trusted as it is now. To undo this: moot trust --revoke")


def _read(path: Path) -> SettingsFile:
    from moot.settings.files import SettingsFile
    from moot.settings.places import user_file

    file = SettingsFile.read(path)
    if file is None:
        raise Rejected(f"There is no {path}")
    with suppress(OSError):  # there may be no such file
        if path.samefile(user_file()):
            raise Rejected(f"{path} is your own settings file, and needs no trust")
    return file


def _confirmed() -> bool:
    if not sys.stdin.isatty():
        raise Rejected("This is not a terminal, so nobody can confirm: add --yes if you have read the file")
    return typer.confirm("Trust this file as it is now?")


def _entries(values: Mapping[str, Any], ignored: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The entries that would count from now on, as `providers.lab.base_url` and what it says."""
    for name, value in values.items():
        if name == "providers":
            for inner, table in value.items():
                yield from (
                    (_plain(f"providers.{inner}.{field}"), _value(one)) for field, one in table.items()
                )
        elif name in ignored:
            yield _plain(name), _value(value)


def _consequences(meant: Settings, file: SettingsFile, user: SettingsFile | None) -> Iterator[str]:
    """Who gets what, said last: it must not scroll away."""
    for name in meant.model_fields_set & _KEY_OF.keys():
        yield f"the value of {_KEY_OF[name]} is sent to {_plain(getattr(meant, name))}"
    if "host" in file.values:
        yield f"the server listens on {_plain(meant.host)}"
    if "database_url" in file.values:
        yield f"conversations are kept in {_plain(meant.database_address)}"
    for name in ("ollama_host", "default_models", "title_model", "embedder"):
        if name in meant.model_fields_set:
            yield f"your questions go wherever {name} points"
    for name, endpoint in meant.providers.items():
        address = _plain(endpoint.base_url)
        if user is not None and name in user.tables():
            yield f"it replaces your own [providers.{_plain(name)}]"
        if endpoint.api_key_env:
            yield f"the value of {_plain(endpoint.api_key_env)} is sent to {address}"
        yield f"questions to {_plain(name)}/… are sent to {address}"


def _value(value: Any) -> str:
    text = json.dumps(value, default=str)
    cut = text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}… ({len(text)} characters)"
    return cut.replace("\x7f", "\\u007f")


def _plain(text: str) -> str:
    """Letters that look like others, or cannot be seen, are written as what they are."""
    return ascii(text)[1:-1]
