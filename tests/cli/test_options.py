"""Options say again what the API's models say: importing those would cost every command its start-up."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, get_args, get_type_hints

import pytest

from moot.cli import insight, traces
from moot.insights.figures import Period
from moot.kernel.values import Wire
from moot.traces.export import ExportRequest, Filters
from moot.traces.formats import Format


@pytest.mark.parametrize(
    ("command", "option", "model"),
    [
        (insight.insight, "days", Period),
        (traces.export, "min_quality", Filters),
        (traces.export, "max_tokens", Filters),
        (traces.export, "split", ExportRequest),
    ],
)
def test_an_option_has_the_default_and_the_limits_of_the_api(
    command: Callable[..., None], option: str, model: type[Wire]
) -> None:
    field = model.model_fields[option]
    limits = {name: getattr(limit, name) for limit in field.metadata for name in limit.__slots__}
    given: Any = get_type_hints(command, include_extras=True)[option].__metadata__[0]
    assert (given.min, given.max) == (limits.get("ge"), limits.get("le"))
    assert signature(command).parameters[option].default == field.default


def test_the_formats_of_an_export_are_those_of_the_api() -> None:
    assert get_args(traces.FormatName) == get_args(Format)
