"""The results of `make clients` as a page of the docs."""

from __future__ import annotations

import sys
from pathlib import Path

HEAD = """\
# Client results

`make clients` tries other people's clients on a moot server with scripted models, and writes this page. 401
to 504 mean that the client saw this status when every model failed for that reason, *streamed* that it
raised the error even in the middle of a stream, and *stops* that the run stopped on the server when the
client disconnected. A *failed seat* is named at the top of the answer. With a *JSON schema*, the client got
a value that is valid against it. A dash means that the client has no such feature. openai and openai-async
are one package's chat completions, openai-responses is its Responses API. llm-moot passes on the words of a
failure, not its status.

"""


def main(results: Path, page: Path) -> int:
    lines = [line.split("\t") for line in results.read_text().splitlines() if line.count("\t") >= 3]
    clients = list(dict.fromkeys(line[0] for line in lines))
    tries = list(dict.fromkeys(line[1] for line in lines if line[1] != "version"))
    versions = {line[0]: line[3] for line in lines if line[1] == "version"}
    found = {(line[0], line[1]): line[2] for line in lines}
    rows = [
        ["", *(f"{client} {versions.get(client, '')}".strip() for client in clients)],
        ["---"] * (len(clients) + 1),
    ]
    rows += [[what, *(found.get((client, what), "–") for client in clients)] for what in tries]
    page.write_text(HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows))
    wrong = [line for line in lines if line[2] != "yes"]
    for line in wrong:
        print(*line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
