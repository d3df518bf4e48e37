"""Every route against its own description, by schemathesis: no 500, whoever asks.

python tools/schema_contract.py [EXAMPLES]

A server with accounts and simulated models is asked twice: by a stranger, and with an administrator's token.
All checks but those that are not meant here: see `NOT_MEANT`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

BIN = Path(sys.executable).parent
MODELS = ",".join(f"sim/{name}:latency=1:tps=9999" for name in ("ada", "bo", "cleo"))
NOT_MEANT = (
    # Who is not signed in learns that first, whatever the method; a cursor or a time zone is a string that
    # most strings are not; and a body that is missing stands for its defaults.
    "unsupported_method",
    "allow_header_conformance",
    "positive_data_acceptance",
    "negative_data_rejection",
)


def main(examples: str) -> int:
    with TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "DATABASE_URL": f"sqlite:///{folder}/moot.db",
            "MOOT_ACCOUNTS": "on",
            "MOOT_DEFAULT_MODELS": MODELS,
            "MOOT_EMBEDDER": "off",
            "MOOT_LOG_LEVEL": "error",
            "MOOT_SECRET_KEY_FILE": f"{folder}/secret.key",
        }

        def moot(*words: str, stdin: str = "") -> str:
            done = subprocess.run(
                [BIN / "moot", *words],
                input=stdin,
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            return done.stdout.strip()

        moot("accounts", "add", "ann", "--admin", stdin="correct horse battery\n")
        scopes = [word for scope in ("read", "ask", "admin") for word in ("--scope", scope)]
        token = moot("tokens", "create", "contract", *scopes)
        serving = subprocess.Popen(
            [BIN / "moot", "serve", "--port", "0"], env=environment, stdout=subprocess.PIPE, text=True
        )
        assert serving.stdout is not None
        try:
            address = serving.stdout.readline().split()[-1]
            urlopen(f"{address}/api/openapi.json").close()  # made with the first request, too slowly for some
            return max(
                _ask(folder, address, examples),
                _ask(folder, address, examples, f"Authorization: Bearer {token}"),
            )
        finally:
            serving.terminate()
            serving.wait(30)


def _ask(folder: str, address: str, examples: str, *headers: str) -> int:
    print(f"schemathesis, {'signed in' if headers else 'a stranger'}:", flush=True)
    named = [word for header in headers for word in ("--header", header)]
    words = (
        *("run", f"{address}/api/openapi.json", "--checks", "all", "--max-examples", examples),
        *("--exclude-checks", ",".join(NOT_MEANT)),
        *("--request-timeout", "30", "--warnings", "off"),
        *("--continue-on-failure", "--generation-deterministic", "--no-color", *named),
    )
    return subprocess.run([BIN / "schemathesis", *words], check=False, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "20"))
