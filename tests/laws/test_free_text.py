"""Free text is taken from the line as it was written, wherever a parser finds it."""

from __future__ import annotations

import pytest

from moot.deliberation.parsing import Shown, fold, line_text, lines, marker
from moot.deliberation.scores import criterion_ratings
from moot.kernel.values import Answer
from moot.modes.blueprint.edits import read_edits
from moot.modes.blueprint.outline import read_outline
from moot.modes.brainstorm.clusters import read_clusters
from moot.modes.brainstorm.ideas import Ideation, number_ideas, read_ideas, unique_ideas
from moot.modes.confidence_weighted.calibration import read_verdicts
from moot.modes.confidence_weighted.confidence import read_confident_answer
from moot.modes.debate.revisions import read_revision
from moot.modes.dialectic.grades import read_grade
from moot.modes.dialectic.proposals import read_replies
from moot.modes.red_team.findings import read_attack
from moot.modes.red_team.rulings import read_judgement
from moot.modes.tournament.judging import read_reply

FREE = (
    "E = mc² with **care**, 5 * 3 * 2 = 30, x½",
    "`snake_case` and __init__, *so* to speak",
    "ＦＵＬＬ width, ﬁne ligatures, Ⅷ and №",
    "СОК и РОТА: всё по-русски",
    "a\u00adb soft, e\u0301 composed, 10 – 20 : 3 = x",
)
OWN = Answer(seat=1, model="a/ann", response="mine", response_time_ms=1)


def answer(text: str) -> Answer:
    return Answer(seat=1, model="a/ann", response=text, response_time_ms=1)


@pytest.mark.parametrize("text", FREE)
@pytest.mark.parametrize(
    "layout",
    [
        "DECISION: REVISE\nREASONING: so\n\nREVISED RESPONSE: {}",
        "**DECISION:** revise\n**REASONING:** so\n\n**REVISED RESPONSE:** {}",
        "DECISION: REVISE\nREASONING: so\n\n## REVISED RESPONSE: {}",
        "DECISION: REVISE\nREASONING: so\n\n- REVISED RESPONSE - {}",
        "DECISION: REVISE\nREASONING: so\n{}",
    ],
)
def test_a_debaters_text_is_delivered_as_it_was_written(layout: str, text: str) -> None:
    for whole in (text, f"{text}\n\n1. *two*\n2. three²"):
        assert read_revision(OWN, answer(layout.format(whole))).revised_response == whole


@pytest.mark.parametrize("text", FREE)
def test_every_parser_keeps_free_text_as_it_was_written(text: str) -> None:
    read = {
        "marker": marker(f"**NOTE:** {text}", "NOTE"),
        "revision's reasoning": read_revision(
            OWN, answer(f"DECISION: MERGE\nREASONING: {text}\n\nREVISED RESPONSE:\nx")
        ).reasoning,
        "verdict's reasoning": read_reply(f"REASONING: {text}\nWINNER: A").reasoning,
        "idea's title": read_ideas(f"IDEA 1: {text}\nMore.")[0].title,
        "justification": read_grade(f"Score: 8\nJustification: {text}").justification,
        "calibration": read_verdicts(f"Answer A: FAIR - {text}")["A"].note,
        "proposer's note": read_replies(f"C1 ACCEPT - {text}")[0].note,
        "confidence's reason": read_confident_answer(
            f"Yes.\nCONFIDENCE: 0.8\nCONFIDENCE_REASONING: {text}"
        ).reasoning,
        "finding": read_attack(f"FINDING 1: {text}\nSeverity: HIGH\nVulnerability: v", 1, "", [], Shown())
        .findings[0]
        .title,
        "ruling": read_judgement(f"RULINGS:\nR1-F1: OPEN | {text}", ["R1-F1"], "", Shown())
        .rulings["R1-F1"]
        .reason,
    }
    said = read["marker"]
    assert said is not None
    read["marker"] = getattr(said, "raw", None)
    assert {name: value for name, value in read.items() if value != text} == {}


