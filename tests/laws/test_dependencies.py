"""What moot depends on: locked with hashes, in step with pyproject.toml, under licences that allow it.

All of this is read from files and from what is installed: it says the same today and tomorrow. What is known about
faults in these packages changes by the day, and is for `make audit`.
"""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import moot

ROOT = Path(moot.__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT.get("optional-dependencies", {})
DECLARED = [*PROJECT["dependencies"], *(line for lines in EXTRAS.values() for line in lines)]
LOCK = (ROOT / "deploy" / "requirements.txt").read_text()
LOCKED = re.compile(
    r"^([A-Za-z0-9._-]+)==([^ ;\\]+)([^\n]*\\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.M
)
FORBIDDEN = re.compile(r"\b(A?GPL|LGPL|GNU|SSPL|BUSL|Commons Clause|CC-BY-NC|Proprietary)", re.I)
ALLOWED = re.compile(
    r"MIT|BSD|Apache|ISC|MPL-2\.0|Mozilla Public License 2\.0|PSF|Python Software Foundation|CC0|Zlib|Unlicense",
    re.I,
)
MAKE_LOCK = "run `make lock`"


def locked() -> dict[str, list[Version]]:
    """A package may be there twice, for different systems."""
    found: dict[str, list[Version]] = {}
    for name, version, _ in LOCKED.findall(LOCK):
        found.setdefault(canonicalize_name(name), []).append(Version(version))
    return found


def test_every_package_of_the_lock_has_one_version_and_its_hashes() -> None:
    pins = re.findall(r"^[A-Za-z0-9]\S+", LOCK, re.M)
    assert len(pins) == len(LOCKED.findall(LOCK)) > 40
    assert "://" not in LOCK  # where packages come from is up to whoever installs them


def test_the_lock_is_in_step_with_the_project() -> None:
    versions = locked()
    for line in DECLARED:
        wanted = Requirement(line)
        name = canonicalize_name(wanted.name)
        assert name in versions, f"{name} is not locked: {MAKE_LOCK}"
        for version in versions[name]:
            assert wanted.specifier.contains(version), (
                f"{name} {version} is not {wanted.specifier}: {MAKE_LOCK}"
            )


def test_every_dependency_says_from_which_version_on() -> None:
    """No upper bound: whoever installs moot beside other packages must be able to; the lock is what we have
    tried together. A cap is for a package of which we know that the next major will break us."""
    for line in DECLARED:
        assert any(one.operator in (">=", "~=", "==") for one in Requirement(line).specifier), line


def runtime_packages() -> dict[str, str]:
    """What is installed for moot alone, with the licence each says it has."""
    found: dict[str, str] = {}
    waiting = [Requirement(line) for line in DECLARED]
    while waiting:
        wanted = waiting.pop()
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        try:
            package = distribution(wanted.name)
        except PackageNotFoundError:  # of an extra that is not installed here
            continue
        name = canonicalize_name(wanted.name)
        if name in found:
            continue
        about = package.metadata
        classifiers = [line for line in about.get_all("Classifier") or [] if line.startswith("License")]
        said = [about[field] for field in ("License-Expression", "License") if field in about]
        found[name] = "; ".join([*said[:1], *classifiers])
        for line in package.requires or []:
            inner = Requirement(line)
            extras = [*wanted.extras, ""]
            if inner.marker is None or any(inner.marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append(Requirement(line.split(";")[0]))
    return found


def test_every_package_may_be_used_under_its_licence() -> None:
    packages = runtime_packages()
    assert len(packages) > 40
    for name, licence in packages.items():
        assert ALLOWED.search(licence), f"{name}: {licence[:80]!r}"
        assert not FORBIDDEN.search(licence), f"{name}: {licence[:80]!r}"


def test_the_page_is_built_from_packages_with_hashes_and_licences() -> None:
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())
    declared = json.loads((ROOT / "web" / "package.json").read_text())
    root = lock["packages"][""]
    for kind in ("dependencies", "devDependencies"):
        assert root.get(kind) == declared.get(kind), "run `npm install` in web/"
    packages = {name: one for name, one in lock["packages"].items() if name and not one.get("link")}
    for name, one in packages.items():
        assert one.get("integrity", "").startswith("sha512-"), name
        licence = one.get("license", "")
        if not one.get("dev"):
            assert ALLOWED.search(licence), f"{name}: {licence}"
            assert not FORBIDDEN.search(licence), f"{name}: {licence}"
