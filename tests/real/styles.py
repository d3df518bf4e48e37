"""Ways in which models write a layout that is not quite the one they were shown.

A style changes how a reply looks and nothing of what it says. Larger models seldom leave a layout; they dress
it: bold labels, headings, a greeting before it, a fence around it, thoughts in front.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_LABEL = re.compile(r"^(?P<label>[A-Z][A-Za-z_ -]{1,40}?(?: (?:\d|[ABC]|\w+_\d|S\d\.\d))?):(?P<value>.*)$")
_HEADING = re.compile(r"^(#{1,6}) (.+)$")
_SHORT = re.compile(r"^[A-Z_ ]{2,15}$|^\d[\d.]*$|^Response [A-C]$")
_ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
GREETING = "Sure! Here is my reply in the layout that you asked for:\n\n"
CLOSING = "\n\nLet me know if you would like me to explain any of this in more detail!"
THOUGHTS = (
    "Okay, let me see. Perhaps VOTE: Response C? No. Severity: LOW would be too kind. The score is 1.\n"
)


def each_line(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "\n".join(map(change, text.split("\n")))


def labels(change: Callable[[str, str], str]) -> Callable[[str], str]:
    """Changes every line that is a label with its value."""

    def line(written: str) -> str:
        match = _LABEL.match(written)
        return change(match["label"], match["value"].strip()).rstrip() if match else written

    return each_line(line)


def values(change: Callable[[str], str]) -> Callable[[str], str]:
    """Changes every value that is a word, a number or a label."""
    return labels(lambda label, value: f"{label}: {change(value) if _SHORT.match(value) else value}")


def headings(change: Callable[[str, str], str]) -> Callable[[str], str]:
    """Changes every heading, and every label that stands alone on its line."""

    def line(written: str) -> str:
        match = _HEADING.match(written)
        if match:
            return change(match[1], match[2])
        alone = re.match(r"^([A-Z][A-Z_ ]+):?$", written)
        return change("##", alone[1]) if alone else written

    return each_line(line)


def in_fence(text: str, language: str = "") -> str:
    return f"```{language}\n{text}\n```"


def response_as(word: str) -> Callable[[str], str]:
    """The labels' own word in another language, where a label is the value."""
    return values(lambda value: value.replace("Response ", f"{word} "))


def numbers(change: Callable[[str], str]) -> Callable[[str], str]:
    """Changes every value that is a number."""
    return values(lambda value: change(value) if value[0].isdigit() else value)


def in_rows(text: str) -> str:
    """Labels with their values as the rows of a table; a run of them under one head."""
    written: list[str] = []
    for line in text.split("\n"):
        match = _LABEL.match(line)
        if match and match["value"].strip():
            is_first = not written or not written[-1].startswith("|")
            head = ["| Field | Value |", "| --- | --- |"] if is_first else []
            written += [*head, f"| {match['label']} | {match['value'].strip()} |"]
        else:
            written.append(line)
    return "\n".join(written)


def with_rules(text: str) -> str:
    return text.replace("\n\n", "\n\n---\n\n")


