"""What goes over a link: which runs a door follows, and their stories as server-sent events, the very bytes
that readers get. All runs of one process that a door follows share one link.

    to the owner     follow 3 9f0c… 7 1      on stream 3 the run 9f0c…, from after event 7 on, with live text
                     took 3 20480            so many more bytes of it have gone to the reader
                     leave 3
    to the door      3 12 0 512              512 bytes of stream 3, the last event with a number in them is 12
                     id: 12 …
                     3 0 2 0                 nothing more comes from this process
                                             an empty line: still there
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from moot.kernel.followers import Frame

PING: Final = b"\n"
MORE: Final = 0
ENDED: Final = 1
"""The run's last event is in it."""
GONE: Final = 2
"""Whoever sent it does not work on the run, or not any more."""
WINDOW_BYTES: Final = 64 * 1024
"""So much of a stream is sent before its reader is waited for: one that is slow keeps nobody else waiting."""


class Piece(NamedTuple):
    """`data`: whole server-sent events; `last`: the highest number among them, 0 if none has one."""

    stream: int
    last: int
    state: int
    data: bytes

    def written(self) -> bytes:
        return b"%d %d %d %d\n%b" % (self.stream, self.last, self.state, len(self.data), self.data)


class Order(NamedTuple):
    """What a door wants: `verb` is follow, took or leave."""

    verb: str
    stream: int
    run_id: str = ""
    after: int = 0
    tokens: bool = False
    size: int = 0

    def written(self) -> bytes:
        match self.verb:
            case "follow":
                rest = f" {self.run_id} {self.after} {int(self.tokens)}"
            case "took":
                rest = f" {self.size}"
            case _:
                rest = ""
        return f"{self.verb} {self.stream}{rest}\n".encode()

    @classmethod
    def read(cls, line: bytes) -> Order:
        """Raises ValueError if it is none."""
        match line.decode("latin-1").split(" "):
            case ["follow", stream, run_id, after, tokens]:
                return cls("follow", int(stream), run_id=run_id, after=int(after), tokens=tokens == "1")
            case ["took", stream, size]:
                return cls("took", int(stream), size=int(size))
            case ["leave", stream]:
                return cls("leave", int(stream))
        raise ValueError(f"{line[:40]!r} is no order")


class Orders:
    """Takes bytes as they come and gives whole orders."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Order]:
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [Order.read(line) for line in lines]


class Pieces:
    """Takes bytes as they come and gives whole pieces."""

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._size = 0
        self._wanted = 0

    def feed(self, data: bytes) -> list[Piece]:
        """Raises ValueError if it makes no sense."""
        self._held.append(data)
        self._size += len(data)
        if self._size < self._wanted:  # of one that is long, without looking at it again each time
            return []
        return list(self._pieces(self._held[0] if len(self._held) == 1 else b"".join(self._held)))

    def _pieces(self, data: bytes) -> Iterator[Piece]:
        place, self._wanted = 0, 0
        while (end := data.find(b"\n", place)) >= 0:
            if end == place:
                place += 1
                continue
            stream, last, state, length = map(int, data[place:end].split(b" "))
            stop = end + 1 + length
            if stop > len(data):
                self._wanted = stop - place
                break
            yield Piece(stream, last, state, data[end + 1 : stop])
            place = stop
        rest = data[place:]
        self._held, self._size = [rest], len(rest)


def unpacked(data: bytes) -> list[Frame]:
    """The frames that were written as these server-sent events."""
    return [_frame(event) for event in data.split(b"\n\n") if event]


def _frame(event: bytes) -> Frame:
    """Its body is the event's JSON without the type and the time, which come first."""
    *number, kind, line = event.split(b"\n")
    type = kind.removeprefix(b"event: ")
    fields = line.removeprefix(b'data: {"type":"%b","at":' % type)
    digits = len(fields) - len(fields.lstrip(b"0123456789"))
    at, rest = fields[:digits], fields[digits:]
    body = b"{}" if rest == b"}" else b"{" + rest[1:]
    return Frame(int(number[0][4:]) if number else None, type.decode(), int(at), body)
