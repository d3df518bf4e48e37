"""Server-sent events, cut into lines however the bytes arrive.

b'data: {"a'  b'": 1}\\r'  b'\\n\\r\\ndata: [DONE]'     →   data: {"a": 1}   (blank)   data: [DONE]
"""

from __future__ import annotations


class Lines:
    """Collects bytes and hands out complete lines, with their ends; `\\n`, `\\r\\n` and `\\r` end one."""

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        self._rest: list[bytes] = []

    @property
    def is_within_line(self) -> bool:
        """Whether a line has begun and not ended."""
        return bool(self._rest)

    def feed(self, data: bytes) -> list[bytes]:
        if self._rest:
            self._rest.append(data)
            # Joined only when a line ends: one line of many megabytes must not be copied at every read.
            if b"\n" not in data and b"\r" not in data:
                return []
            data = b"".join(self._rest)
            self._rest.clear()
        lines = data.splitlines(keepends=True)
        # What ends in \r may be half of a \r\n.
        if lines and not lines[-1].endswith(b"\n"):
            self._rest.append(lines.pop())
        return lines

    def end(self) -> list[bytes]:
        """What is left when no more bytes come: the last line needs no end."""
        rest = b"".join(self._rest)
        self._rest.clear()
        return rest.splitlines()
