"""WordPiece: a text as the numbers of its pieces, as uncased BERT models were taught to read.

>>> WordPiece(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "embed", "##ding", "##s", "!"]).pieces("Embeddings!")
['embed', '##ding', '##s', '!']
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

LONGEST_WORD = 100
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}

    def encode(self, text: str, most: int = 256) -> list[int]:
        """The numbers of a text's pieces between those of its two ends, `most` in all."""
        inner = [self._numbers[piece] for piece in self.pieces(text, most)][: most - 2]
        return [self._numbers["[CLS]"], *inner, self._numbers["[SEP]"]]

    def pieces(self, text: str, most: int | None = None) -> list[str]:
        """The pieces of a text; with `most`, the rest is not looked at once there are so many."""
        pieces: list[str] = []
        for word in words(text):
            pieces += self._cut(word)
            if most is not None and len(pieces) >= most:
                break
        return pieces

    def _cut(self, word: str) -> list[str]:
        """The longest known piece first, again and again; one unknown piece makes the word unknown."""
        if len(word) > LONGEST_WORD:
            return ["[UNK]"]
        pieces: list[str] = []
        start = 0
        while start < len(word):
            piece, end = self._longest(word, start)
            if piece is None:
                return ["[UNK]"]
            pieces.append(piece)
            start = end
        return pieces

    def _longest(self, word: str, start: int) -> tuple[str | None, int]:
        for end in range(len(word), start, -1):
            piece = word[start:end] if start == 0 else f"##{word[start:end]}"
            if piece in self._numbers:
                return piece, end
        return None, start


def words(text: str) -> Iterator[str]:
    """Words in lower case without accents; punctuation and Chinese characters each on their own."""
    word: list[str] = []
    for sign in unicodedata.normalize("NFD", _clean(text).lower()):
        if unicodedata.category(sign) == "Mn":
            continue
        if sign.isspace() or _stands_alone(sign):
            if word:
                yield "".join(word)
                word = []
            if not sign.isspace():
                yield sign
        else:
            word.append(sign)
    if word:
        yield "".join(word)


def _clean(text: str) -> str:
    return "".join(
        " " if sign in "\t\n\r" else sign
        for sign in text
        if sign in "\t\n\r" or (sign not in "\x00\ufffd" and unicodedata.category(sign) not in _UNSEEN)
    )


_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co"})


def _stands_alone(sign: str) -> bool:
    code = ord(sign)
    # To BERT every ASCII sign that is neither letter nor digit is punctuation, `$` and `^` included.
    if code < 128:
        return not sign.isalnum()
    return unicodedata.category(sign).startswith("P") or any(low <= code <= high for low, high in _CJK)
