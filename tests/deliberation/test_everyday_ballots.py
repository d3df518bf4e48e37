"""Ballots as models write them day by day: all of them are read, or told as lost; none is misread."""

from __future__ import annotations

import pytest

from moot.deliberation.ballots import cast_vote
from moot.deliberation.choices import UNREAD, Choice
from moot.modes.council.rankings import read_ranking

DEALT = ("Response A", "Response B", "Response C")

VOTES = (
    "VOTE: Response B",
    "VOTE: Response B.",
    "VOTE: Response B!",
    "VOTE: B",
    "VOTE: B.",
    "VOTE: b",
    "VOTE: (B)",
    "VOTE: [B]",
    "VOTE: **B**",
    "VOTE: `B`",
    'VOTE: "B"',
    "VOTE: “Response B”",
    "VOTE: <Response B>",
    "VOTE: Response (B)",
    "VOTE: Response **B**",
    "VOTE: Response: B",
    "VOTE: Response-B",
    "VOTE: Response_B",
    "VOTE: ResponseB",
    "VOTE: RESPONSE B",
    "VOTE: response b",
    "VOTE: Answer B",
    "VOTE: Option B",
    "VOTE: Candidate B",
    "VOTE: The Response B",
    "VOTE: for Response B",
    "VOTE: I vote for Response B",
    "VOTE: I choose B.",
    "VOTE: My choice is Response B",
    "VOTE: B because it is right.",
    "VOTE: B - it is right",
    "VOTE: B, since it is complete",
    "VOTE: B (complete and short)",
    "VOTE: B: complete and short",
    "VOTE: B is the most accurate",
    "VOTE: B for its clarity",
    "VOTE: Response B because Response A is wrong",
    "VOTE: Response B (narrowly ahead of Response A)",
    "VOTE: Response B over Response A",
    "VOTE: Response B, not Response C",
    "VOTE: Response B - clearer than Response C",
    "VOTE: Response B > Response A",
    "VOTE: 🅱️",
    "VOTE:  Response  B  ",
    "VOTE:Response B",
    "VOTE : Response B",
    "VOTE = Response B",
    "VOTE - Response B",
    "VOTE – Response B",
    "VOTE -> Response B",
    "VOTE → B",
    "VOTE Response B",
    "VOTE is Response B",
    "VOTE FOR: Response B",
    "Vote for Response B",
    "VOTED FOR: Response B",
    "My vote: Response B",
    "My vote is Response B.",
    "My vote goes to Response B.",
    "My final vote: B",
    "FINAL VOTE: Response B",
    "**VOTE:** Response B",
    "**VOTE: Response B**",
    "***VOTE: Response B***",
    "__VOTE: Response B__",
    "### VOTE: Response B",
    "# Vote\n\nResponse B",
    "## My vote\n**B**",
    "VOTE:\nResponse B",
    "VOTE:\n\n**Response B**",
    "> VOTE: Response B",
    "- VOTE: Response B",
    "1. VOTE: Response B",
    "`VOTE: Response B`",
    "```\nVOTE: Response B\n```",
    "```text\nVOTE: B\n```\nThank you.",
    "| VOTE: Response B |",
    "| Vote | Response B |",
    "| **VOTE** | B | it is right |",
    "ＶＯＴＥ：Ｒｅｓｐｏｎｓｅ　Ｂ",
    "VОТЕ: Rеsponse В",
    "V\u200bOTE: Res\u00adponse B",
    "𝐕𝐎𝐓𝐄: 𝐑𝐞𝐬𝐩𝐨𝐧𝐬𝐞 𝐁",
    "V\u0336O\u0336T\u0336E\u0336: Response B",
    '{"vote": "B"}',
    '{"vote": "Response B"}',
    '{"reasoning": "Response A is wrong.", "vote": "Response B"}',
    '```json\n{"vote": "B", "reason": "right"}\n```',
    "{'vote': 'B'}",
    '{"vote": {"response": "B", "confidence": 0.8}}',
    '{"winner": "Response B"}',
    "I vote for Response B.",
    "I'd vote for Response B because Response A is long.",
    "I therefore choose Response B over Response A.",
    "I cast my vote for Response B.",
    "The best response is Response B.",
    "The best answer overall is B.",
    "Response B is the best response.",
    "Response B is clearly the best of the three, ahead of Response A.",
    "Response B wins. Response A comes second.",
    "Response B gets my vote; Response C does not.",
    "VOTE: Response B\n\nResponse A was close.",
    "VOTE: B\n\nReasoning:\nResponse C is wrong, and Response A is thin.",
    "VOTE: Response A. No, wait.\nVOTE: Response B",
    "Format: VOTE: Response X\nVOTE: Response B",
    "VOTE: Response B\nVOTE: Response [A|B|C]",
    "I was torn between A and C. In the end:\n\nVOTE: Response B",
    "A vote: a hard thing to give.\n\nVOTE: Response B",
)

