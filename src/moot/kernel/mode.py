"""Mode: one way to deliberate, as a frozen value. Its file holds all there is to know about it.

MODE = Mode(
    id="vote",
    about=About(name="Vote", …),
    config=VoteConfig,
    defaults=defaults,
    pipeline=vote,
    events=(VoteStart, Stage1Start, …),
    rows=rows,
    result=result,
    answer=answer,
    viable_after=Stage1Complete,
    title_model=lambda config: config.chairman_model,
    planned_calls=lambda config: (*each("collect", config.models), …),
)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, Literal, TypeVar

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError, core_schema

from moot.kernel.call_estimate import PlannedCalls
from moot.kernel.errors import Rejected
from moot.kernel.events import SHARED, Event, Opening
from moot.kernel.judgement import Judge
from moot.kernel.narration import Narration
from moot.kernel.seat_results import SeatResults
from moot.kernel.values import CouncilRow, Row, TableRow, Wire, is_model_id

if TYPE_CHECKING:
    from moot.kernel.run import Run


def problem(message: str) -> PydanticCustomError:
    """What a config's validator raises: the message reaches the person word for word."""
    return PydanticCustomError("moot", "{message}", {"message": message})


ASKED: Final = {"asked": True}
"""The validation context of a request. What was stored is read without it, and so without the rules on
model ids, which may be younger."""


@dataclass(frozen=True)
class ModelName:
    """The field holds the id of a model. `missing`: the words for a blank one, with the field's name.
    `may_be_blank`: what it is in has words of its own for that."""

    missing: str | None = None
    may_be_blank: bool = False

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.with_info_before_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "format": "model"}

    def _check(self, value: Any, info: ValidationInfo) -> str:
        if not isinstance(value, str):
            raise PydanticCustomError("model_id", "This is not a model id")
        if self.missing is not None and not value.strip():
            raise problem(self.missing.format(name=to_camel(info.field_name or "model")))
        allowed = is_model_id(value) or (self.may_be_blank and not value.strip())
        if info.context is ASKED and not allowed:
            raise PydanticCustomError("model_id", "This is not a model id")
        return value.strip()


ModelId = Annotated[str, ModelName()]
RoleModel = Annotated[str, ModelName("{name} must not be empty")]
"""The model of a single role; a blank one is refused with the field's name."""


@dataclass(frozen=True)
class Count:
    """How many entries a list may have, with the words for too few and too many."""

    fewest: int
    most: int
    few: str
    many: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "minItems": self.fewest, "maxItems": self.most}

    def _check(self, value: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(value) < self.fewest:
            raise problem(self.few)
        if len(value) > self.most:
            raise problem(self.many)
        return value


@dataclass(frozen=True)
class Between:
    """A number's range, said as `timeoutMs must be between 10000 and 300000`."""

    name: str
    lowest: float
    highest: float

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "minimum": self.lowest, "maximum": self.highest}

    def _check(self, value: float) -> float:
        if not self.lowest <= value <= self.highest:
            raise problem(f"{self.name} must be between {self.lowest} and {self.highest}")
        return value


TimeoutMs = Annotated[int, Field(title="Timeout", description="How long one call may take, in milliseconds.")]


class ModeConfig(Wire):
    """What every mode's config has. A mode with other bounds declares `timeout_ms` again, in one line."""

    timeout_ms: Annotated[TimeoutMs, Between("timeoutMs", 10_000, 300_000)] = 120_000


FULL_PANEL = 5
"""The seeds' panel has so many models, and a place in it for every role."""


@dataclass(frozen=True)
class Panel:
    """The models from which default panels are drawn, best first. `by_strength`: the same ones, the strongest
    first, where that is another order. `problem`: why there are none."""

    models: tuple[str, ...]
    by_strength: tuple[str, ...] = ()
    problem: str = ""

    def special(self, place: int = 0, named: object = None) -> str:
        """The model of a role that judges, plans or puts together what the others do: the one at `place`. In
        a panel of fewer than five, which has no place for every role, it is the one that was `named`, or the
        strongest: whoever judges must be able to read what it judges, and the last of a list is often the
        smallest."""
        if len(self.models) >= FULL_PANEL:
            return self.models[place]
        return named if isinstance(named, str) and named in self.models else self._strongest

    @property
    def _strongest(self) -> str:
        return (self.by_strength or self.models)[0]

    def without(self, model: str) -> Panel:
        """The others; the same panel where there are none."""
        return Panel(tuple(one for one in self.models if one != model) or self.models)

    def pick(self, count: int, skip: int = 0) -> list[str]:
        """`count` models from place `skip` on; from the start again where there are fewer."""
        return [self.models[(skip + place) % len(self.models)] for place in range(count)]

    def other_than(self, taken: Iterable[str], preferred: int = 0) -> str:
        """A model that is not among `taken`, the one at place `preferred` if it can be; the first model
        where all are taken."""
        rest = set(taken)
        order = [*self.models[preferred:], *self.models[:preferred]]
        return next((model for model in order if model not in rest), self.models[0])


@dataclass(frozen=True)
class Question:
    """What a mode asks of the question: its words for a missing one, and how long it may be."""

    missing: str = "Question is required"
    longest: int | None = None
    too_long: str = "The question has {length} characters, the limit is {longest}"

    def check(self, question: str, longest: int) -> None:
        """Raises Rejected. `longest` holds where the mode has no limit of its own."""
        if not question.strip():
            raise Rejected(self.missing, (("question", self.missing),))
        limit = self.longest or longest
        if len(question) > limit:
            said = self.too_long.format(length=len(question), longest=limit)
            raise Rejected(said, (("question", said),))


