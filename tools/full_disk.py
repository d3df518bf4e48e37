"""A real disk that is full: a server whose database lies on a file system of eight megabytes.

    python tools/full_disk.py        # as root, or as anybody where user namespaces are allowed

A question is asked while hardly any room is left. What must be seen: the reader is told, other questions are
refused, nothing is asked twice though leases end, and with room again the deliberation comes to its end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from moot.testing import ModelServerProcess

INSIDE = "MOOT_FULL_DISK"
DISK_BYTES = 8 << 20
LEFT_BYTES = 150_000
FULL_SECONDS = 12
PANEL = ["a/ann", "b/bob", "c/cyd"]
LONG = " ".join(f"Reason {number} is for spaces." for number in range(5_500))
SCRIPT = {
    "models": {"t/title": "Tabs Or Spaces"},
    "rules": [
        {"contains": "VOTE:", "reply": "VOTE: Response A"},
        {"contains": "", "model": "c/cyd", "reply": {"text": LONG, "latency": 1.0}},
    ],
    "default": LONG,
}


def main() -> None:
    if INSIDE not in os.environ:
        alone = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
        command = [*alone, sys.executable, __file__]
        raise SystemExit(subprocess.run(command, env={**os.environ, INSIDE: "1"}).returncode)
    with tempfile.TemporaryDirectory(prefix="moot-full-disk-") as folder, ModelServerProcess() as models:
        models.script(SCRIPT)
        disk = Path(folder) / "disk"
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "moot", str(disk)], check=True)
        try:
            with server(models, disk) as address:
                attempt(address, disk, models)
        finally:
            subprocess.run(["umount", str(disk)], check=True)


def attempt(address: str, disk: Path, models: ModelServerProcess) -> None:
    filler = fill(disk)
    stream = post(address)
    frames = events(stream)
    warning = next(frame for frame in frames if frame["type"] == "warning")
    print(f"reader is told       {warning['data']['message']}")
    print(f"/readyz              {status(f'{address}/readyz')}")
    print(f"another question     {refused(address)}")
    time.sleep(FULL_SECONDS)
    before = Counter(call["digest"] for call in models.requests())
    print(f"calls while full     {before.total()}, {FULL_SECONDS} s and several leases long")
    filler.unlink()
    last = list(frames)[-1]["type"]
    after = Counter(call["digest"] for call in models.requests())
    print(f"calls with room      {after.total()}, asked twice: {sum(n - 1 for n in after.values())}")
    print(f"the run ends with    {last}")
    print(f"/readyz              {status(f'{address}/readyz')}")
    if last != "complete" or max(after.values()) > 1:
        raise SystemExit("that is not how it should be")


def fill(disk: Path) -> Path:
    """A file that leaves hardly any room."""
    filler = disk / "filler"
    free = os.statvfs(disk)
    filler.write_bytes(b"x" * (free.f_bavail * free.f_bsize - LEFT_BYTES))
    return filler


@contextmanager
def server(models: ModelServerProcess, disk: Path) -> Iterator[str]:
    environment = {
        **os.environ,
        **models.environment,
        "DATABASE_URL": f"sqlite:///{disk / 'moot.db'}",
        "XDG_CONFIG_HOME": str(disk),
        "MOOT_PORT": "0",
        "MOOT_TITLE_MODEL": "t/title",
        "MOOT_LEASE_SECONDS": "2",
    }
    moot = str(Path(sys.executable).with_name("moot"))
    process = subprocess.Popen([moot, "serve"], env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(15)


def post(address: str) -> Any:
    body = {"question": "Tabs or spaces?", "mode": "vote", "modeConfig": {"councilModels": PANEL}}
    request = urllib.request.Request(f"{address}/api/council/stream", json.dumps(body).encode())
    request.add_header("content-type", "application/json")
    return urllib.request.urlopen(request, timeout=60)


def refused(address: str) -> str:
    try:
        post(address).close()
    except urllib.error.HTTPError as error:
        return f"{error.code} {json.loads(error.read())['error']}"
    raise SystemExit("another question was taken though there is no room for its answers")


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code


def events(stream: Any) -> Iterator[dict[str, Any]]:
    for line in stream:
        if line.startswith(b"data: "):
            yield json.loads(line[6:])


if __name__ == "__main__":
    main()
