"""The keyring: what people's keys are encrypted with before they are stored.

    ring = Keyring.load(settings)                       # MOOT_SECRET_KEY, else the file in the data folder
    secret = ring.encrypt("sk-…", ("ann", "openrouter"))
    ring.decrypt(secret, ("ann", "openrouter"))         # only with the same context

    1 byte    the format, 1
    4 bytes   which key of the ring
    12 bytes  nonce
    …         AES-256-GCM, with the context as associated data

The first key encrypts, all of them decrypt: a new one is put before the old one, `moot keys rotate` encrypts
everything anew, and the old one can go.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from moot.kernel.errors import MootError

if TYPE_CHECKING:
    from moot.settings import Settings

_FORMAT = b"\x01"
_ID_BYTES = 4
_NONCE_BYTES = 12
_HEAD_BYTES = len(_FORMAT) + _ID_BYTES + _NONCE_BYTES


class Unreadable(MootError):
    """What is stored was encrypted with a key that is not on the ring, or was tampered with."""


class NoKeyring(MootError):
    """There is no key to encrypt with; the message says what to do."""


class Keyring:
    """`place`: where its first key is from, for people to read."""

    def __init__(self, texts: Iterable[str], place: str) -> None:
        self._keys = dict(_derived(text) for text in texts)
        self.place = place

    @classmethod
    def load(cls, settings: Settings, *, create: bool = False) -> Keyring:
        """Reads a file, so not in the event loop. `create`: make the file if there is no key at all. Raises
        NoKeyring if the file cannot be read or made."""
        file = settings.secret_key_file
        named = settings.secret_keys
        if create and not named:
            _make(file)
        texts = [*named, *_texts_in(file)]
        return cls(texts, "MOOT_SECRET_KEY" if named else str(file))

    @property
    def is_empty(self) -> bool:
        return not self._keys

    def encrypt(self, key: str, context: Sequence[str]) -> bytes:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        if self.is_empty:
            raise NoKeyring("There is no secret key to encrypt with: set MOOT_SECRET_KEY.")
        id, first = next(iter(self._keys.items()))
        nonce = os.urandom(_NONCE_BYTES)
        return _FORMAT + id + nonce + AESGCM(first).encrypt(nonce, key.encode(), orjson.dumps(list(context)))

    def decrypt(self, secret: bytes, context: Sequence[str]) -> str:
        """Raises Unreadable."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        id = self._id_in(secret)
        if id not in self._keys:
            raise Unreadable("It was encrypted with another secret key.")
        nonce = secret[_HEAD_BYTES - _NONCE_BYTES : _HEAD_BYTES]
        try:
            return (
                AESGCM(self._keys[id])
                .decrypt(nonce, secret[_HEAD_BYTES:], orjson.dumps(list(context)))
                .decode()
            )
        except (InvalidTag, ValueError):
            raise Unreadable("It was changed after it was encrypted.") from None

    def is_current(self, secret: bytes) -> bool:
        """Whether it was encrypted with the first key."""
        return self._id_in(secret) == next(iter(self._keys), None)

    def _id_in(self, secret: bytes) -> bytes | None:
        return secret[1 : 1 + _ID_BYTES] if secret[:1] == _FORMAT else None


def _derived(text: str) -> tuple[bytes, bytes]:
    """A key and what it is known by. Whoever sees the one learns nothing of the other."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    material = HKDF(SHA256(), 32 + _ID_BYTES, salt=None, info=b"moot provider keys 1").derive(text.encode())
    return material[32:], material[:32]


def _texts_in(file: Path) -> list[str]:
    try:
        lines = file.read_text().splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise NoKeyring(f"The secret key in {file} cannot be read: {reason}.") from None
    return [line.strip() for line in lines if line.strip()]


def is_open_to_others(file: Path) -> bool:
    """Whether others on this machine may read the file, where machines know such a thing."""
    return os.name == "posix" and file.exists() and file.stat().st_mode & 0o077 != 0


def _make(file: Path) -> None:
    """A file with a new key that its owner alone may read; the one that is there, if there is one."""
    if file.exists():
        return
    fresh = file.with_name(f".{file.name}.{secrets.token_urlsafe(8)}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as new:
            new.write(f"{secrets.token_urlsafe(32)}\n")
            new.flush()
            os.fsync(new.fileno())
        with suppress(FileExistsError):  # another process was quicker: its key counts
            os.link(fresh, file)
        fresh.unlink()
    except OSError as error:
        reason = error.strerror or error
        raise NoKeyring(
            f"A secret key could not be saved in {file}: {reason}. Set MOOT_SECRET_KEY instead."
        ) from None