NO_VOTES = (
    "VOTE: whichever",
    "VOTE: it depends",
    "VOTE: A or B",
    "VOTE: Response A or Response B",
    "VOTE: Response A and Response B",
    "VOTE: A/B",
    "VOTE: A, B",
    "VOTE: both",
    "VOTE: tie between Response A and Response B",
    "VOTE: A hard choice, all are fine",
    "VOTE: not Response A",
    "VOTE: anything but B",
    "VOTE: Response A is not good enough",
    "VOTE: I think all of them are fine",
    "VOTE: Responsible people choose well",
    "VOTE: Response X",
    "VOTE: <letter>",
    "VOTE: 2",
    "VOTE: C++ is what it should say",
    "VOTE: no response is perfect, but B comes close",
    "VOTE: neither is right, though Response B is nearer",
    "VOTE: none other than the second",
    "VOTE: whichever\nI mean Response B",
    "VOTE: see above. Response C is fine.",
    "Give that response a chance.",
    "This is the single best response I can provide.",
    "The response a reader would like is hard to name.",
    "GIVE THAT RESPONSE A CHANCE",
    "Your vote is the single best response I can provide to this question.",
    "They are all fine.",
    "",
)

ABSTENTIONS = (
    "VOTE: abstain",
    "VOTE: ABSTAIN",
    "VOTE: I abstain.",
    "VOTE: Abstention",
    "VOTE: none",
    "VOTE: None of them",
    "VOTE: none of the above",
    "VOTE: neither",
    "VOTE: N/A",
    "VOTE: no vote",
    "**VOTE:** *none*",
    "VOTE: Response A\nNo, that is wrong too.\nVOTE: none",
    '{"vote": null}',
    '{"vote": "none"}',
    "I abstain.",
    "I must abstain: all three are wrong.",
)


def context(stated: str) -> str:
    return f"Response A is long. Response C is wrong.\n\n{stated}\n"


@pytest.mark.parametrize("stated", VOTES)
def test_a_vote_in_an_everyday_format_is_read(stated: str) -> None:
    for reply in (stated, context(stated), context(stated).replace("\n", "\r\n")):
        assert cast_vote(reply, DEALT).meaning == "Response B", reply


@pytest.mark.parametrize("stated", NO_VOTES)
def test_what_says_nobody_elects_nobody(stated: str) -> None:
    assert cast_vote(stated, DEALT) == UNREAD


@pytest.mark.parametrize("stated", ABSTENTIONS)
def test_an_abstention_is_one(stated: str) -> None:
    for reply in (stated, context(stated)):
        assert cast_vote(reply, DEALT) == Choice(None, "abstention")


@pytest.mark.parametrize(
    ("reply", "by"),
    [
        ("VOTE: B", "marker"),
        ("| Vote | B |", "marker"),
        ('{"vote": "B"}', "json"),
        ("I vote for Response B.", "statement"),
        ("Of the two I keep coming back to Response B", "mention"),
        ("VOTE: none", "abstention"),
        ("VOTE: whichever", None),
    ],
)
def test_every_vote_says_by_which_rule_it_was_read(reply: str, by: str | None) -> None:
    assert cast_vote(reply, DEALT).by == by


