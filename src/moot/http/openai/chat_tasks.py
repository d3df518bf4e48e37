"""What chat programs ask beside the person: titles, tags, suggestions. One model answers, not a panel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moot.http.openai.messages import Conversation
from moot.http.openai.models import Target
from moot.kernel.clock import now_ms
from moot.kernel.engine import Engine
from moot.kernel.followers import Followers
from moot.kernel.model_call import ModelCall
from moot.kernel.request import read_config
from moot.kernel.title import SECONDS
from moot.kernel.values import Call, Message, Request

MARK = "### Task:"
"""How Open WebUI and its kin begin such a prompt."""


def is_task(conversation: Conversation) -> bool:
    return not conversation.before and conversation.question.lstrip().startswith(MARK)


async def perform(
    engine: Engine,
    user: str,
    target: Target,
    config: Mapping[str, Any],
    conversation: Conversation,
    temperature: float | None,
) -> Call:
    """What the title model makes of it. Raises Rejected."""
    model = engine.settings.title_model
    if model is None:
        panel = await engine.panel_of(user)
        whole = read_config(target.mode, config, panel, conversation.question, engine.settings)
        model = target.mode.title_model(whole)
    messages = [Message(role="user", content=conversation.question)]
    if conversation.system is not None:
        messages.insert(0, Message(role="system", content=conversation.system))
    request = Request.of(model, messages, temperature)
    began = now_ms()
    call = ModelCall(Followers(), lambda: now_ms() - began, "task", None, request, request.digest(), False)
    return await call.listen(engine.transport_of(user), SECONDS, SECONDS)
