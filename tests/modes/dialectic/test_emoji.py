from __future__ import annotations

import pytest

from moot.modes.dialectic.emoji import normalize_signs


@pytest.mark.parametrize(
    ("garbled", "sign"),
    [
        ("Ready for Synthesis âœ…", "Ready for Synthesis ✅"),
        ("âš\u00a0ï¸\u008f PARTIALLY", "⚠ PARTIALLY"),
        ("âš ï¸ PARTIALLY", "⚠ PARTIALLY"),
        ("â\u009dŒ UNRESOLVED", "❌ UNRESOLVED"),
        ("âŒ UNRESOLVED", "❌ UNRESOLVED"),
        ("ðŸ”´ C1", "🔴 C1"),
        ("ðŸŸ¡ M1", "🟡 M1"),
        ("ðŸŸ¢ N1", "🟢 N1"),
        ("⚠️ M2", "⚠ M2"),
        ("e\u0301", "é"),
    ],
)
def test_signs_are_read_in_their_garbled_forms_too(garbled: str, sign: str) -> None:
    assert normalize_signs(garbled) == sign


@pytest.mark.parametrize("sign", "✅❌⚠🔴🟡🟢→—✔✓")
def test_the_garbled_forms_are_those_of_a_reader_that_took_the_wrong_table(sign: str) -> None:
    garbled = "".join(
        bytes([byte]).decode("cp1252") if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else chr(byte)
        for byte in sign.encode()
    )
    assert normalize_signs(garbled) == sign
