"""Nothing found is a claim too: where it would end a run, a second model is asked the same.

FIRST   NO FINDINGS: it is sound        →  SECOND  NO FINDINGS        told as what it is, without a score
                                        →  SECOND  FINDING 1: …       the work goes on with these
                                        →  SECOND  (nothing readable) told as unconfirmed
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moot.kernel.errors import NoAnswer
from moot.kernel.values import Wire

if TYPE_CHECKING:
    from moot.kernel.run import Run
    from moot.kernel.values import Answer, Prompt


class SecondOpinion(Wire):
    """What came of it; `agrees` null: nothing came that could be read."""

    first_model: str
    model: str
    agrees: bool | None

    @property
    def sentence(self) -> str:
        if self.agrees is None:
            return f"{self.model} was asked too, but its reply could not be read."
        if self.agrees:
            return f"{self.model} was asked too and found nothing either."
        return f"{self.first_model} found nothing, so {self.model} was asked too."


async def ask_second_model(
    run: Run[Any], step: str, model: str, prompt: Prompt, *, reserve: float = 0.0
) -> Answer | None:
    """Its reply to the same prompt; None if there is none."""
    try:
        return await run.ask(f"{step}/second", model, prompt, reserve=reserve, report_failure=False)
    except NoAnswer:
        return None
