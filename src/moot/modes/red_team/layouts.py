"""The layouts of an attack, a defence and a judgement, with what they print to be replaced."""

from __future__ import annotations

from moot.deliberation.samples import Samples

ATTACK_LAYOUT = """\
FINDING 1: <short title>
Severity: <CRITICAL or HIGH or MEDIUM or LOW>
Location: <numbered part or line>
Evidence: "<words copied exactly from the work, at most 25; write ABSENT if the fault is that something is \
missing>"
Vulnerability: <what is wrong>
Exploit Scenario: <one concrete way it fails>
Relates To: <NEW or an id from the ledger such as R1-F2>
After the last block:
SUMMARY:
Overall risk: <one sentence>
If you find no real fault, reply with one line instead:  NO FINDINGS: <why the work holds>"""

DEFEND_LAYOUT = """\
RESPONSE TO FINDING 1: <title>
Verdict: <ACCEPT or REBUT>
Reasoning: <why>
Revision: <the exact change if ACCEPT, otherwise N/A>
... one block per finding ...
Then the whole work again with all accepted changes in place and nothing else changed. Never abbreviate: no \
"rest unchanged".
=== REVISED CONTENT ===
=== END REVISED CONTENT ==="""

JUDGE_LAYOUT = """\
RULINGS:
<id>: <FIXED or DISMISSED or OPEN> | <one sentence>
=== HARDENED OUTPUT ===
<the complete work, nothing about the review>
=== END HARDENED OUTPUT ===
REMAINING RISKS:
- <risk, or NONE>"""

ATTACK_SAMPLES = Samples(ATTACK_LAYOUT)
DEFEND_SAMPLES = Samples(DEFEND_LAYOUT)
JUDGE_SAMPLES = Samples(JUDGE_LAYOUT)
