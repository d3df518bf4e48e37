"""Figures in the docs, written by the command that measured them."""

from __future__ import annotations

from pathlib import Path


def rewrite(page: Path, name: str, text: str) -> None:
    """Put the text between the marks `<!-- name -->` and `<!-- /name -->` of a page."""
    before, mark, rest = page.read_text().partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- /{name} -->")
    assert end, f"{page} has no place for {name}"
    page.write_text(f"{before}{mark}{text}\n{end}{after}")