RANKINGS = (
    "FINAL RANKING:\n1. Response C\n2. Response A\n3. Response B",
    "FINAL RANKING:\n1) Response C\n2) Response A\n3) Response B",
    "FINAL RANKING:\n1: Response C\n2: Response A\n3: Response B",
    "FINAL RANKING:\n1 - Response C\n2 - Response A\n3 - Response B",
    "FINAL RANKING:\n(1) Response C\n(2) Response A\n(3) Response B",
    "FINAL RANKING:\n[1] Response C\n[2] Response A\n[3] Response B",
    "FINAL RANKING:\n#1 Response C\n#2 Response A\n#3 Response B",
    "FINAL RANKING:\n#1: C\n#2: A\n#3: B",
    "FINAL RANKING:\n1st: Response C\n2nd: Response A\n3rd: Response B",
    "FINAL RANKING:\n1st place: Response C\n2nd place: Response A\n3rd place: Response B",
    "FINAL RANKING:\nFirst: Response C\nSecond: Response A\nThird: Response B",
    "FINAL RANKING:\nFirst place - Response C\nSecond place - Response A\nThird place - Response B",
    "FINAL RANKING:\nRank 1: Response C\nRank 2: Response A\nRank 3: Response B",
    "FINAL RANKING:\nI. Response C\nII. Response A\nIII. Response B",
    "FINAL RANKING:\n1️⃣ Response C\n2️⃣ Response A\n3️⃣ Response B",
    "FINAL RANKING:\n① Response C\n② Response A\n③ Response B",
    "FINAL RANKING:\n🥇 Response C\n🥈 Response A\n🥉 Response B",
    "FINAL RANKING:\n1. C\n2. A\n3. B",
    "FINAL RANKING:\n1. **Response C**\n2. **Response A**\n3. **Response B**",
    "**FINAL RANKING:**\n**1.** Response C\n**2.** Response A\n**3.** Response B",
    "FINAL RANKING:\n1. Answer C\n2. Answer A\n3. Answer B",
    "FINAL RANKING:\n1. [Response C]\n2. (Response A)\n3. Response B.",
    "FINAL RANKING:\n1. response c\n2. response a\n3. response b",
    "FINAL RANKING\n1. Response C\n2. Response A\n3. Response B",
    "### Final Ranking\n\n1. Response C\n\n2. Response A\n\n3. Response B",
    "## FINAL RANKING ##\n1. Response C\n2. Response A\n3. Response B",
    "FINAL RANKING (best to worst):\n1. Response C\n2. Response A\n3. Response B",
    "FINAL RANKING (from best to worst)\n1. Response C\n2. Response A\n3. Response B",
    "FINAL RANKING: (best to worst)\n1. Response C\n2. Response A\n3. Response B",
    "FINAL RANKING, from best to worst:\n1. Response C\n2. Response A\n3. Response B",
    "FINAL RANKING of the responses:\n1. Response C\n2. Response A\n3. Response B",
    "FINAL RANKINGS:\n1. Response C\n2. Response A\n3. Response B",
    "FINAL_RANKING:\n1. Response C\n2. Response A\n3. Response B",
    "My final ranking is:\n1. Response C\n2. Response A\n3. Response B",
    "FINAL RANKING:\nFrom best to worst:\n1. Response C\n2. Response A\n3. Response B",
    "FINAL RANKING:\n3. Response B\n2. Response A\n1. Response C",
    "FINAL RANKING:\n2. Response A\n1. Response C\n3. Response B",
    "FINAL RANKING (worst to best):\n1. Response B\n2. Response A\n3. Response C",
    "FINAL RANKING (worst to best):\n3. Response B\n2. Response A\n1. Response C",
    "FINAL RANKING:\n1. Response C\n1. Response A\n1. Response B",
    "FINAL RANKING:\n2. Response C\n3. Response A\n4. Response B",
    "FINAL RANKING:\n1. Response C - clearer than Response B\n2. Response A (long)\n3. Response B: thin",
    "FINAL RANKING:\n1. Response C because it beats Response B\n2. Response A since it is long\n3. Response B",
    "FINAL RANKING:\n1. Response C\n   - better than Response B\n2. Response A\n   - long\n3. Response B\n   - thin",
    "FINAL RANKING:\n1. Response C\n   It is the only one that answers.\n2. Response A\n3. Response B",
    "FINAL RANKING:\n1. The best is Response C\n2. Next comes Response A\n3. Last is Response B",
    "FINAL RANKING:\n- Response C\n- Response A\n- Response B",
    "FINAL RANKING:\n* Response C – best\n* Response A – long\n* Response B – thin",
    "FINAL RANKING:\nResponse C\nResponse A\nResponse B",
    "FINAL RANKING:\nResponse C: 1st\nResponse A: 2nd\nResponse B: 3rd",
    "FINAL RANKING:\nResponse A: 2\nResponse B: 3\nResponse C: 1",
    "FINAL RANKING:\nResponse A (rank 2)\nResponse B (rank 3)\nResponse C (rank 1)",
    "FINAL RANKING: Response C > Response A > Response B",
    "FINAL RANKING: C > A > B",
    "FINAL RANKING: C > A > B.",
    "FINAL RANKING: B < A < C",
    "FINAL RANKING: C, A, B",
    "FINAL RANKING: Response C, Response A, Response B",
    "FINAL RANKING: Response C, then Response A, then Response B.",
    "FINAL RANKING: Response C, Response A, and Response B",
    "FINAL RANKING: C → A → B",
    "FINAL RANKING: C -> A -> B",
    "FINAL RANKING: 1. Response C 2. Response A 3. Response B",
    "FINAL RANKING: 1) C, 2) A, 3) B",
    "FINAL RANKING: 1=C; 2=A; 3=B",
    "FINAL RANKING: 3. Response B, 2. Response A, 1. Response C",
    "FINAL RANKING: 1. Response C\n2. Response A\n3. Response B",
    "FINAL RANKING:\nResponse C > Response A > Response B",
    "FINAL RANKING:\n\nC > A > B",
    "FINAL RANKING:\n| Rank | Response |\n|---|---|\n| 1 | Response C |\n| 2 | Response A |\n| 3 | Response B |",
    "FINAL RANKING:\n| 1 | Response C | better than Response B |\n| 2 | Response A | long |\n| 3 | Response B | thin |",
    "FINAL RANKING:\n| Response | Rank |\n|---|---|\n| Response A | 2 |\n| Response B | 3 |\n| Response C | 1 |",
    "FINAL RANKING:\n| # | Answer |\n|:-:|:-:|\n| 1st | **C** |\n| 2nd | **A** |\n| 3rd | **B** |",
    'FINAL RANKING:\n["Response C", "Response A", "Response B"]',
    '{"ranking": ["C", "A", "B"]}',
    '{"final_ranking": ["Response C", "Response A", "Response B"], "why": "Response B is thin"}',
    '```json\n{"ranking": [{"rank": 2, "response": "A"}, {"rank": 1, "response": "C"}, {"rank": 3, "response": "B"}]}\n```',
    '{"ranking": {"1": "Response C", "2": "Response A", "3": "Response B"}}',
    '{"ranking": {"Response A": 2, "Response B": 3, "Response C": 1}}',
    '{"ranking": "C > A > B"}',
    "```\nFINAL RANKING:\n1. Response C\n2. Response A\n3. Response B\n```",
    "> FINAL RANKING:\n> 1. Response C\n> 2. Response A\n> 3. Response B",
    "FINAL RANKING:\n1. Response C\n2. Response A\n3. Response B\n\nResponse B trails by far.\n1. Response B",
    "FINAL RANKING:\n1. Response A\n2. Response B\n3. Response C\n\nOn reflection:\n\nFINAL RANKING:\n1. Response C\n2. Response A\n3. Response B",
    "FІΝАL RАΝКІΝG:\n1. Rеsponse С\n2. Rеsponse А\n3. Rеsponse В",
    "F\u00adINAL RANK\u200bING:\n1. Response C\n2. Response A\n3. Response B",
    "Ranking:\n1. Response C\n2. Response A\n3. Response B",
    "My ranking (best to worst):\n1. Response C\n2. Response A\n3. Response B",
    "Ranking from best to worst:\n1. Response C\n2. Response A\n3. Response B",
    "1. Response C\n2. Response A\n3. Response B",
    "C > A > B",
    "Response C > Response A > Response B",
)


