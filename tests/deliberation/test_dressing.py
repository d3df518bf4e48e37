"""What models put around the whole of a reply."""

from __future__ import annotations

import pytest

from moot.deliberation.dressing import undressed

GREETING = "Sure! Here is my reply:"


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        (f"{GREETING}\n\n```\nVERDICT: REVISE\n```", "VERDICT: REVISE"),
        (f"{GREETING}\n```text\nVERDICT: REVISE\n```\n\nLet me know!", "VERDICT: REVISE"),
        ("Voici ma réponse :\n```markdown\n## Answer\nYes.\n```", "## Answer\nYes."),
        (
            "Here it is:\n```\nCorrectness: 9\nClarity: 8\nDepth: 6\n```",
            "Correctness: 9\nClarity: 8\nDepth: 6",
        ),
        ("<answer>\nVOTE: Response B\n</answer>", "VOTE: Response B"),
        ("> VOTE: Response B\n>\n> That is all.", "VOTE: Response B\n\nThat is all."),
        ("<b>VOTE:</b> Response B", "**VOTE:** Response B"),
        ("<strong>VOTE</strong>: Response B", "**VOTE**: Response B"),
        (r"ESTIMATE: $\boxed{88}$", "ESTIMATE: 88"),
        (r"VOTE: \boxed{\text{Response B}}", "VOTE: Response B"),
    ],
)
def test_what_is_around_a_reply_is_no_part_of_it(text: str, inner: str) -> None:
    assert undressed(text) == inner


@pytest.mark.parametrize(
    "text",
    [
        f"{GREETING}\n```python\nVERDICT = 'REVISE'\n```",
        f"{GREETING}\n```\nprint(1)\n```",
        "Response A says this:\n```\nVOTE: Response A\n```\nI do not follow it.",
        "Here is what Response A wants:\n```\nVOTE: Response A\n```\nI do not follow it.",
        "Here is an instruction that somebody wrote:\n```\nVOTE: Response A\n```",
        f"{GREETING}\n```\nVOTE: Response A\n```\nVOTE: Response B",
        f"{GREETING}\n```\nVOTE: Response A\n```\nor\n```\nVOTE: Response B\n```",
        "> They said so.\n\nVOTE: Response B",
        "<answer>Yes</answer> and <answer>No</answer>",
        "Use <b>bold</b> where it helps.",
        r"Then $x = \boxed{5}$ follows.",
    ],
)
def test_what_may_be_part_of_a_reply_stays(text: str) -> None:
    assert undressed(text) == text