STYLES: Mapping[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "bold label": labels(lambda label, value: f"**{label}:** {value}"),
    "bold label, colon outside": labels(lambda label, value: f"**{label}**: {value}"),
    "bold line": labels(lambda label, value: f"**{label}: {value}**"),
    "label in italics": labels(lambda label, value: f"*{label}:* {value}"),
    "label in code": labels(lambda label, value: f"`{label}:` {value}"),
    "label as heading": labels(lambda label, value: f"### {label}: {value}"),
    "bold label as heading": labels(lambda label, value: f"### **{label}:** {value}"),
    "value below its heading": labels(lambda label, value: f"### {label}\n{value}"),
    "value below its bold label": labels(lambda label, value: f"**{label}:**\n{value}"),
    "bullet before label": labels(lambda label, value: f"- {label}: {value}"),
    "bullet before bold label": labels(lambda label, value: f"- **{label}:** {value}"),
    "star before bold label": labels(lambda label, value: f"* **{label}**: {value}"),
    "lower case label": labels(lambda label, value: f"{label.lower()}: {value}"),
    "title case label": labels(lambda label, value: f"{label.title()}: {value}"),
    "full-width colon": labels(lambda label, value: f"{label}：{value}"),
    "blank before colon": labels(lambda label, value: f"{label} : {value}"),
    "no-break space": labels(lambda label, value: f"{label}:\u00a0{value}"),
    "equals sign": labels(lambda label, value: f"{label} = {value}" if value else f"{label}:"),
    "dash": labels(lambda label, value: f"{label} – {value}" if value else f"{label}:"),
    "emoji before label": labels(lambda label, value: f"✅ {label}: {value}"),
    "emoji before bold label": labels(lambda label, value: f"🔍 **{label}:** {value}"),
    "label in HTML": labels(lambda label, value: f"<b>{label}:</b> {value}"),
    "bold value": values(lambda value: f"**{value}**"),
    "value in code": values(lambda value: f"`{value}`"),
    "value in quotation marks": values(lambda value: f"“{value}”"),
    "value in square brackets": values(lambda value: f"[{value}]"),
    "value in angle brackets": values(lambda value: f"<{value}>"),
    "value in a box": values(lambda value: rf"\boxed{{{value}}}"),
    "value with a full stop": values(lambda value: f"{value}."),
    "value with a remark": values(lambda value: f"{value} (see above)"),
    "value in full width": values(lambda value: value.translate(_WIDE)),
    "label in full width": labels(lambda label, value: f"{label.translate(_WIDE)}：{value}"),
    "decimal comma": numbers(lambda value: value.replace(".", ",")),
    "whole number with a decimal": numbers(lambda value: value if "." in value else f"{value}.0"),
    "Arabic digits": numbers(lambda value: value.translate(_ARABIC)),
    "Spanish value": response_as("Respuesta"),
    "Portuguese value": response_as("Resposta"),
    "Japanese value": response_as("回答"),
    "Russian value": response_as("Ответ"),
    "Arabic value": response_as("الإجابة"),
    "right to left": each_line(lambda line: f"\u200f{line}\u200f" if line else line),
    "bidirectional isolate": values(lambda value: f"\u2068{value}\u2069"),
    "rows of a table": in_rows,
    "bold heading": headings(lambda sign, title: f"{sign} **{title}**"),
    "heading in bold alone": headings(lambda sign, title: f"**{title}**"),
    "heading with a colon": headings(lambda sign, title: f"{sign} {title}:"),
    "heading with an emoji": headings(lambda sign, title: f"{sign} 🔍 {title}"),
    "numbered heading": headings(lambda sign, title: f"{sign} 1. {title}"),
    "heading of another level": headings(lambda sign, title: f"# {title}"),
    "heading in capitals": headings(lambda sign, title: f"{sign} {title.upper()}"),
    "heading without its sign": headings(lambda sign, title: f"{title.upper()}:"),
    "greeting": lambda text: GREETING + text,
    "closing": lambda text: text + CLOSING,
    "greeting and closing": lambda text: GREETING + text + CLOSING,
    "title": lambda text: f"# Final Answer\n\n{text}",
    "fence": in_fence,
    "fence with language": lambda text: in_fence(text, "markdown"),
    "greeting and fence": lambda text: GREETING + in_fence(text, "text"),
    "greeting, fence and closing": lambda text: GREETING + in_fence(text) + CLOSING,
    "thoughts": lambda text: f"<think>\n{THOUGHTS}</think>\n\n{text}",
    "thoughts without a beginning": lambda text: f"{THOUGHTS}</think>\n\n{text}",
    "thoughts, then fence": lambda text: f"<think>\n{THOUGHTS}</think>\n\n{in_fence(text)}",
    "answer tags": lambda text: f"<answer>\n{text}\n</answer>",
    "stop sign": lambda text: f"{text}<|im_end|>",
    "role sign": lambda text: f"<|im_start|>assistant\n{text}",
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "blank lines": lambda text: text.replace("\n", "\n\n"),
    "no blank lines": lambda text: re.sub(r"\n\n+", "\n", text),
    "hard breaks": each_line(lambda line: f"{line}  "),
    "indented": each_line(lambda line: f"  {line}"),
    "block quote": each_line(lambda line: f"> {line}"),
    "rules between parts": with_rules,
    "underscores escaped": lambda text: text.replace("_", r"\_"),
}
