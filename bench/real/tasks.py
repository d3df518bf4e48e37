"""What the models are asked: questions whose answers are known, and texts with faults that were put there.

A fault that was planted counts as found if what the mode reports as a finding matches its pattern.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Task:
    """`right` is a pattern of the right answer; `planted` are patterns of the faults in the text; `config` is
    what differs from a small panel's defaults."""

    question: str
    right: str = ""
    planted: Sequence[str] = ()
    config: Mapping[str, Any] = field(default_factory=dict)


LOGIN = """\
def login(user, pw):
    row = db.execute("SELECT * FROM users WHERE name='" + user + "' AND pw='" + pw + "'")
    if row:
        print("welcome", user, pw)
    return row[0]"""
BACKUP = """\
Plan for our customer database:
1. The only backup is kept on the same server as the database.
2. Restoring from the backup is never tested.
3. Every developer logs in with the shared root password "hunter2"."""
MEAN = '''\
def mean(numbers):
    """The average of a list."""
    total = 0
    for i in range(1, len(numbers)):
        total += numbers[i]
    return total / len(numbers)'''
MOON = (
    "The Moon is Earth's only natural satellite. It is about 384,400 kilometres away. It was first walked on "
    "by Yuri Gagarin in 1961. The Moon is larger than the Earth."
)
FRANCE = (
    "Paris is the capital of France. The Eiffel Tower was completed in 1989. France borders Spain and "
    "Germany. The official currency of France is the dollar."
)
WATER = (
    "Water boils at 100 degrees Celsius at sea level. A water molecule has three oxygen atoms. Ice sinks in "
    "liquid water. Most of the Earth's surface is covered by water."
)
CAPITAL = Task("What is the capital of Australia? Answer with one sentence.", r"canberra")
LEAP = Task("How many days does a leap year have? Answer with one sentence.", r"\b366\b")
LARGER = Task(
    "Which number is larger, 9.9 or 9.11? Answer with one sentence.",
    r"9\.9\W+(?:is|as)?\b.{0,40}(?:larg|great|big)|larger number is 9\.9",
)
BAT = Task(
    "A bat and a ball cost 1.10 dollars together. The bat costs 1 dollar more than the ball. How much does "
    "the ball cost?",
    r"0\.05|5 cents|five cents",
)
GOLD = Task("What is the chemical symbol of gold?", r"\bAu\b")
ICE = Task("Why does ice float on water? Answer with one sentence.", r"dens")
PLANET = Task("Which planet of the solar system is the largest?", r"jupiter")
SIMPLE = (CAPITAL, LEAP, BAT)
_SUBMISSION = (
    "Review our plan: we store customer passwords in a shared spreadsheet so that support can help quickly."
)

TASKS: Mapping[str, Sequence[Task]] = {
    "council": (LARGER, CAPITAL, LEAP),
    "vote": SIMPLE,
    "debate": (BAT, CAPITAL, ICE),
    "confidence_weighted": (GOLD, CAPITAL, LEAP),
    "tournament": (ICE, PLANET, GOLD),
    "delphi": (
        Task("How many keys does a standard piano have?", r"\b88\b"),
        Task("How many countries are members of the United Nations?", r"\b193\b"),
        Task(
            "Which is the largest ocean?", r"pacific", config={"options": ["Atlantic", "Pacific", "Arctic"]}
        ),
    ),
    "jury": (
        Task("The capital of Australia is Sydney, which has been its seat of government since 1927."),
        Task("To reverse a string in Python, write s[::-1]: a slice with step -1 walks backwards."),
        Task("Water boils at 100 degrees Celsius at sea level."),
    ),
    "chain": (
        Task("Write a note of four sentences on how to back up a laptop."),
        Task("Explain in three sentences why the sky is blue."),
        Task("Write a polite refusal of a meeting invitation, three sentences."),
    ),
    "red_team": (
        Task(
            BACKUP,
            planted=(r"same server|single point|only backup", r"restor|test", r"root|password|hunter2"),
        ),
        Task(LOGIN, planted=(r"inject|concat", r"plain ?text|hash|password", r"row\[0\]|empty|none|index")),
        Task(MEAN, planted=(r"range|first|index|skip|off.by", r"empty|zero|division")),
    ),
    "peer_review": (
        Task(LOGIN, planted=(r"inject|concat", r"plain ?text|hash|password", r"row\[0\]|empty|none|index")),
        Task(MEAN, planted=(r"range|first|index|skip|off.by", r"empty|zero|division")),
        Task(
            BACKUP,
            planted=(r"same server|single point|only backup", r"restor|test", r"root|password|hunter2"),
            config={"reviewType": "architecture_review"},
        ),
    ),
    "fact_check": (
        Task("Is this right?", planted=(r"gagarin|1961", r"larger than"), config={"contentToCheck": MOON}),
        Task("Is this right?", planted=(r"1989", r"dollar"), config={"contentToCheck": FRANCE}),
        Task("Is this right?", planted=(r"three oxygen", r"sinks"), config={"contentToCheck": WATER}),
    ),
    "specialist_panel": (
        Task(_SUBMISSION),
        Task(f"Review our plan. {BACKUP}"),
        Task(f"Review this code. {LOGIN}"),
    ),
    "blueprint": (
        Task("A web shop for a bakery: a server, a database and an online payment provider."),
        Task("Backups for a small law firm with one server and six laptops."),
        Task("A booking page for a village tennis club with two courts."),
    ),
    "decompose": (
        Task("Compare bicycles and buses for a commute of 5 km: cost, time, health."),
        Task("Plan a birthday party for ten children: food, games, invitations."),
        Task("Explain to a beginner what a database is, when to use one, and how to start."),
    ),
    "brainstorm": (
        Task("How can a small library attract more teenagers?"),
        Task("How can an office use less paper?"),
        Task("How can a village get its inhabitants to cycle more?"),
    ),
    "dialectic": (
        Task("Is 91 a prime number?", r"not (?:a )?prime|7\D{1,15}13"),
        CAPITAL,
        BAT,
    ),
}

SMALL: Mapping[str, Mapping[str, Any]] = {
    "brainstorm": {"minIdeasPerModel": 3, "maxClusters": 3},
    "dialectic": {"minRounds": 1, "maxRounds": 2},
    "delphi": {"maxRounds": 2},
    "red_team": {"rounds": 1},
    "decompose": {"maxTasks": 3},
}
"""What keeps a run short on a machine that computes a few words a second."""
