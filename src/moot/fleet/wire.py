"""Frames between processes of a fleet, as they are: nothing is read that is only passed on.

7 vote_round_complete 4210 512
{"data":{…}}
                                    an empty line: still there
"""

from __future__ import annotations

from collections.abc import Iterator

from moot.kernel.followers import Frame

PING = b"\n"


def written(frame: Frame) -> bytes:
    body = frame.body
    return b"%d %b %d %d\n%b" % (frame.number or 0, frame.type.encode(), frame.at, len(body), body)


class Reading:
    """Takes bytes as they come and gives whole frames."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Frame]:
        self._rest += data
        frames = list(self._frames())
        return frames

    def _frames(self) -> Iterator[Frame]:
        data, place = self._rest, 0
        while (end := data.find(b"\n", place)) >= 0:
            if end == place:
                place += 1
                continue
            number, kind, at, length = data[place:end].split(b" ")
            stop = end + 1 + int(length)
            if stop > len(data):
                break
            yield Frame(int(number) or None, kind.decode(), int(at), data[end + 1 : stop])
            place = stop
        self._rest = data[place:]
