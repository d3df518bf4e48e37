"""What is refused, and in which words: every field of every mode, given every kind of wrong value."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from pydantic.alias_generators import to_snake

from moot.kernel.errors import Rejected
from moot.kernel.mode import Panel
from moot.kernel.request import AskRequest, parse, read_config
from moot.modes import MODES
from moot.presets.presets import NewPreset
from moot.settings import BadSetting, Settings
from moot.traces.collection import Rating

Place = tuple[str | int, ...]
PANEL = Panel(("a/ann", "b/bob", "c/cyd", "d/dee", "e/eve"))
SETTINGS = Settings(max_content_chars=10_000)
RUBRIC = {
    "name": "Style",
    "description": "How well it reads.",
    "criteria": [
        {"name": name, "description": "Whether it is as it should be.", "weight": 2}
        for name in ("Clarity", "Brevity", "Grace")
    ],
}
ROLE = {
    "title": "Town planner",
    "expertiseAreas": "Streets, squares and how they are used",
    "description": "Looks at who walks where, and why they would.",
    "priorities": ["People on foot", "Shade in summer", "Quiet at night"],
    "criteria": ["Walkable", "Shaded", "Quiet"],
}
MORE: dict[str, dict[str, Any]] = {
    "jury": {"content": "A text.", "originalQuestion": "A task."},
    "chain": {
        "steps": [
            {"model": "a/ann", "mandate": "draft"},
            {"model": "b/bob", "mandate": "custom", "customMandate": "Make it rhyme."},
        ]
    },
    "specialist_panel": {
        "specialists": [
            {"roleId": "security_expert", "model": "a/ann"},
            {"roleId": "custom", "model": "b/bob", "customRole": ROLE},
        ]
    },
    "blueprint": {"documentType": "custom", "documentTypeLabel": "Field guide"},
    "peer_review": {"reviewType": "custom", "customRubric": RUBRIC},
    "delphi": {"options": ["Yes", "No"], "questionType": "qualitative"},
    "tournament": {"seed": "demo"},
    "decompose": {"workerTags": {"a/ann": ["technical"]}},
    "fact_check": {"contentToCheck": "It was founded in 1900."},
    "dialectic": {"maxTotalTokens": 9000},
}
DEEP: list[Any] = []
for _ in range(500):
    DEEP = [DEEP]
WRONG: list[Any] = [
    None, True, False, 0, 7, -1, 1.5, 60000.0, 10**15, 10**30, 1e300, float("inf"), float("nan"),
    "", " ", "x", "60000", "true", "null", "a b", "a\tb", "\x07", "\ud800", "é" * 300, "x" * 20_000,
    [], [None], [7], ["x"], [[]], ["x"] * 50, {}, {"a": {"b": [None]}}, {"model": "a/ann"}, [{}], DEEP,
    b"bytes", {1, 2}, Path("x"), ("a/ann", "b/bob"),
]  # fmt: skip
BAD_IDS = ["a b", " a/ann", "a/ann\n", "a\tb", "a\x07b", "a\x7fb", "a\u200bb", "a\u2028b", "x" * 201]
FOREIGN = re.compile(
    r"Input should|should be a valid|Value error|validation|pydantic|unable to parse|Traceback"
)
NO_MODELS = {"allowSameModel", "minIdeasPerModel"}
NO_ID = "must be a model id such as openai/o3"


def whole(mode: str) -> dict[str, Any]:
    """A config with every field that a request may have."""
    config = read_config(MODES[mode], MORE.get(mode, {}), PANEL, "Why?", SETTINGS)
    values: dict[str, Any] = config.model_dump(mode="json")
    missing = {field.alias or name for name, field in type(config).model_fields.items()} - set(values)
    assert not missing - {"documentTypeLabel"}, f"{mode}: give {missing} in MORE"
    return values


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    if at:
        yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*at, key))


def value_at(value: Any, at: Place) -> Any:
    for key in at:
        value = value[key]
    return value


def changed(value: Any, at: Place, new: Any) -> Any:
    whole = copy.deepcopy(value)
    value_at(whole, at[:-1])[at[-1]] = new
    return whole


def shape_at(schema: dict[str, Any], at: Place) -> list[dict[str, Any]]:
    """What the schema allows in this place."""
    found = [schema]
    for key in (None, *at):
        if key is not None:
            found = [one for shape in found for one in _inner(shape, key)]
        found = [one for shape in found for one in _resolved(shape, schema)]
    return found


def _resolved(shape: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, Any]]:
    if "$ref" in shape:
        return _resolved(schema["$defs"][shape["$ref"].rpartition("/")[2]], schema)
    return (
        [one for choice in shape["anyOf"] for one in _resolved(choice, schema)]
        if "anyOf" in shape
        else [shape]
    )


def _inner(shape: dict[str, Any], key: str | int) -> list[dict[str, Any]]:
    if isinstance(key, int):
        return [shape["items"]] if "items" in shape else []
    more = shape.get("additionalProperties")
    known = shape.get("properties", {}).get(key, more if isinstance(more, dict) else None)
    return [known] if known else []


def kind(value: Any) -> str:
    names = {type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string"}
    if isinstance(value, float) and value.is_integer():
        return "integer"
    return names.get(type(value)) or ("array" if isinstance(value, list | tuple) else "object")


def fits(value: Any, shapes: list[dict[str, Any]]) -> bool:
    allowed = {shape["type"] for shape in shapes}
    return kind(value) in allowed | ({"integer"} if "number" in allowed else set())


def is_model(shapes: list[dict[str, Any]]) -> bool:
    return any(shape.get("format") == "model" for shape in shapes)


def asked(mode: str, config: Any) -> Rejected | None:
    try:
        read_config(MODES[mode], config, PANEL, "Why?", SETTINGS)
    except Rejected as refused:
        return refused
    return None


def shown(at: Place) -> str:
    return "modeConfig" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in at)


def dotted(at: Place) -> str:
    return ".".join(("modeConfig", *map(str, at)))


@pytest.mark.parametrize("mode", MODES)
def test_whatever_stands_in_a_field_is_taken_or_refused_in_words_of_ours(mode: str) -> None:
    config = whole(mode)
    schema = MODES[mode].config.model_json_schema()
    assert asked(mode, config) is None
    for at in places(config):
        shapes = shape_at(schema, at)
        for value in WRONG:
            refused = asked(mode, changed(config, at, value))
            where = f"{dotted(at)} = {str(value)[:60]!r}"
            assert refused is not None or fits(value, shapes), f"{where} was taken"
            for path, message in refused.details if refused else ():
                assert not FOREIGN.search(message), f"{where}: {message}"
                assert len(message) <= 500, where
                assert path.startswith("modeConfig"), f"{where}: {path}"
            if refused and not fits(value, shapes):
                assert refused.details[0][0].startswith(dotted(at)[:60]), f"{where}: {refused.details}"
                assert str(refused).startswith(shown(at)[:60]), f"{where}: {refused}"


@pytest.mark.parametrize("mode", MODES)
def test_a_model_id_is_held_to_the_same_rules_in_every_field(mode: str) -> None:
    config = whole(mode)
    schema = MODES[mode].config.model_json_schema()
    models = [at for at in places(config) if is_model(shape_at(schema, at))]
    names = {str(next(key for key in reversed(at) if isinstance(key, str))) for at in models}
    every = {str(key) for at in places(config) for key in at}
    assert names == {key for key in every if key.lower().endswith(("model", "models"))} - NO_MODELS
    for at in models:
        for bad in [*BAD_IDS, 7, None, ["a/ann"], {"id": "a/ann"}, True]:
            refused = asked(mode, changed(config, at, bad))
            if bad is None and refused is None:
                assert fits(None, shape_at(schema, at))
                continue
            assert refused is not None, f"{dotted(at)} = {bad!r} was taken"
            assert (dotted(at), f"{shown(at)} {NO_ID}") in refused.details
        long = changed({**config, "workerTags": {}} if "workerTags" in config else config, at, "x" * 200)
        assert asked(mode, long) is None, "200 characters are allowed"


@pytest.mark.parametrize("mode", MODES)
def test_both_spellings_of_one_field_are_refused_wherever_they_stand(mode: str) -> None:
    config = whole(mode)
    for at in places(config):
        key = at[-1]
        other = to_snake(str(key))
        if isinstance(key, int) or other == key or "workerTags" in at[:-1]:
            continue
        twice = changed(config, (*at[:-1], other), value_at(config, at))
        refused = asked(mode, twice)
        assert refused is not None
        message = f"{shown(at)} is given twice, as {key} and as {other}"
        assert refused.details == ((dotted(at), message),)
        renamed = copy.deepcopy(twice)
        del value_at(renamed, at[:-1])[key]
        assert asked(mode, renamed) is None, "the other spelling alone is fine"


@pytest.mark.parametrize("mode", MODES)
def test_a_config_that_was_stored_before_is_still_read(mode: str) -> None:
    """Rules that are younger than a run do not bind it, and numbers may have been written in another way."""
    stored = whole(mode)
    schema = MODES[mode].config.model_json_schema()
    for at in places(stored):
        shapes = shape_at(schema, at)
        if is_model(shapes) and kind(value_at(stored, at)) == "string" and "workerTags" not in stored:
            stored = changed(stored, at, f"my {value_at(stored, at)}\tmodel " + "x" * 200)
        elif {shape["type"] for shape in shapes} & {"integer", "number"}:
            stored = changed(stored, at, float(value_at(stored, at)))
    shape = MODES[mode].config
    read = shape.model_validate_json(orjson.dumps(stored))
    assert shape.model_validate_json(read.model_dump_json()) == read
    assert read_config(MODES[mode], stored, PANEL, "Why?", SETTINGS, stored=True) == read


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        ({"question": 7}, "question", "question must be text"),
        ({"question": None}, "question", "question must be text"),
        ({"question": "x", "mode": ["vote"]}, "mode", "mode must be text"),
        ({"question": "x", "streamTokens": "true"}, "streamTokens", "streamTokens must be true or false"),
        ({"question": "x", "streamTokens": 1}, "streamTokens", "streamTokens must be true or false"),
        ({"question": "x", "modeConfig": []}, "modeConfig", "modeConfig must be an object"),
        ({"question": "x", "councilModels": "a/ann"}, "councilModels", "councilModels must be a list"),
        ({"question": "x", "councilModels": ["a/ann", 7]}, "councilModels.1", f"councilModels[1] {NO_ID}"),
        (
            {"question": "x", "councilModels": ["a/ann", "b c"]},
            "councilModels.1",
            f"councilModels[1] {NO_ID}",
        ),
        ({"question": "x", "chairmanModel": "a\nb"}, "chairmanModel", f"chairmanModel {NO_ID}"),
        ({"question": "x", "conversationId": 7}, "conversationId", "conversationId must be text"),
        (
            {"question": "x", "councilModels": ["a", "b"], "council_models": ["a", "b"]},
            "councilModels",
            "councilModels is given twice, as councilModels and as council_models",
        ),
        (
            {"question": "x", "modeConfig": {"x": {1, 2}}},
            "modeConfig.x",
            "modeConfig.x is of the type set, which JSON does not have",
        ),
        ({"question": "\ud800"}, "question", "question contains half a character"),
        ({"question": "x" * 1000, "y" * 1000: 1}, "y" * 79 + "…", "Unknown field: " + "y" * 79 + "…"),
    ],
)
def test_a_request_is_refused_in_words_of_ours(body: dict[str, Any], path: str, message: str) -> None:
    with pytest.raises(Rejected) as refused:
        AskRequest.of(body)
    assert refused.value.details[0] == (path, message)


def test_a_field_at_top_level_and_in_the_config_is_seen_in_either_spelling() -> None:
    ask = AskRequest.of(
        {"question": "x", "councilModels": ["a", "b"], "modeConfig": {"council_models": ["a", "b"]}}
    )
    with pytest.raises(Rejected, match="councilModels is given both at the top level and in modeConfig"):
        ask.given_config("council")


@pytest.mark.parametrize(
    ("shape", "body", "message"),
    [
        (NewPreset, {"name": "x", "mode": "vote", "shared": "true"}, "shared must be true or false"),
        (NewPreset, {"name": 7, "mode": "vote"}, "name must be text"),
        (NewPreset, {"name": "x", "mode": "vote", "config": []}, "config must be an object"),
        (NewPreset, {"name": "x"}, "mode is required"),
        (Rating, {"rating": "9"}, "rating must be a whole number from 1 to 10"),
        (Rating, {"rating": 9, "note": 7}, "note must be text"),
        (Rating, [], "Expected a JSON object, in braces"),
    ],
)
def test_other_bodies_are_held_to_their_types_as_well(shape: Any, body: Any, message: str) -> None:
    with pytest.raises(Rejected) as refused:
        parse(shape, orjson.dumps(body))
    assert str(refused.value) == message


@pytest.mark.parametrize("bad", BAD_IDS)
def test_the_models_of_settings_are_model_ids_too(bad: str) -> None:
    said = f"{bad[:60]!r} is not a model id such as openai/o3."
    with pytest.raises(BadSetting) as refused:
        Settings.load({"default_models": ["a/ann", bad]}, environ={})
    assert str(refused.value) == f"the command line: default_models.1: {said}"
    with pytest.raises(BadSetting) as refused:
        Settings.load(environ={"MOOT_TITLE_MODEL": f"x{bad}x"})
    assert "MOOT_TITLE_MODEL" in str(refused.value)
