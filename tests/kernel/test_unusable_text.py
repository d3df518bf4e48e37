"""What is no text is known as none, and nothing that may be meant is taken for it."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import moot
from moot.kernel.fences import NOTICE, Foreign, fill, nonces_of, without_fences, without_nonces
from moot.kernel.unusable_text import why_unusable, without_instructions_at_end
from moot.kernel.values import Message
from moot.testing import Received, Reply
from tests.harness.chamber import Chamber
from tests.real.corpus import Specimen, specimens

HISTORY = "The history of Python was a great example of how one language can create multiple languages."
INSTRUCTIONS = """\
Prepare a question for a panel that will answer it in several anonymous rounds. Do not answer it.
QUESTION
{question}
NUMERIC means the answer is one number: an amount, share, duration, date or rate.
Reply with these lines only:
TYPE: <NUMERIC or QUALITATIVE>
UNIT: <unit every panelist must use>"""
PROMPT = fill(INSTRUCTIONS, "seed", question=Foreign("How many countries are there?"))
WHAT = {"cut": "length", "ended": "stop"}


def asked(content: str) -> tuple[Message, ...]:
    return (Message(role="user", content=content),)


@pytest.mark.parametrize(
    ("text", "finish", "wrong"),
    [
        ("<" * 700, "length", "one character"),
        ("<" * 350, "stop", "one character"),
        ("Well: " + "." * 500, "stop", "one character"),
        (f"It began well.\n\n{HISTORY} " + f"{HISTORY} " * 9, "length", "the same words"),
        (f"{HISTORY}\n" * 30, "stop", "the same words"),
        ("the " * 300, "length", "the same words"),
        ("I don't know. " * 60, "stop", "the same words"),
        ("今日はいい天気です。" * 60, "length", "the same words"),
        ("ha" * 400, None, "the same words"),
        ("```\n```", "stop", "only fences"),
        ("```markdown\n\n```", "stop", "only fences"),
        (">\n>\n", "stop", "only fences"),
    ],
)
def test_what_says_nothing_is_no_text(text: str, finish: str | None, wrong: str) -> None:
    assert (why_unusable(text, asked("Why?"), finish) or "").startswith(wrong)


@pytest.mark.parametrize("written", ["It is not {}. Instead, it is {}. It is {}.", "The capital is {}."])
def test_a_text_that_takes_the_fences_for_words_is_none(written: str) -> None:
    """As real ones did, in capitals too."""
    nonce = nonces_of(PROMPT)[0]
    for said in (nonce, nonce.capitalize(), nonce.upper()):
        text = written.replace("{}", said)
        assert "marks" in (why_unusable(text, asked(PROMPT), "stop") or "")
        assert why_unusable(text, asked("Why?"), "stop") is None
    aside = f"{HISTORY} {HISTORY} As the text at {nonce} says, that is so."
    assert why_unusable(aside, asked(PROMPT), "stop") is None


REFRAIN = "\n".join(
    f"{verse}\nOh, the wind and the rain,\nfor the rain it raineth every day."
    for verse in (
        "When that I was and a little tiny boy,",
        "But when I came to man's estate,",
        "But when I came, alas, to wive,",
        "But when I came unto my beds,",
        "A great while ago the world begun,",
    )
)
SAME_OF_EACH = "\n".join(
    f"### Response {letter}\n- **Accuracy**: This response is correct and says so.\n- **Completeness**: It has "
    "all that was wanted.\n- **Clarity**: The response is clear and direct."
    for letter in "ABCDEF"
)


@pytest.mark.parametrize("finish", ["stop", "length", None])
@pytest.mark.parametrize(
    "text",
    [
        "42",
        "…",
        "👍",
        "-" * 80,
        "VOTE: Response A",
        REFRAIN,
        SAME_OF_EACH,
        "\n".join(["+" + "-" * 60 + "+", *["|" + " " * 60 + "|"] * 20, "+" + "-" * 60 + "+"]),
        "\n".join("*" * width for width in range(1, 40)),
        "| a | b |\n|---|---|\n" + "| yes | yes |\n" * 40,
        "[" + ", ".join(["0"] * 400) + "]",
        "\n".join(f"INSERT INTO t VALUES ({n}, 'name {n}');" for n in range(60)),
        "\n".join(
            f"{n} bottles of beer on the wall. Take one down, pass it around." for n in range(99, 60, -1)
        ),
        "def f(x):\n    if x is None:\n        return None\n" * 3 + "print(f(1))",
        "Ja. " * 20,
        "Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo.",
    ],
)
def test_what_may_be_meant_is_text(text: str, finish: str | None) -> None:
    assert why_unusable(text, asked("Why?"), finish) is None


def test_a_loop_that_the_question_asks_for_is_an_answer() -> None:
    lines = "I must not talk in class.\n" * 100
    assert why_unusable(lines, asked('Write "I must not talk in class" a hundred times.'), "stop") is None
    assert why_unusable(lines, asked("What is a loop?"), "stop") is not None


def test_the_instructions_sent_back_are_no_reply() -> None:
    told = PROMPT.split("QUESTION", 1)[0] + PROMPT.split(">>>\n")[-1]
    assert why_unusable(told, asked(PROMPT), "stop") == "only its own instructions"
    assert why_unusable(PROMPT, asked(PROMPT), "stop") == "only its own instructions"
    filled = "TYPE: NUMERIC\nUNIT: countries"
    assert why_unusable(filled, asked(PROMPT), "stop") is None
    assert why_unusable(f"{told}\n{filled}\n" + "The panel may well answer this. " * 9, asked(PROMPT)) is None


def test_nor_are_they_without_the_fences_that_are_taken_off_on_their_way() -> None:
    prompt = fill(
        "Answer fully and precisely. State facts plainly, each in a sentence of its own.\n\nQUESTION\n{question}",
        "seed",
        question=Foreign(
            "Should a small team move its web shop to microservices?\n\nIt was founded in 2012."
        ),
    )
    bare = without_fences(prompt, asked(prompt))
    assert bare != prompt
    assert why_unusable(bare, asked(prompt), "stop") == "only its own instructions"


def test_a_text_that_repeats_the_material_is_a_reply() -> None:
    """Whoever revises may find nothing to change."""
    work = "\n".join(f"Sentence {n} of the work stands as it is, for good reason." for n in range(12))
    prompt = fill(
        "Improve this work and send it back whole.\n{work}\nNothing around it.", "s", work=Foreign(work)
    )
    assert why_unusable(work, asked(prompt), "stop") is None


@pytest.mark.parametrize(
    "specimen", [one for one in specimens() if one.kind == "text"], ids=lambda one: one.id
)
def test_real_free_texts_are_told_from_loops(specimen: Specimen) -> None:
    assert ({"usable": why_unusable(specimen.text, (), specimen.finish) is None},) == specimen.truths


@pytest.mark.parametrize("name", ["debate/revision/9", "debate/vote/12", "debate/revision/34", "vote/vote/5"])
def test_real_loops_are_known(name: str) -> None:
    specimen = next(one for one in specimens() if one.id == name)
    assert why_unusable(specimen.text, (), specimen.finish)


async def test_a_loop_is_a_failed_call_and_never_material() -> None:
    loop = next(one.text for one in specimens() if one.id == "debate/revision/34")

    def ballot(received: Received) -> str:
        return "VOTE: Response A" if "VOTE" in received.prompt else f"Tabs, says {received.model}."

    async with Chamber(
        {"a/ann": ballot, "b/bob": ballot, "c/cyd": Reply(loop, finish_reason="length")}
    ) as room:
        held = await room.deliberate("vote", councilModels=["a/ann", "b/bob", "c/cyd"], chairmanModel="a/ann")
    failed = held.data("model_failed")
    assert (failed["model"], failed["kind"]) == ("c/cyd", "unreadable")
    assert failed["reason"] == "c/cyd sent no usable text: one character over and over (<<<<…)."
    assert not any("<<<<<<" in request.prompt for request in held.requests)
    assert held.record.status == "degraded"


async def test_fences_reach_neither_the_answer_nor_the_next_prompt() -> None:
    def echo(received: Received) -> str:
        return (
            f"<<<{nonce[1]}\nVOTE: Response A\n{nonce[1]}>>>"
            if (nonce := FENCE.search(received.prompt))
            else "Tabs."
        )

    async with Chamber({"a/ann": echo, "b/bob": echo, "c/cyd": echo}) as room:
        held = await room.deliberate("vote", councilModels=["a/ann", "b/bob", "c/cyd"], chairmanModel="a/ann")
    assert [vote["voteText"].strip() for vote in held.data("vote_round_complete")["votes"]] == [
        "VOTE: Response A"
    ] * 3


FENCE = re.compile(r"<<<([0-9a-f]{8})")


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("It is so.\n\nIf the panel did not converge, say so in the first sentence.\n", "It is so."),
        (
            "It is so.\nWrite Markdown with exactly these headings below it:\n"
            "If the panel did not converge, say so in the first sentence.",
            "It is so.",
        ),
        ("GAP: nothing.\nClose with the line: END OF CROSS-REVIEW", "GAP: nothing."),
        ("If the panel did not converge, say so in the first sentence.", None),
        ("If the panel did not converge, say so in the first sentence.\nIt did.", None),
        ("It is so.\n### Final Consensus", None),
        ("It is so.\nThe words of the question stand behind a fence of their own.", None),
    ],
)
def test_a_text_does_not_end_with_its_instructions(text: str, rest: str | None) -> None:
    """A Delphi report of a real model ended with the last sentence of its prompt."""
    prompt = fill(
        "{question}\nWrite Markdown with exactly these headings below it:\n### Final Consensus\n"
        "Close with the line: END OF CROSS-REVIEW\n"
        "If the panel did not converge, say so in the first sentence.",
        "seed",
        question=Foreign("The words of the question stand behind a fence of their own."),
    )
    messages = [Message(role="user", content=prompt)]
    assert without_instructions_at_end(text, messages) == (text if rest is None else rest)
    question = [Message(role="user", content=text)]
    assert without_instructions_at_end(text, question) == text


SOURCES = sorted(Path(moot.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("place", range(0, len(SOURCES), 9))
def test_no_source_of_ours_is_a_loop(place: int) -> None:
    assert why_unusable(SOURCES[place].read_text(), (), "length") is None


def words(dice: random.Random, count: int) -> str:
    stock = ["".join(dice.choices("abcdefghijklmnop", k=dice.randint(2, 9))) for _ in range(80)]
    return " ".join(dice.choice(stock) + ("." if place % 9 == 8 else "") for place in range(count))


def test_no_prose_of_a_small_vocabulary_is_a_loop(dice: random.Random) -> None:
    for _ in range(300):
        text = words(dice, dice.randint(20, 600))
        assert why_unusable(text, (), dice.choice(["stop", "length"])) is None, text


@given(st.text(max_size=99))
def test_a_short_text_is_text_unless_it_is_marks_alone(text: str) -> None:
    assert why_unusable(text) is None or not set(text) - set("`~>") - {
        sign for sign in text if sign.isspace()
    }


@given(st.text(alphabet="ab <>\n`.", max_size=400), st.sampled_from(["stop", "length", None]))
def test_no_text_makes_it_raise(text: str, finish: str | None) -> None:
    assert why_unusable(text, asked(PROMPT), finish) in (None, why_unusable(text, asked(PROMPT), finish))


def test_a_long_text_takes_no_longer_than_reading_it() -> None:
    assert why_unusable("x" * 2_000_000, (), "length")
    assert why_unusable("ab" * 1_000_000, (), "length")


NONCE = PROMPT.split("<<<", 1)[1][:8]
MISCOPIED = NONCE[:6] + ("0" if NONCE[6] != "0" else "1") + NONCE[7]
SHOWN = "5afe5afe"


@pytest.mark.parametrize(
    ("reply", "bare"),
    [
        (f"<<<{NONCE}\nCanberra.\n{NONCE}>>>", "Canberra."),
        (f"{NONCE}\nCanberra.", "Canberra."),
        (f'The response "<<<{NONCE}\n44\n{NONCE}>>>" is right.', 'The response "44" is right.'),
        (f"VOTE: A\n  <<<{NONCE}\nsaid so\n{NONCE}>>>\nDone.", "VOTE: A\nsaid so\nDone."),
        (f"BEGIN-{NONCE}\nThe text.\nEND-{NONCE}", f"BEGIN-{NONCE}\nThe text.\nEND-{NONCE}"),
        (f"<<< {NONCE}\nCanberra.\n{NONCE} >>>", "Canberra."),
        (f"For example:\n<<<<< {NONCE}\nCanberra.", "For example:\nCanberra."),
        (f"<<<{NONCE.upper()}\nCanberra.\n{NONCE.upper()}>>>", "Canberra."),
        (f"**<<<{NONCE}**\nCanberra.\n`{NONCE}>>>`", "Canberra."),
        (f"{NONCE}>>>\nCanberra.\n<<<{NONCE}", "Canberra."),
        (f">>>{NONCE}\nCanberra.\n{NONCE}<<<", "Canberra."),
        (f"&lt;&lt;&lt;{NONCE}\nCanberra.\n{NONCE}&gt;&gt;&gt;", "Canberra."),
        (f"[{NONCE}]\nCanberra.", "Canberra."),
        (f"<<<{NONCE[:5]}\nCanberra.\n{NONCE[3:]}>>>", "Canberra."),
        (f"<<<{MISCOPIED} Canberra. {MISCOPIED}>>>", "Canberra."),
        (f"It is <<<{NONCE[1:6]} Canberra {NONCE[1:6]}>>>.", "It is Canberra."),
        (f"Canberra.\n<<<{NONCE[:3]}", "Canberra."),
        (f"Canberra. <<<{NONCE[:3]}", "Canberra."),
        ("Canberra. <<<", "Canberra."),
        ("<<<0badcafe\nmade up\n0badcafe>>>", "made up"),
        (NOTICE.format(nonce=NONCE) + "\n\nCanberra.", "Canberra."),
        (f"```<<<{NONCE}\ncode\n```", "```code\n```"),
        (f"<<<{SHOWN}\nwhat the question asks about\n{SHOWN}>>>",) * 2,
        *((text, text) for text in ("a <<< b >>> c", "1 << 32", "x >>= 2", "cat <<EOF", "<<<<<<< HEAD")),
        *(
            (text, text)
            for text in (">>>>>>> 4f2a9c1 (Fix it)", ">>> print(1234)", "cat <<< 4711", "`a>>>0`")
        ),
    ],
)
def test_the_prompts_fences_are_taken_out_of_a_reply(reply: str, bare: str) -> None:
    assert without_fences(reply, asked(f"{PROMPT}\nIs <<<{SHOWN} or {SHOWN}>>> a fence?")) == bare


@pytest.mark.parametrize(
    ("reply", "bare"),
    [
        (f"As {NONCE} says, it is Canberra.", "As says, it is Canberra."),
        (f"As {NONCE.upper()} says, it is Canberra.", "As says, it is Canberra."),
        (f"Response {NONCE[:6]} is Canberra.", "Response is Canberra."),
        (f"NOTE: NONE\nBEGIN-{NONCE}\nText.\nEND-{NONCE}",) * 2,
        ("The file 0badcafe has 123456 lines.",) * 2,
    ],
)
def test_no_reader_meets_a_nonce_in_a_sentence(reply: str, bare: str) -> None:
    assert without_nonces(reply, asked(PROMPT)) == bare
