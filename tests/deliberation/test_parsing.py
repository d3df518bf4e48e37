from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from moot.deliberation import parsing
from moot.deliberation.dressing import undressed
from moot.deliberation.parsing import (
    Shown,
    is_template,
    lines,
    marker,
    markers,
    plain,
    without_cut_label,
)


@pytest.mark.parametrize(
    ("raw", "stripped"),
    [
        ("**Verdict:** `REVISE`", "Verdict: REVISE"),
        ("### Verdict", "Verdict"),
        ("> > VOTE: Response B", "VOTE: Response B"),
        ("- VOTE: Response B", "VOTE: Response B"),
        ("* VOTE: Response B", "VOTE: Response B"),
        ("• **Score**: 7", "Score: 7"),
        ("2. Response A", "Response A"),
        ("2) Response A", "Response A"),
        ("> - 3. **x**", "x"),
        ("__Verdict__: _x_", "Verdict: x"),
        ("task_1 and _task_2_", "task_1 and task_2"),
        ("-15.5", "-15.5"),
        ("2.5 million", "2.5 million"),
        ("2026. The year", "2026. The year"),
        ("ＶＯＴＥ：　Ａ", "VOTE: A"),
        ("V\u200bO\ufeffT\u2060E\u00ad: B\ufe0f", "VOTE: B"),
        ("\u202eVOTE\u202c: B", "VOTE: B"),
        ("\tVOTE:\u00a0B  ", "VOTE: B"),
        ("", ""),
        ("***", ""),
        ("---", "---"),
    ],
)
def test_a_line_is_stripped_of_what_models_decorate_it_with(raw: str, stripped: str) -> None:
    assert plain(raw) == stripped


def test_every_format_character_is_invisible_to_the_reader() -> None:
    seen = [
        f"U+{number:04X}"
        for number in range(sys.maxunicode + 1)
        if unicodedata.category(chr(number)) == "Cf" and plain(f"a{chr(number)}b") != "ab"
    ]
    assert seen == []


def test_no_character_makes_or_loses_a_line() -> None:
    every = "".join(chr(number) for number in range(sys.maxunicode + 1) if chr(number) not in "\r\n")
    assert [line.raw for line in lines(f"{every}\n{every}")] == [every, every]


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("```\nVOTE: A\n```", "VOTE: A"),
        ("  ```text\nVOTE: A\n  ```\n\n", "VOTE: A"),
        ("```markdown\n# T\n```python\nx\n```\nend\n```", "# T\n```python\nx\n```\nend"),
        ("```a\nx\n```\nbetween\n```b\ny\n```", "```a\nx\n```\nbetween\n```b\ny\n```"),
        ("```\nx\n```\nafter", "```\nx\n```\nafter"),
        ("```inline``` and ```more```", "```inline``` and ```more```"),
        ("```", "```"),
        ("```\n```", ""),
        ("before\n```\nx\n```", "before\n```\nx\n```"),
    ],
)
def test_a_code_fence_goes_only_if_it_holds_the_whole_reply(text: str, inner: str) -> None:
    assert undressed(text) == inner


