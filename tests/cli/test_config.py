from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from moot.cli.config import config_from, read_config
from moot.kernel.errors import Rejected
from moot.kernel.panel_fields import Schema

MODEL = {"type": "string", "format": "model"}
JURY: Schema = {
    "properties": {
        "timeoutMs": {"type": "integer"},
        "jurorModels": {"type": "array", "items": MODEL},
        "foremanModel": {"anyOf": [MODEL, {"type": "null"}]},
        "content": {"type": "string"},
        "rubric": {"type": "object"},
    }
}
PAIR: Schema = {"properties": {"proposerModel": MODEL, "skepticModel": MODEL}}
CHAIN: Schema = {
    "properties": {"steps": {"type": "array", "items": {"$ref": "#/$defs/Step"}}},
    "$defs": {"Step": {"properties": {"model": MODEL, "mandate": {"type": "string"}}}},
}


def config(
    schema: Schema,
    *settings: str,
    whole: str | None = None,
    models: str | None = None,
    special: str | None = None,
) -> dict[str, Any] | None:
    given = None if whole is None else read_config(whole)
    return config_from(schema, base=given, models=models, special=special, settings=settings)


def test_no_options_mean_no_config() -> None:
    assert config(JURY) is None


def test_models_fill_the_modes_list_whatever_it_is_called() -> None:
    assert config(JURY, models="a/x, b/y ,a/x") == {"jurorModels": ["a/x", "b/y", "a/x"]}
    assert config(CHAIN, models="a/x,b/y") == {"steps": [{"model": "a/x"}, {"model": "b/y"}]}


def test_without_a_list_models_fill_the_roles_in_order() -> None:
    assert config(PAIR, models="a/x,b/y") == {"proposerModel": "a/x", "skepticModel": "b/y"}


def test_chairman_fills_the_one_special_role_whatever_it_is_called() -> None:
    assert config(JURY, special="a/x") == {"foremanModel": "a/x"}


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("timeoutMs=60000", {"timeoutMs": 60000}),
        ("timeout-ms=60000", {"timeoutMs": 60000}),
        ("timeout_ms=60000", {"timeoutMs": 60000}),
        ('jurorModels=["a/x"]', {"jurorModels": ["a/x"]}),
        ("jurorModels.0=a/x", {"jurorModels": ["a/x"]}),
        ("rubric.weights.clarity=0.5", {"rubric": {"weights": {"clarity": 0.5}}}),
        ("foremanModel=null", {"foremanModel": None}),
        ("content=42", {"content": "42"}),
        ('content="42"', {"content": "42"}),
        ("content=a = b", {"content": "a = b"}),
        ("content=", {"content": ""}),
    ],
)
def test_set_puts_a_value_in_its_place(setting: str, expected: dict[str, Any]) -> None:
    assert config(JURY, setting) == expected


def test_a_number_for_a_field_of_text_inside_a_list_is_that_text() -> None:
    assert config(CHAIN, "steps.0.mandate=7", "steps.0.weight=7") == {
        "steps": [{"mandate": "7", "weight": 7}]
    }


def test_both_spellings_of_one_field_are_refused() -> None:
    with pytest.raises(Rejected) as refused:
        config(JURY, whole='{"timeout_ms": 60000, "timeoutMs": 90000}')
    assert str(refused.value) == "--config: timeoutMs is given twice, as timeout_ms and as timeoutMs"


def test_what_is_said_more_closely_wins() -> None:
    whole = '{"juror_models": ["z/z"], "foremanModel": "z/z", "timeoutMs": 1}'
    given = config(JURY, "timeoutMs=2", whole=whole, models="a/x", special="b/y")
    assert given == {"jurorModels": ["a/x"], "foremanModel": "b/y", "timeoutMs": 2}


def test_a_config_can_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "jury.json").write_text('{"timeoutMs": 60000}')
    assert config(JURY, whole=str(tmp_path / "jury.json")) == {"timeoutMs": 60000}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"whole": "{nonsense"}, "--config: this is not JSON"),
        ({"whole": "/there/is/no/such.json"}, "cannot be read"),
        ({"models": " , "}, "--models: separate them by commas"),
    ],
)
def test_bad_options_say_what_is_wrong(options: dict[str, str], message: str) -> None:
    with pytest.raises(Rejected, match=re.escape(message)):
        config(JURY, **options)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["timeoutMs"], "write key=value"),
        (["=3"], "write key=value"),
        (["jurorModels.3=a/x"], "is not a position in a list of 0"),
        (["content=x", "content.inside=1"], "so nothing inside it can be set"),
    ],
)
def test_a_bad_set_says_what_is_wrong(settings: list[str], message: str) -> None:
    with pytest.raises(Rejected, match=message):
        config(JURY, *settings)


def test_several_roles_must_be_named() -> None:
    with pytest.raises(Rejected, match="--set proposerModel=… or --set skepticModel=…"):
        config(PAIR, special="a/x")
    with pytest.raises(Rejected, match="has 2 roles"):
        config(PAIR, models="a,b,c")
    with pytest.raises(Rejected, match="no such role"):
        config(CHAIN, special="a/x")
