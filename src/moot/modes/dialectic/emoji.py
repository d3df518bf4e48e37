"""Signs that models put into their text (✅ 🔴 ⚠️), made fit to be looked for.

>>> normal("⚠️ PARTIALLY RESOLVED M2"), normal("âœ…")
('⚠ PARTIALLY RESOLVED M2', '✅')
"""

from __future__ import annotations

import unicodedata

# How the signs of the prompts arrive when UTF-8 was read as Windows-1252 on the way; bytes that
# Windows-1252 lacks are dropped by some readers and kept as control characters by others.
_GARBLED = {
    "âœ…": "✅",
    "âœ”": "✔",
    "âœ“": "✓",
    "âš\u00a0ï¸\u008f": "⚠",
    "âš\u00a0ï¸": "⚠",
    "âš ï¸": "⚠",
    "âš\u00a0": "⚠",
    "â\u009dŒ": "❌",
    "âŒ": "❌",
    "ðŸ”´": "🔴",
    "ðŸŸ¡": "🟡",
    "ðŸŸ¢": "🟢",
    "â†’": "→",
    "â€”": "—",
    "â€“": "–",
    # Read as Latin-1, every byte becomes a character.
    **{sign.encode().decode("latin-1"): sign for sign in "✅✔✓⚠❌🔴🟡🟢"},
}


def normalize_signs(text: str) -> str:
    """Raw text in which signs (✅, 🔴) are looked for: composed, without variation selectors, with
    garbled signs mended."""
    text = unicodedata.normalize("NFC", text)
    if "â" in text or "ð" in text:
        for garbled, sign in _GARBLED.items():
            text = text.replace(garbled, sign)
    return text.replace("\ufe0f", "")