Family = Literal[
    "evaluation", "adversarial", "sequential", "role_based", "algorithmic", "creative", "verification"
]


@dataclass(frozen=True)
class About:
    """What every door says of a mode before it is asked: `description` how it goes, `good_for` when to
    choose it. `models`: how few and how many, special roles such as a chairman included. `seconds`: how
    long it takes as a rule."""

    name: str
    family: Family
    description: str
    good_for: str
    models: tuple[int, int]
    seconds: int
    requires_special_role: bool = False
    supports_multi_turn: bool = False


class ModeEntry(Wire):
    """`About`, as it stands on the wire."""

    id: str
    name: str
    family: Family
    description: str
    good_for: str
    min_models: int
    max_models: int
    requires_special_role: bool
    supports_multi_turn: bool
    estimated_duration_ms: int


C = TypeVar("C", bound=ModeConfig)


def nothing_more(config: Any) -> Mapping[str, Any]:
    return {}


def nothing_left(run: Any, status: str) -> Iterable[Event]:
    return ()


def question_itself(config: Any, question: str) -> str:
    return question


@dataclass(frozen=True)
class Mode(Generic[C]):
    """See the module's example. `events` starts with the opening event.

    `defaults` gives what a request left out, from the panel and what was given. `rows`, `result`
    and `answer` are pure: what is kept of an event, and folds over the story. Before an event of
    class `viable_after` is told, or while that function of the story is false, nothing of a run that
    fails or is cancelled is worth keeping. `timed`: the pipeline's working time is limited.
    `planned_calls` says which calls a run with this config makes at most: see `call_estimate.py`.
    `writer_model` writes the answer, if another model than the title's does: it is asked for the answer in a
    caller's schema.
    `opening_extras` are the fields that the mode's opening event declares beyond the shared ones.
    `closing_events` are what a run that is cancelled or fails, and is worth keeping, tells before its end.
    `seat_results` says who won and who agreed. `judges` is where the request has a text that is to be judged:
    `question`, or a field of the config by its name on the wire. `parts` are events called `…_start` that
    begin no stage but a part of one. `narration` tells its events to people,
    `judgement` its outcome to programs.
    """

    id: str
    about: About
    config: type[C]
    defaults: Callable[[Panel, Mapping[str, Any]], Mapping[str, Any]]
    pipeline: Callable[[Run[C]], Awaitable[None]]
    events: tuple[type[Event], ...]
    rows: Callable[[Event], Iterable[Row | CouncilRow | TableRow]]
    result: Callable[[Sequence[Event]], Wire]
    answer: Callable[[Sequence[Event]], str | None]
    viable_after: type[Event] | Callable[[Sequence[Event]], bool]
    title_model: Callable[[C], str]
    planned_calls: Callable[[C], Iterable[PlannedCalls]]
    title_text: Callable[[C, str], str] = question_itself
    writer_model: Callable[[C], str] | None = None
    opening_extras: Callable[[C], Mapping[str, Any]] = nothing_more
    closing_events: Callable[[Run[C], str], Iterable[Event]] = nothing_left
    question: Question = Question()
    timed: bool = True
    anonymous_until: type[Event] | None = None
    seat_results: SeatResults | None = None
    judges: str | None = None
    parts: tuple[type[Event], ...] = ()
    narration: Narration | None = field(default=None, hash=False)  # it holds tables
    judgement: Judge | None = None

    @cached_property
    def entry(self) -> ModeEntry:
        about = self.about
        return ModeEntry(
            id=self.id,
            name=about.name,
            family=about.family,
            description=about.description,
            good_for=about.good_for,
            min_models=about.models[0],
            max_models=about.models[1],
            requires_special_role=about.requires_special_role,
            supports_multi_turn=about.supports_multi_turn,
            estimated_duration_ms=about.seconds * 1000,
        )

    @property
    def opening(self) -> type[Opening]:
        opening = self.events[0]
        assert issubclass(opening, Opening)
        return opening

    @cached_property
    def _by_type(self) -> dict[str, type[Event]]:
        return {event.type: event for event in (*SHARED, *self.events[1:])}

    @cached_property
    def stage_starts(self) -> frozenset[str]:
        """The types of the events that begin a stage."""
        starts = {event.type for event in self.events if event.type.endswith("_start")}
        return frozenset(starts - {f"{self.id}_start"} - {part.type for part in self.parts})

    def read_event(self, number: int, type: str, body: bytes) -> Event:
        """A stored event as the object it was; the first of a run is always the opening. A field that has
        since gone is passed over: old stories stay readable."""
        kind = self.opening if number == 1 else self._by_type[type]
        return kind.model_validate_json(body, extra="ignore")

    def hides(self, seat: int | None) -> bool:
        """Whether the model in this seat must stay unknown."""
        return seat is not None and self.anonymous_until is not None

    def is_viable(self, story: Sequence[Event]) -> bool:
        """Whether what was told so far is worth keeping should the run end now."""
        if isinstance(self.viable_after, type):
            return any(isinstance(event, self.viable_after) for event in story)
        return self.viable_after(story)


def models_of(config: Wire) -> list[str]:
    """Every model id a config names, in order: the values of all fields called `…model` or `…models`."""
    found: list[str] = []
    for name in type(config).model_fields:
        value = getattr(config, name)
        entries = value if isinstance(value, tuple | list) else (value,)
        if name.endswith(("model", "models")):
            found += [entry for entry in entries if isinstance(entry, str)]
        for entry in entries:
            if isinstance(entry, Wire):
                found += models_of(entry)
    return found
