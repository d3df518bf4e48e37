"""Signs of a chat template that a server leaves in a reply."""

from __future__ import annotations

import pytest

from moot.kernel.template_signs import Said, said_in


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Spaces.", Said("Spaces.")),
        ("Spaces.<|im_end|>", Said("Spaces.")),
        ("Spaces.</s>\n", Said("Spaces.")),
        ("Spaces.<|eot_id|><|end_of_text|>", Said("Spaces.")),
        ("<|im_start|>assistant\nSpaces.", Said("Spaces.")),
        ("<|start_header_id|>assistant<|end_header_id|>\n\nSpaces.", Said("Spaces.")),
        ("Spaces.<|im_end|>\n<|im_start|>user\nWhy?<|im_end|>", Said("Spaces.")),
        ("Tabs are wider.\n</think>\n\nSpaces.", Said("Spaces.", "Tabs are wider.")),
        ("Tabs are wider.</think>\nSpaces.", Said("Spaces.", "Tabs are wider.")),
        ("[THINK]Tabs are wider.[/THINK]Spaces.", Said("Spaces.", "Tabs are wider.")),
        ("<thinking>\nTabs are wider.\n</thinking>\n\nSpaces.", Said("Spaces.", "Tabs are wider.")),
        (
            "<|channel|>analysis<|message|>Tabs?<|end|><|start|>assistant<|channel|>final<|message|>Spaces.<|return|>",
            Said(
                "Spaces.",
                "<|channel|>analysis<|message|>Tabs?<|end|><|start|>assistant<|channel|>final<|message|>",
            ),
        ),
    ],
)
def test_what_a_template_adds_is_no_part_of_the_answer(text: str, said: Said) -> None:
    assert said_in(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "Models end their thoughts with </think> and go on.",
        "The sign `</think>`\nends the thoughts.",
        "<think>\nTabs\n</think>\n\nSpaces.",
        "It ends so:\n```\nthoughts\n</think>\n\nanswer\n```",
        "ChatML writes <|im_start|>user and <|im_end|> around a turn.",
        "<|im_end|>",
        "Only thoughts.\n</think>\n",
        "[THINK]They never end.",
        "a </s> b",
    ],
)
def test_signs_that_somebody_wrote_stay(text: str) -> None:
    assert said_in(text) == Said(text)