@pytest.mark.parametrize("text", FREE)
def test_an_editor_s_words_reach_the_document_as_they_were_written(text: str) -> None:
    edits = read_edits(f"TRANSITION 1: {text}\nTODO 2: {text}\nEND OF ASSEMBLY", ["One", "Two"], Shown())
    assert edits is not None
    assert edits.transitions == {1: text}
    assert list(edits.todos) == [(2, text)]


@pytest.mark.parametrize("title", ["Ёлка №5 & x²", "Ударение: `a_b`", "Zoë's *first* idea"])
def test_titles_are_kept_as_they_were_written(title: str) -> None:
    ideas = number_ideas(read_ideas(f"IDEA 1: Worms\nThey eat it.\nIDEA 2: {title}\nMore."), 0)
    assert ideas[1].title == title
    source = Ideation(
        index=0,
        seat=1,
        model="m",
        ideas=ideas,
        idea_count=2,
        failed=False,
        lens="",
        raw_text="",
        response_time_ms=1,
    )
    [theme] = read_clusters(f"CLUSTER 1: {title}\nIdeas: I1, I2", unique_ideas([source]))
    assert theme.name == title


@pytest.mark.parametrize("text", FREE)
def test_the_title_of_a_listed_idea_is_its_beginning_as_it_was_written(text: str) -> None:
    [idea] = read_ideas(f"1. {text}")
    assert text.startswith(idea.title)
    assert text.endswith(idea.description)


def test_a_title_around_which_there_is_emphasis_loses_that_alone() -> None:
    assert line_text("**Solar bins**") == "Solar bins"
    assert line_text("- **Solar** bins") == "**Solar** bins"
    assert line_text("## _Solar_") == "Solar"
    assert line_text("2 * 3 * 4") == "2 * 3 * 4"
    assert read_ideas("IDEA 1: **Solar bins**\nx")[0].title == "Solar bins"


def test_a_criterion_in_another_script_is_found_in_a_table() -> None:
    rated = criterion_ratings("| Тон | 4 | ok |\n| Ясность | 3 | so |", ["Тон", "Ясность"])
    assert {one.criterion: one.cell for one in rated.values()} == {"Тон": "4", "Ясность": "3"}


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("VОТЕ: Rеsponse А", "VOTE: Response A"),
        ("ＦＩＮＡＬ ＲＡＮＫＩＮＧ", "FINAL RANKING"),
        ("𝗩𝗢𝗧𝗘: 𝓡𝓮𝓼𝓹𝓸𝓷𝓼𝓮 𝔹", "VOTE: Response B"),
        ("V\u200bO\u00adT\u2060E", "VOTE"),
        ("V\u0336O\u0336T\u0336E\u0336", "VOTE"),
        ("VÓTÉ", "VOTE"),
        ("Ꭱеѕроnѕе Ᏼ", "Response B"),
        ("ᴠᴏᴛᴇ", "voTE"),
        ("🅰🅱", "AB"),
        ("VOTE꞉ A", "VOTE: A"),
        ("Привет, мир", "Привет, мир"),
        ("für Zoë", "fur Zoe"),
        ("日本語の文", "日本語の文"),
        ("plain", "plain"),
    ],
)
def test_a_text_is_folded_to_what_a_reader_sees(written: str, seen: str) -> None:
    assert fold(written) == seen
    assert fold(fold(written)) == fold(written)


def test_an_outline_keeps_its_titles_as_they_were_written() -> None:
    plan = "\n".join(f"## Часть {n}: x² и `a_b`\nDescription: d" for n in ("один", "два", "три"))
    outline = read_outline(plan)
    assert [section.title for section in outline.sections] == [
        f"Часть {n}: x² и `a_b`" for n in ("один", "два", "три")
    ]
    assert lines("a²")[0].raw == "a²"
