"""Call estimate: what a run will ask for at most, and what that costs, before anything is asked.

A mode says for its config which calls it makes at most, every second try and repair included:

    planned_calls=lambda config: (
        *each("collect", config.models),
        *each("vote", config.models, reads=len(config.models)),
        PlannedCalls("tiebreaker", (config.chairman_model,), calls=2, reads=len(config.models)),
    )

How many calls there are is certain. How long the replies are is not: where a call sets no limit of its own,
the setting `reply_tokens` stands for the longest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any

from moot.kernel.context_window import ContextWindow, tokens_of
from moot.kernel.values import Maybe, Wire, is_simulated
from moot.transport.by_prefix import MissingKey, missing_keys

if TYPE_CHECKING:
    from moot.kernel.mode import Mode, ModeConfig
    from moot.settings import Settings
    from moot.settings.providers import Provider
    from moot.transport.catalogue import ModelInfo

FRAME_TOKENS = 2500
"""More than the wording of any prompt: instructions, layouts, fences, reasoning templates."""


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """Calls of one step. Each goes to one of `models`, which one may depend on the run; its prompt holds so
    many replies at most; `reply` is its own limit of tokens, if it has one."""

    step: str
    models: tuple[str, ...]
    calls: int = 1
    reads: int = 0
    reply: int | None = None


def each(step: str, models: Iterable[str], calls: int = 1, reads: int = 0) -> Iterator[PlannedCalls]:
    """The same for every seat."""
    return (PlannedCalls(step, (model,), calls, reads) for model in models)


class StepEstimate(Wire):
    """The calls of one step, by any of these models."""

    step: str
    models: list[str]
    calls: int
    prompt_tokens: int
    completion_tokens: int


class RunEstimate(Wire):
    """What a run takes at most, its title included. `cost` is in dollars and holds if no reply is longer
    than `replyTokens`; null if the price of one of the models, those in `unpriced`, is not known, as
    `reason` says. `missingKeys`: what must be set before all of them can be asked. `durationMs` is what such
    a run usually takes, `longestMs` when its time is up. `shortContexts`: models whose
    context may be too short for what they have to read, so that texts in their prompts would be shortened.
    `config` is the whole config, with the defaults of
    what the request left out."""

    mode: str
    config: dict[str, Any]
    models: list[str]
    calls: int
    prompt_tokens: int
    completion_tokens: int
    reply_tokens: int
    cost: float | None
    unpriced: list[str]
    reason: str | None
    missing_keys: list[MissingKey]
    simulated: bool
    duration_ms: int
    longest_ms: int | None
    steps: list[StepEstimate]
    short_contexts: Maybe[list[str]]


def estimated(
    mode: Mode[Any],
    config: ModeConfig,
    question: str,
    models: Iterable[ModelInfo],
    settings: Settings,
    providers: Mapping[str, Provider],
    *,
    after: Iterable[PlannedCalls] = (),
) -> RunEstimate:
    """`models` are those whose prices are known, `providers` those that can be asked, `after` the calls that
    follow the pipeline."""
    title = PlannedCalls("title", (settings.title_model or mode.title_model(config),))
    stints = [*mode.planned_calls(config), *after, title]
    material = FRAME_TOKENS + tokens_of(question) + tokens_of(config.model_dump_json())
    listed = {model.id: model for model in models}
    asked = list(dict.fromkeys(model for stint in stints for model in stint.models))
    unpriced = [model for model in asked if _price(model, 1, 1, listed) is None]
    steps = [_step(stint, material, settings.reply_tokens, listed) for stint in stints]
    costs = [_dearest(stint, step, listed) for stint, step in zip(stints, steps, strict=True)]
    return RunEstimate(
        mode=mode.id,
        config=config.model_dump(mode="json"),
        models=asked,
        calls=min(sum(step.calls for step in steps), settings.max_calls),
        prompt_tokens=sum(step.prompt_tokens for step in steps),
        completion_tokens=sum(step.completion_tokens for step in steps),
        reply_tokens=settings.reply_tokens,
        cost=None if unpriced else fsum(costs),
        unpriced=unpriced,
        reason=f"No price is known for {', '.join(unpriced)}." if unpriced else None,
        missing_keys=missing_keys(asked, providers),
        simulated=all(map(is_simulated, asked)),
        duration_ms=mode.entry.estimated_duration_ms,
        longest_ms=int(settings.pipeline_seconds * 1000) if mode.timed else None,
        steps=steps,
        short_contexts=_short_contexts(stints, material, settings.reply_tokens, listed) or None,
    )


def _step(
    stint: PlannedCalls, material: int, reply_tokens: int, listed: Mapping[str, ModelInfo]
) -> StepEstimate:
    prompt = material + stint.reads * reply_tokens
    contexts = [_context(model, listed) or prompt for model in stint.models]
    return StepEstimate(
        step=stint.step,
        models=list(dict.fromkeys(stint.models)),
        calls=stint.calls,
        # What a model has no room for is not sent to it: see `context_window.py`.
        prompt_tokens=stint.calls * min(prompt, max(contexts, default=prompt)),
        completion_tokens=stint.calls * (stint.reply or reply_tokens),
    )


def _short_contexts(
    stints: Iterable[PlannedCalls], material: int, reply_tokens: int, listed: Mapping[str, ModelInfo]
) -> list[str]:
    """The models that have no room for the longest prompt which they may get."""
    found: dict[str, None] = {}
    for stint in stints:
        prompt = material + stint.reads * reply_tokens
        for model in stint.models:
            context = _context(model, listed)
            if context is not None and prompt > ContextWindow(context).room(stint.reply):
                found[model] = None
    return list(found)


def _context(model: str, listed: Mapping[str, ModelInfo]) -> int | None:
    return listed[model].context_length if model in listed else None


def _dearest(stint: PlannedCalls, step: StepEstimate, listed: Mapping[str, ModelInfo]) -> float:
    """Dollars, whichever of its models is asked."""
    costs = (_price(model, step.prompt_tokens, step.completion_tokens, listed) for model in stint.models)
    fees = (listed[model].request_price or 0.0 for model in stint.models if model in listed)
    return max((cost or 0.0 for cost in costs), default=0.0) + stint.calls * max(fees, default=0.0)


def _price(model: str, prompt: int, completion: int, listed: Mapping[str, ModelInfo]) -> float | None:
    if is_simulated(model):
        return 0.0
    known = listed.get(model)
    if known is None or known.prompt_price is None or known.completion_price is None:
        return None
    return (prompt * known.prompt_price + completion * known.completion_price) / 1_000_000