@pytest.mark.parametrize("stated", RANKINGS)
def test_a_ranking_in_an_everyday_format_is_read(stated: str) -> None:
    before = "Response B is thin. Response A is long. The final ranking follows.\n\n"
    for reply in (stated, f"{before}{stated}\n", f"{before}{stated}\n".replace("\n", "\r\n")):
        ranking = read_ranking(reply, DEALT)
        assert "".join(entry.label[-1] for entry in ranking.places) == "CAB", reply
        assert [entry.position for entry in ranking.places] == [1, 2, 3]
        assert ranking.by in ("marker", "json", "list"), ranking.by


@pytest.mark.parametrize(
    ("reply", "order", "by"),
    [
        ("FINAL RANKING:\n1. Response C\n2. Response A", "CA", "incomplete"),
        ("FINAL RANKING: C > A", "CA", "incomplete"),
        ("FINAL RANKING: C > A = B", "CA", "incomplete"),
        ('{"ranking": ["C", "A"]}', "CA", "incomplete"),
        ("FINAL RANKING:\nThe best is Response C, then Response A, then Response B.", "CAB", "mention"),
        ("### Response A\nfine\n### Response B\nfine\n### Response C\nfine", "ABC", "mention"),
        ("I rank Response C first, then Response A, and Response B last.", "CAB", "statement"),
        ("FINAL RANKING: none", "", "abstention"),
        ("FINAL RANKING:\n\nnone of them", "", "abstention"),
        ("All are fine.", "", None),
        ("", "", None),
    ],
)
def test_a_ranking_that_is_no_clear_list_of_all_says_so(reply: str, order: str, by: str | None) -> None:
    ranking = read_ranking(reply, DEALT, mentions=True)
    assert ("".join(entry.label[-1] for entry in ranking.places), ranking.by) == (order, by)
