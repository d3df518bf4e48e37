"""The keyring: what is stored can be read by nobody without it, and as nothing else."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from moot.kernel.keyring import Keyring, NoKeyring, Unreadable
from moot.settings import Settings

OLD, NEW = "old " * 10, "new " * 10
ANN = ("ann", "openrouter", "openai", "")


def ring(*texts: str) -> Keyring:
    return Keyring(texts, "a test")


def test_a_key_is_read_with_the_ring_it_was_encrypted_with() -> None:
    secret = ring(OLD).encrypt("sk-canary", ANN)
    assert b"canary" not in secret
    assert ring(OLD).decrypt(secret, ANN) == "sk-canary"
    assert ring(OLD).encrypt("sk-canary", ANN) != secret


@pytest.mark.parametrize(
    "context",
    [
        ("bob", "openrouter", "openai", ""),
        ("ann", "openai", "openai", ""),
        ("ann", "openrouter", "anthropic", ""),
        ("ann", "openrouter", "openai", "https://attacker.example/v1"),
    ],
)
def test_what_is_ones_cannot_be_read_as_anothers_nor_for_another_address(context: tuple[str, ...]) -> None:
    secret = ring(OLD).encrypt("sk-canary", ANN)
    with pytest.raises(Unreadable, match="changed"):
        ring(OLD).decrypt(secret, context)


@pytest.mark.parametrize("place", range(0, 40, 3))
def test_no_changed_byte_goes_unnoticed(place: int) -> None:
    secret = bytearray(ring(OLD).encrypt("sk-canary-1234567", ANN))
    secret[place] ^= 1
    with pytest.raises(Unreadable):
        ring(OLD).decrypt(bytes(secret), ANN)


@pytest.mark.parametrize("secret", [b"", b"\x01", b"\x01" * 17, b"\x02" * 60])
def test_nonsense_is_unreadable_and_no_more(secret: bytes) -> None:
    with pytest.raises(Unreadable):
        ring(OLD).decrypt(secret, ANN)


def test_the_first_key_encrypts_and_all_decrypt() -> None:
    before = ring(OLD).encrypt("sk-canary", ANN)
    both = ring(NEW, OLD)
    assert both.decrypt(before, ANN) == "sk-canary"
    assert not both.is_current(before)
    after = both.encrypt("sk-canary", ANN)
    assert both.is_current(after)
    assert ring(NEW).decrypt(after, ANN) == "sk-canary"
    with pytest.raises(Unreadable, match="another secret key"):
        ring(NEW).decrypt(before, ANN)


def test_without_a_setting_a_file_is_made_that_only_its_owner_may_read(tmp_path: Path) -> None:
    file = tmp_path / "data" / "secret.key"
    settings = Settings(secret_key_file=file)
    assert Keyring.load(settings).is_empty
    assert not file.exists()
    secret = Keyring.load(settings, create=True).encrypt("sk-canary", ANN)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert Keyring.load(settings).decrypt(secret, ANN) == "sk-canary"
    # Whoever moves it into the environment loses nothing.
    moved = Keyring.load(Settings(secret_key_file=file, secret_key=NEW.strip()))
    assert moved.decrypt(secret, ANN) == "sk-canary"
    assert not moved.is_current(secret)


def test_processes_that_make_the_file_at_once_agree_on_one_key(tmp_path: Path) -> None:
    settings = Settings(secret_key_file=tmp_path / "secret.key")
    with ThreadPoolExecutor(8) as pool:
        rings = list(pool.map(lambda _: Keyring.load(settings, create=True), range(8)))
    secret = rings[0].encrypt("sk-canary", ANN)
    assert {ring.decrypt(secret, ANN) for ring in rings} == {"sk-canary"}
    assert os.listdir(tmp_path) == ["secret.key"]


def test_a_place_where_no_file_can_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings = Settings(secret_key_file=tmp_path / "file" / "secret.key")
    with pytest.raises(NoKeyring, match=r"secret\.key.*MOOT_SECRET_KEY"):
        Keyring.load(settings, create=True)


def test_a_short_secret_key_is_refused() -> None:
    for short in ("too short", "a long enough key, but for its comma"):
        with pytest.raises(ValueError, match="at least 32 characters, and a comma begins another key"):
            Settings(secret_key=short)
