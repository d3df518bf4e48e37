"""The scripted model server as a process of its own, which outlives whatever it serves.

python -m moot.testing.server --port 9000 --script script.json
"""

from __future__ import annotations

import argparse
import asyncio
import json
from contextlib import suppress
from pathlib import Path

from moot.testing.model_server import ModelServer, serve
from moot.testing.replies import Received, Reply, Rule, Script

__all__ = ["ModelServer", "Received", "Reply", "Rule", "Script", "main"]


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m moot.testing.server", description=__doc__)
    options.add_argument("--port", type=int, default=0, help="0: any free one")
    options.add_argument("--script", default="{}", help="JSON, or the path of a file that holds it")
    given = options.parse_args()
    text = given.script if given.script.lstrip().startswith("{") else Path(given.script).read_text("utf-8")
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(Script.parse(json.loads(text)), given.port))


if __name__ == "__main__":
    main()