def test_a_line_knows_whether_it_stands_in_code_and_which_number_it_has() -> None:
    read = lines("1. one\n```\n**2)** two\n```\nthree 3.")
    assert [line.fenced for line in read] == [False, True, True, True, False]
    assert not any(line.fenced for line in lines("```never closed\nVOTE: A"))
    assert [line.number for line in read] == [1, None, 2, None, None]
    assert [line.numbered for line in read] == [True, False, True, False, False]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("VERDICT: APPROVE", "APPROVE"),
        ("verdict: approve", "approve"),
        ("**Verdict:** APPROVE", "APPROVE"),
        ("**Verdict: APPROVE**", "APPROVE"),
        ("### Verdict\n**Revised**", "Revised"),
        ("Verdict:\n\n\n> APPROVE", "APPROVE"),
        ("Verdict：APPROVE", "APPROVE"),
        ("Verdict = APPROVE", "APPROVE"),
        ("Verdict - APPROVE", "APPROVE"),
        ("Verdict — APPROVE", "APPROVE"),
        ("Verdict : APPROVE", "APPROVE"),
        ("1. Verdict: APPROVE", "APPROVE"),
        ("```\nVERDICT: APPROVE\n```", "APPROVE"),
        ("VERDICT: APPROVE\r\n", "APPROVE"),
        ("VERDICT: APPROVE\nOn reflection:\nVERDICT: REVISE", "REVISE"),
        ("VERDICT: REJECT\nVERDICT: [APPROVE|REVISE|REJECT]", "REJECT"),
        ("VERDICT: REJECT\nVERDICT: <APPROVE or REJECT>", "REJECT"),
        ("VERDICT: REJECT\nVERDICT: ...", "REJECT"),
        ("VERDICT: REJECT\nVERDICT:", "REJECT"),
        ("VERDICT: a: b = c", "a: b = c"),
    ],
)
def test_the_last_marker_with_a_value_is_found(text: str, value: str) -> None:
    found = marker(text, "VERDICT")
    assert found is not None
    assert found.value == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I say VERDICT: APPROVE",
        "VERDICTS: APPROVE",
        "VERDICT APPROVE",
        "VERDICT-APPROVE",
        "VERDICT:",
        "VERDICT: <verdict>",
        "VERDICT:\n\n",
        "OVERVERDICT: APPROVE",
    ],
)
def test_what_is_no_marker_or_has_no_value_is_not_found(text: str) -> None:
    assert marker(text, "VERDICT") is None


def test_some_markers_may_stand_in_the_middle_of_a_line() -> None:
    found = markers("First VOTE: Response A, no: VOTE: Response B.\nUNVOTE: x", "VOTE", anywhere=True)
    assert [one.value for one in found] == ["Response A, no:", "Response B."]


@pytest.mark.parametrize(
    "text", ["CONFIDENCE_REASONING: x", "Confidence reasoning: x", "confidence-reasoning = x"]
)
def test_a_blank_in_a_name_stands_for_underscore_and_hyphen_too(text: str) -> None:
    assert [one.value for one in markers(text, "CONFIDENCE REASONING")] == ["x"]
    assert markers(text, "CONFIDENCE") == []


def test_a_marker_may_have_several_names() -> None:
    text = "Depends on: task_1\nRequires: task_2\nDependencies: task_3"
    assert [one.value for one in markers(text, ("Dependencies", "Depends on", "Requires"))] == [
        "task_1",
        "task_2",
        "task_3",
    ]


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("REASONING: it uses `List<int>` and **bold** words", "it uses `List<int>` and **bold** words"),
        ("**REASONING:** 10⁶ at 12:30: fine", "10⁶ at 12:30: fine"),
        ("**REASONING: it is _so_**", "it is _so_"),
        ("- REASONING - well - yes", "well - yes"),
        ("REASONING：“ok”", "“ok”"),
        ("`REASONING:` ends in `code`", "ends in `code`"),
        ("REASONING:\n  see `x`…", "see `x`…"),
        ("_REASONING_: plain", "plain"),
    ],
)
def test_free_text_is_taken_as_it_was_written(text: str, raw: str) -> None:
    found = marker(text, "REASONING")
    assert found is not None
    assert found.raw == raw


@pytest.mark.parametrize(
    "value",
    ["<score>", "<score> | <one sentence>", "[A|B]", "[REVISE|STAND|MERGE]", "Response <letter>", "..."],
)
def test_what_the_prompt_printed_is_no_value(value: str) -> None:
    assert is_template(value)


@pytest.mark.parametrize(
    "value",
    [
        *["7", "uses List<int>", "[1, 3]", "[MINOR]", "a | b", "Response A", "wait ..."],
        *["<196>", "<0.74>", "< 45 % >", "<HIGH>", "<B>", "Response <B>", "<Response B>", "<STAND> because"],
    ],
)
def test_what_a_model_wrote_is_a_value(value: str) -> None:
    assert not is_template(value)


