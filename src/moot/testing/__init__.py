"""For tests of what is built on moot: a transport that reads from a script, and a model server that does.

transport = Scripted(ann=["tabs", vote_for("spaces")], bob=["spaces", SILENCE], cyd=[TransportError(…)])
"""

from moot.testing.model_server import ModelServer
from moot.testing.process import ModelServerProcess
from moot.testing.replies import Received, Reply, Rule, Script
from moot.testing.scripted import SILENCE, Scripted, rank, vote_for

__all__ = [
    "SILENCE",
    "ModelServer",
    "ModelServerProcess",
    "Received",
    "Reply",
    "Rule",
    "Script",
    "Scripted",
    "rank",
    "vote_for",
]
