"""The results of `make clients` as a page of the docs."""

from __future__ import annotations

import sys
from pathlib import Path

HEAD = """\
# Clients, tried

`make clients` lets other people's clients ask a moot whose models are scripted, and writes this page. The figures 401 to 504
are the statuses that a client saw when all models failed for that reason; *streamed* means that it raised the error that
comes within a stream; *stops* that its run was cancelled on the server when the client left. A dash: not tried with that
client; pydantic-ai and llm hand over nothing before the first word of the answer, so that the script could not leave sooner.

"""


def main(results: Path, page: Path) -> int:
    lines = [line.split("\t") for line in results.read_text().splitlines() if line.count("\t") >= 3]
    clients = list(dict.fromkeys(line[0] for line in lines))
    tries = list(dict.fromkeys(line[1] for line in lines if line[1] != "version"))
    versions = {line[0]: line[3] for line in lines if line[1] == "version"}
    found = {(line[0], line[1]): line[2] for line in lines}
    rows = [["", *(f"{client} {versions.get(client, '')}".strip() for client in clients)], ["---"] * (len(clients) + 1)]
    rows += [[what, *(found.get((client, what), "–") for client in clients)] for what in tries]
    page.write_text(HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows))
    wrong = [line for line in lines if line[2] != "yes"]
    for line in wrong:
        print(*line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
