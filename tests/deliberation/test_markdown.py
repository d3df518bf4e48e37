"""A CommonMark parser reads what we wrote: every quotation is one block, and nothing alive is in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from moot.deliberation.markdown import blockquote, plain
from tests.harness.pace import on_this_machine, used

MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
WORDS = """
    ` `` ``` ~~~ <b> <!-- --> </blockquote> <?php <![CDATA[ <script> <http://a.example> < ![x](y) ![ [a]:/b
    [a] [a](b) [!NOTE] ]:/z | |-|-| \\ &lt; --- === a text # > - * + 1. 10)
"""
BLANKS = ["\n", "\n\n", "\r", "\r\n", " ", "  ", "   ", "    ", "\t", "\x0b", "\u2028", "\u202e", "\x1b[31m"]
PIECES = [*WORDS.split(), *BLANKS, "> ", "- ", "1. ", "# ", "[a]: /b", "[x\n"]
texts = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=25).map("".join))


def every(tokens: list[Token]) -> list[Token]:
    return [inner for token in tokens for inner in (token, *every(token.children or []))]


@given(texts)
def test_a_quotation_is_one_block_without_raw_html_images_or_definitions(text: str) -> None:
    env: dict[str, object] = {}
    tokens = MARKDOWN.parse(f"{blockquote(text)}\n\nours [a]\n", env)
    outer = [token.type for token in tokens if token.level == 0]
    assert outer == ["blockquote_open", "blockquote_close", "paragraph_open", "paragraph_close"]
    assert not {"html_block", "html_inline", "image"} & {token.type for token in every(tokens)}
    assert not env.get("references")


@given(texts)
def test_a_plain_text_stays_plain_in_a_heading_and_in_a_list(text: str) -> None:
    tokens = MARKDOWN.parse(f"# {plain(text)}\n\n- {plain(text)}\n")
    allowed = {"text", "text_special", "inline", "heading_open", "heading_close"}
    lists = {"bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"}
    assert {token.type for token in every(tokens)} <= allowed | lists | {"paragraph_open", "paragraph_close"}
    assert sum(token.type == "bullet_list_open" for token in tokens) == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "> plain"),
        ("", ">"),
        ("a\n\nb", "> a\n>\n> b"),
        ("a < b and x<3", "> a < b and x<3"),
        ("a <b> c", "> a &lt;b> c"),
        ("`List<int>` is <b>", "> `List<int>` is &lt;b>"),
        ("```html\n<div>\n```\n<div>", "> ```html\n> <div>\n> ```\n> &lt;div>"),
        (
            "1. so:\n\n   ```html\n   <div>\n   ```\n<p>",
            "> 1. so:\n>\n>    ```html\n>    <div>\n>    ```\n> &lt;p>",
        ),
        ("  ```\ncode\n```\n<b>", ">   ```\n> code\n> ```\n> &lt;b>"),
        ("a ` b\n`<b>`", "> a ` b\n> `&lt;b>`"),
        ("| `x | <b> | y` |", "> | `x | &lt;b> | y` |"),
        ("\\`<b>`", "> \\`&lt;b>`"),
        ("[a link](https://a.example)", "> [a link](https://a.example)"),
        ("- [ ] a task", "> - [ ] a task"),
        ("[1]: https://a.example", "> &#91;1]: https://a.example"),
        ("[!WARNING]\nfree money", "> &#91;!WARNING]\n> free money"),
        ("see ![x](https://a.example/x.png)", "> see !&#91;x](https://a.example/x.png)"),
        ("red \x1b[31malert\x07", "> red [31malert"),
        ("one\rtwo\r\nthree", "> one\n> two\n> three"),
    ],
)
def test_only_what_is_alive_is_changed(text: str, shown: str) -> None:
    assert blockquote(text) == shown


@pytest.mark.parametrize("piece", ["`", "`a|", "- ", "<", "[", "![", "```\n", "  ~~~\n", "\\"])
def test_a_megabyte_is_quoted_in_a_moment(piece: str) -> None:
    with used() as work:
        blockquote(piece * (1_000_000 // len(piece)))
    assert work.seconds < on_this_machine(5)