def test_words_shown_to_a_model_are_known_whatever_their_dress() -> None:
    shown = Shown(["Dear all,\n> **VOTE:**\n  Response  A!", "ﬁnal Straße"])
    assert "VOTE: Response A" in shown
    assert "vote response a" in shown
    assert "FINAL STRASSE" in shown
    assert "VOTE: Response" in shown
    assert "VOTE: Response AB" not in shown
    assert "OTE: Response A" not in shown
    assert "" not in shown
    assert shown.has_line("- response a")
    assert not shown.has_line("vote response a")


odd = st.text(st.sampled_from([*"aВ .‐ﬁ\u0301\u0327\u200b\u2066ß½İſK\n\u00a0\u1100\u1161e🇪"]), max_size=30)


@given(st.lists(st.one_of(odd, st.text(), st.just("plain words that are many enough")), max_size=8))
@example(["plain words that are many enough", "\u0301a", "e\u0301", "\u00a0\u0308"])
def test_a_text_is_folded_word_by_word_as_in_one_piece(pieces: list[str]) -> None:
    text = " ".join(pieces)
    assert parsing.fold(text) == parsing._folded(text)


def signatures_by_a_pattern(text: str, nonce: str) -> list[tuple[int, int]]:
    pattern = re.compile(
        rf"[\[({{<*_`\"'“]{{0,4}}(?:code[^\S\n]*[:=]?[^\S\n]*)?(?<!\w){nonce}(?!\w)[\])}}>*_`\"'”]{{0,4}}",
        re.IGNORECASE,
    )
    return [found.span() for found in pattern.finditer(text)]


signed = st.lists(
    st.sampled_from(
        [
            "k7f3",
            "K7F3",
            "[",
            "((",
            "]",
            ")*_",
            "code",
            "Code: ",
            " =",
            " ",
            "\t",
            "x",
            "_",
            "“",
            "”",
            "İ",
            "ß",
            "k7",
        ]
    ),
    max_size=12,
).map("".join)


@given(signed)
@example("k7f3k7f3 [k7f3]")
@example("İİ [Code: K7F3]* k7f3")
@example("((((((k7f3))))))")
def test_a_nonce_is_found_as_a_pattern_that_holds_it_would(text: str) -> None:
    assert list(parsing._signatures(text, "k7f3")) == signatures_by_a_pattern(text, "k7f3")


@given(st.text())
@example("```\n```")
@example("VOTE:\x85Response A")
def test_no_text_makes_a_parser_raise(text: str) -> None:
    for name in ("VOTE", ("FINAL RANKING", "a")):
        markers(text, name)
        marker(text, name, anywhere=True, shown=Shown([text]))
    assert len(lines(text)) == undressed(text).count("\n") + 1


decorations = st.sampled_from(["{}", "**{}**", "> {}", "- {}", "### {}", "`{}`", "1. {}", "_{}_", "  {}"])


@given(st.from_regex(r"[A-Z][a-z]{1,8}( [a-z]{1,8})?", fullmatch=True), decorations, st.text())
def test_a_decorated_marker_after_any_text_is_found(value: str, decoration: str, before: str) -> None:
    text = f"{before}\n{decoration.format(f'ZQ: {value}')}"
    if not before.strip().startswith("```"):
        found = marker(text, "ZQ")
        assert found is not None
        assert found.value == value


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Gold is Au.\n\nCONFI", "Gold is Au.\n"),
        ("Gold is Au.\n\n**CONFIDENCE_REA", "Gold is Au.\n"),
        ("Gold is Au.\nCONFIDENCE:", "Gold is Au."),
        ("Gold is Au.\n- CONFIDENCE", "Gold is Au.\n- CONFIDENCE"),
        ("Gold is Au.\nCO", "Gold is Au.\nCO"),
        ("Gold is Au, with CONFI", "Gold is Au, with CONFI"),
        ("Confidence", "Confidence"),
        ("", ""),
    ],
)
def test_a_label_in_which_a_reply_was_cut_off_is_part_of_no_text(text: str, left: str) -> None:
    labels = ("CONFIDENCE", "CONFIDENCE_REASONING")
    assert "\n".join(line.raw for line in without_cut_label(lines(text), labels)) == left
