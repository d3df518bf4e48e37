"""What a fact_check asks of its models."""

from __future__ import annotations

GENERATE_PROMPT = """\
Answer the question fully and precisely. State checkable facts (names, dates, figures, causes) plainly, each in its own sentence where possible. Do not pad, do not hedge what you know, and leave out what you do not know.

QUESTION
{question}"""
