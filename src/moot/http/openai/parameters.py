"""The parameters of a request: obeyed, without effect, or refused by name. None is passed over in silence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import orjson

from moot.kernel.errors import Rejected
from moot.kernel.refusals import plain
from moot.kernel.request import parse
from moot.kernel.values import Maybe, Wire

WITHOUT_EFFECT = frozenset(
    {
        *("user", "safety_identifier", "parallel_tool_calls"),
        *("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"),
    }
)
"""They would change nothing of the answer; docs/openai-api.md names them."""

W = TypeVar("W", bound=Wire)
_PANEL_CALLS_NONE = "the panel calls no tools yet"
_MANY_CALLS = "a deliberation is many calls, which end by themselves"
_PROVIDERS = "each model of the panel chooses its words by its provider's defaults"
_TEXT = "the answer is text"
_OPENAI = "it is a service of OpenAI"
_DEFAULTS: Mapping[str, tuple[tuple[Any, ...], str]] = {
    "n": ((1,), "a deliberation has one answer"),
    "top_p": ((1,), _PROVIDERS),
    "presence_penalty": ((0,), _PROVIDERS),
    "frequency_penalty": ((0,), _PROVIDERS),
    "logit_bias": (({},), _PROVIDERS),
    "logprobs": ((False,), _PROVIDERS),
    "top_logprobs": ((0,), _PROVIDERS),
    "seed": ((), _PROVIDERS),
    "max_tokens": ((), _MANY_CALLS),
    "max_completion_tokens": ((), _MANY_CALLS),
    "max_output_tokens": ((), _MANY_CALLS),
    "max_tool_calls": ((), _PANEL_CALLS_NONE),
    "tools": (([],), _PANEL_CALLS_NONE),
    "functions": (([],), _PANEL_CALLS_NONE),
    "tool_choice": (("none", "auto"), _PANEL_CALLS_NONE),
    "function_call": (("none", "auto"), _PANEL_CALLS_NONE),
    "modalities": ((["text"],), _TEXT),
    "audio": ((), _TEXT),
    "prediction": ((), _TEXT),
    "verbosity": (("medium",), "the mode decides how long the answer is"),
    "reasoning_effort": ((), "each model of the panel thinks as much as it does by default"),
    "web_search_options": ((), _PANEL_CALLS_NONE),
    "service_tier": (("auto", "default"), "there is one kind of service"),
    "truncation": (("disabled",), "nothing is dropped"),
    "store": ((True,), "every run is kept"),
    "moderation": ((), _OPENAI),
    "access_programs": ((), _OPENAI),
    "prompt": ((), _OPENAI),
    "conversation": ((), "previous_response_id continues one"),
    "context_management": ((), "nothing is dropped"),
    "image": ((), _TEXT),
    "include": (([], ["reasoning.encrypted_content"]), "there is nothing more to include"),
}
"""Accepted with these values, which change nothing; refused for this reason with any other."""


class StreamOptions(Wire):
    include_usage: bool = False
    include_obfuscation: bool = False


class MootOptions(Wire):
    """`moot` in a request's body: the panel and the config, as the mode has them."""

    models: Maybe[list[str]]
    config: Maybe[dict[str, Any]]
    background: bool = False


def read_parameters(body: bytes, own: frozenset[str]) -> dict[str, Any]:
    """Those of the parameters that the door itself reads; null counts as absent. Raises Rejected."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Rejected(f"The body is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Rejected("The body must be a JSON object")
    given = {name: each for name, each in plain(value).items() if each is not None}
    for name, each in given.items():
        if name not in own and name not in WITHOUT_EFFECT:
            _check_default(name, each)
    return {name: each for name, each in given.items() if name in own}


def _check_default(name: str, value: Any) -> None:
    if name not in _DEFAULTS:
        raise unsupported(name, f"Unknown parameter: {name[:80]}")
    allowed, why = _DEFAULTS[name]
    # 1 is no true here: JSON tells them apart.
    if not any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in allowed):
        told = f"{name}: {str(value).lower()}" if isinstance(value, bool) else name
        raise unsupported(name, f"{told} is not supported, because {why}: leave it out")


def unsupported(name: str, message: str) -> Rejected:
    return Rejected(message, ((name, message),))


def stop_texts(value: Any) -> list[str]:
    """Where the answer is cut, whichever comes first. Raises Rejected."""
    texts = [value] if isinstance(value, str) else value
    if (
        not isinstance(texts, list)
        or not all(isinstance(one, str) and one for one in texts)
        or len(texts) > 4
    ):
        raise unsupported("stop", "stop must be a text or a list of up to 4 texts")
    return texts


def answer_schema(given: Any, name: str) -> dict[str, Any] | None:
    """The JSON schema that a format asks for: `json_schema` has it in an object of that name or, in a
    response, beside its type; `json_object` is any object. None for text. Raises Rejected."""
    if not isinstance(given, dict):
        raise unsupported(name, f"{name} must be an object")
    kind = given.get("type")
    if kind == "text":
        return None
    if kind == "json_object":
        return {"type": "object"}
    if kind != "json_schema":
        raise unsupported(name, f"{name}.type must be text, json_object or json_schema")
    named = given.get("json_schema", given)
    schema = named.get("schema") if isinstance(named, dict) else None
    if not isinstance(schema, dict):
        place = f"{name}.schema" if name == "text.format" else f"{name}.json_schema.schema"
        raise unsupported(name, f"{place} is missing: put a JSON schema there, as an object")
    about = {"title": named.get("name"), "description": named.get("description")}
    return {**{key: text for key, text in about.items() if isinstance(text, str)}, **schema}


def cut_at(answer: str, stops: list[str]) -> str:
    places = [place for one in stops if (place := answer.find(one)) >= 0]
    return answer[: min(places)] if places else answer


def flag(given: Mapping[str, Any], name: str) -> bool:
    value = given.get(name, False)
    if not isinstance(value, bool):
        raise unsupported(name, f"{name} must be true or false")
    return value


def moot_options(given: Mapping[str, Any]) -> MootOptions:
    return _part(given, "moot", MootOptions)


def stream_options(given: Mapping[str, Any]) -> StreamOptions:
    options = _part(given, "stream_options", StreamOptions)
    if options.include_obfuscation:
        path = "stream_options.include_obfuscation"
        raise unsupported(path, f"{path} is not supported, because nothing is padded: leave it out")
    return options


def _part(given: Mapping[str, Any], name: str, shape: type[W]) -> W:
    value = given.get(name, {})
    if not isinstance(value, dict):
        raise unsupported(name, f"{name} must be an object")
    try:
        return parse(shape, value)
    except Rejected as error:
        raise Rejected(str(error), tuple((f"{name}.{path}", said) for path, said in error.details)) from None


def in_background(given: Mapping[str, Any]) -> bool:
    """Whether the run goes on when its reader leaves: `metadata.background`, or `moot.background`."""
    metadata = given.get("metadata", {})
    if not isinstance(metadata, dict):
        raise unsupported("metadata", "metadata must be an object")
    return metadata.get("background") in (True, "true") or moot_options(given).background
