"""Long texts that say something new in every sentence: what only repeats itself is no text to moot."""

from __future__ import annotations


def long_text(characters: int, about: str = "spaces") -> str:
    """So many characters of plain sentences."""
    sentences: list[str] = []
    length = 0
    while length < characters:
        sentence = f"Point {len(sentences) + 1} on {about} is one of {len(sentences) * 7919 % 10007}. "
        sentences.append(sentence)
        length += len(sentence)
    return "".join(sentences)[:characters]
