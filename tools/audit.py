"""Ask what is known about faults in the packages that moot is made of: python tools/audit.py

Two questions, each to a database that changes by the day: pip-audit about `deploy/requirements.txt`, npm
about `web/package-lock.json`. It says of each whether it was answered.

0  both were asked, and nothing is known      1  something is      3  not everything could be asked
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
CLEAN, FOUND, NOT_ASKED = 0, 1, 3


def ask_python() -> int:
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        install = [
            str(python),
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            "pip-audit>=2.10",
        ]
        if subprocess.run(install, capture_output=True).returncode:
            return _say("Python", NOT_ASKED, "pip-audit could not be installed")
        locked = str(ROOT / "deploy" / "requirements.txt")
        command = [str(python), "-m", "pip_audit", "-r", locked, "--require-hashes", "--disable-pip"]
        asked = subprocess.run([*command, "--progress-spinner", "off"], capture_output=True, text=True)
    if asked.returncode == 0:
        return _say("Python", CLEAN, "nothing is known")
    if "Found" in asked.stderr and "vulnerabilit" in asked.stderr:
        print(asked.stdout)
        return _say("Python", FOUND, asked.stderr.strip().splitlines()[-1])
    return _say("Python", NOT_ASKED, (asked.stderr.strip().splitlines() or ["no answer"])[-1][:200])


def ask_page() -> int:
    npm = shutil.which("npm", path=f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin")
    if npm is None:
        return _say("page", NOT_ASKED, "there is no npm")
    command = [npm, "audit", "--omit=dev", "--audit-level=low"]
    asked = subprocess.run(command, cwd=ROOT / "web", capture_output=True, text=True)
    if asked.returncode == 0:
        return _say("page", CLEAN, "nothing is known")
    if "vulnerabilit" in asked.stdout:
        print(asked.stdout)
        return _say("page", FOUND, "see above")
    errors = [line for line in asked.stderr.splitlines() if line.startswith("npm error")]
    return _say("page", NOT_ASKED, (errors or ["no answer"])[0][:200])


def _say(what: str, code: int, words: str) -> int:
    verdict = {CLEAN: "clean", FOUND: "FAULTS", NOT_ASKED: "NOT ASKED"}[code]
    print(f"{what}: {verdict}: {words}")
    return code


if __name__ == "__main__":
    codes = [ask_python(), ask_page()]
    sys.exit(FOUND if FOUND in codes else max(codes))
