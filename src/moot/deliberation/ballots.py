"""One vote each: read the ballots, count them. Shared by the modes that vote.

VOTE: Response B [k7f3]          the nonce that this voter alone was given: no other line counts
VOTE: Response B                 the last that is no quotation
{"vote": "B"}                    without such a line: a JSON object, a sentence, the last label it names
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from moot.deliberation.choices import (
    UNREAD,
    Choice,
    MarkerReading,
    ParsedBy,
    Value,
    abstains,
    choose,
    favoured,
    in_cells,
    read_label,
    respelled,
)
from moot.deliberation.cut_replies import legible
from moot.deliberation.equal_answers import equal_answers
from moot.deliberation.json_reply import keyed_in
from moot.deliberation.parsing import NOTHING_SHOWN, Line, Shown, fold, lines, markers
from moot.deliberation.signatures import ballot_nonce, signing
from moot.kernel.fences import Foreign
from moot.kernel.labels import Deal, shown
from moot.kernel.seat_results import SeatResult
from moot.kernel.values import Answer, Degradable, Maybe, Prompt, Rewording, Row, Wire

if TYPE_CHECKING:
    from moot.kernel.run import Run


# What may stand in place of the colon: "VOTE -> B", "My vote is Response B", "VOTE Response B".
_VOTE = re.compile(
    r"(?<!\w)VOTE[DS]?(?:\s+(?:for|is(?:\s+for)?|goes\s+to))?\s*(?:->|=>|→|⇒|➡)\s*"
    r"|(?<!\w)VOTE[DS]?\s+(?:for|is(?:\s+for)?|goes\s+to)\s*:\s*"
    r"|^(?:my\s+)?(?:final\s+)?VOTE[DS]?\s+(?:(?:for|is(?:\s+for)?|goes\s+to)\s+)?(?=Response\s+[A-Z]\b|[B-Z](?!\w))",
    re.IGNORECASE,
)
_PATTERN = re.compile(r"\W{0,8}Response\s+\W{0,4}X\b", re.IGNORECASE)
_NAMES = ("VOTE", "MY VOTE", "FINAL VOTE", "MY FINAL VOTE")
_NAME = re.compile("|".join(_NAMES), re.IGNORECASE)
_KEYS = {"vote", "myvote", "finalvote", "votedfor", "votefor", "ballot"} | {
    *("choice", "mychoice", "selection", "winner", "best", "bestresponse", "bestanswer")
}
_DECLARES = re.compile(
    r"(?<!\w)(?:I(?:['’](?:ll|d|m)|\s+(?:will|would|do|hereby|therefore|thus|am))*\s+(?:vote|voting|cast\s+my\s+vote"
    r"|choose|choosing|pick|picking|select|selecting|go(?:ing)?|opt)(?:\s+(?:for|with))?|my\s+(?:final\s+)?(?:vote|ballot"
    r"|choice|pick|selection)\s+(?:is(?:\s+for)?|goes\s+to|would\s+be)|(?:best|winning|strongest)\s+(?:overall\s+)?"
    r"(?:response|answer|one|choice)(?:\s+overall)?\s+is|(?:overall\s+)?winner\s+is)\s*:?\s+(?=\S)",
    re.IGNORECASE,
)
_ACCLAIMS = re.compile(
    r"\b(?:Response|RESPONSE)\s+([A-Z])\s+(?i:(?:is|was|remains)\s+(?:(?!not\b|never\b|far\b|hardly\b)\w+\s+){0,3}?"
    r"(?:best(?=\s+(?:response|answer|one|choice|overall|of)\b|\W*$|\s*[.,;!])|winner|strongest|the\s+one|my\s+(?:vote"
    r"|choice|pick))|wins|(?:gets|has|earns)\s+my\s+vote)\b"
)
# A text that breaks off in the middle has not come to its choice.
_ENDS = re.compile(r"[.!?…:;)\]}\"'”’»。！？]$|\bResponse\s+[A-Z]$", re.IGNORECASE)
_DECLINES = re.compile(
    r"(?:I|we)\s+(?:(?:must|will|have\s+to|choose\s+to|therefore)\s+)?abstain\b", re.IGNORECASE
)


class VoteResponse(Wire):
    """A cast ballot; `voted_for` is null if it could not be read, or is an abstention."""

    seat: int
    model: str
    vote_text: str
    voted_for: str | None
    response_time_ms: int
    parsed_by: ParsedBy | None = None

    def row(self, stage_type: str, stage_order: int) -> Row:
        return Row(
            stage_type,
            stage_order,
            self.vote_text,
            seat=self.seat,
            model=self.model,
            role="voter",
            parsed_data={"votedFor": self.voted_for, "parsedBy": self.parsed_by},
            response_time_ms=self.response_time_ms,
        )


class BallotCount(Wire):
    """A counted round of votes, as vote and debate tell it."""

    votes: list[VoteResponse]
    tallies: dict[str, int]
    valid_vote_count: int
    invalid_vote_count: int
    is_tie: bool
    tied_labels: list[str]

    def row(self, stage_type: str, stage_order: int) -> Row:
        most = max(self.tallies.values(), default=0)
        winners = [label for label, count in self.tallies.items() if count == most]
        content = {"tallies": self.tallies, "isTie": self.is_tie, "winners": winners}
        data = {
            **content,
            "validVoteCount": self.valid_vote_count,
            "invalidVoteCount": self.invalid_vote_count,
            "tiedLabels": self.tied_labels,
        }
        return Row(stage_type, stage_order, json.dumps(content), parsed_data=data)


class BallotWinner(Degradable):
    """Whose answer the votes chose, as vote and debate tell it."""

    winner_label: str
    winner_seat: int
    winner_model: str
    winner_response: str
    vote_count: int
    total_votes: int
    tiebroken: bool
    tiebreaker_method: Maybe[Literal["alphabetical"]]
    pooled: Maybe[list[str]]
    """Several answers say the same as the winner's: the labels whose votes were counted together."""

    def row(self, stage_type: str, stage_order: int) -> Row:
        return Row(
            stage_type,
            stage_order,
            self.winner_response,
            seat=self.winner_seat,
            model=self.winner_model,
            role="winner",
            parsed_data=self.model_dump(exclude={"winner_response", "winner_seat"}),
        )


@dataclass(frozen=True)
class Tally:
    """How often each label was voted for, in order of letter."""

    counts: dict[str, int]
    invalid: int
    equal: tuple[tuple[str, ...], ...] = ()
    """Labels whose answers are equal: their votes count together when the winner is named."""

    @property
    def valid(self) -> int:
        return sum(self.counts.values())

    def pool(self, label: str) -> list[str]:
        """The labels with votes whose answers are equal to this one's, in order of letter."""
        group = next((group for group in self.equal if label in group), (label,))
        return [one for one in self.counts if one in group]

    def votes_for(self, label: str) -> int:
        """How many voted for this answer, under whichever letter."""
        return sum(self.counts[one] for one in self.pool(label))

    @property
    def leaders(self) -> list[str]:
        """Whoever has the most votes, in order of letter; several if tied, none without votes. Of equal
        answers, the one with the most votes of its own."""
        most = max(map(self.votes_for, self.counts), default=0)
        return [label for label in self.counts if self.votes_for(label) == most and self._stands_for(label)]

    def _stands_for(self, label: str) -> bool:
        return label == max(self.pool(label), key=lambda one: self.counts[one])

    @property
    def tied(self) -> list[str]:
        return self.leaders if len(self.leaders) > 1 else []


def voted_label(text: str, dealt: Collection[str], shown: Shown = NOTHING_SHOWN) -> str | None:
    """The label a model voted for. One that was not dealt is returned too, for it makes the vote invalid."""
    return cast_vote(text, dealt, shown).meaning


def cast_vote(text: str, dealt: Collection[str], shown: Shown = NOTHING_SHOWN) -> Choice:
    """The vote of a reply: by its markers, else by a JSON object, else by a sentence that says it, else the
    last label it names. Where a marker of its own stands that cannot be read, nothing else is a vote."""
    prepared = lines(text, shown.nonce)
    marked = choose(prepared, lambda written: votes_in(written, dealt), shown)
    keyed = None if marked and marked.by == "nonce" else _in_json(text, dealt, shown)
    if keyed and keyed.by == "nonce":
        return _vote(keyed)
    if marked and marked.by != "quotation":
        return _vote(marked)
    if keyed and keyed.meaning is not None:
        return _vote(keyed)
    own = [line.plain for line in prepared if line.plain and not shown.has_line(line.plain)]
    said = _said(own, dealt, shown)
    if marked and marked.meaning is not None:
        # A quotation, and a sentence that says something else: nobody can tell.
        return _vote(marked) if said is None or said.meaning == marked.meaning else UNREAD
    if said or marked or keyed or any(_declared(line.plain, dealt) for line in prepared):
        return _vote(said or UNREAD)  # a sentence that was only quoted
    named = [label for line in own for label in favoured(line) if label in dealt]
    return Choice(named[-1], "mention") if named and _ENDS.search(own[-1]) else UNREAD


_NOBODY = ""


def _vote(choice: Choice) -> Choice:
    return Choice(None, "abstention") if choice.meaning == _NOBODY else choice


def votes_in(prepared: Sequence[Line], dealt: Collection[str]) -> list[MarkerReading]:
    """Every `VOTE: …`, also in the middle of a line and in a table's row."""
    spelled = [
        respelled(in_cells(line, _NAME), _spelled) if "vote" in line.plain.casefold() else line
        for line in prepared
    ]
    found = markers(spelled, _NAMES, anywhere=True)
    return [MarkerReading(one, _read(one.value, dealt)) for one in found if not _is_pattern(one.value, dealt)]


def _spelled(plain: str) -> str:
    return _VOTE.sub("VOTE: ", plain)


def _is_pattern(value: str, dealt: Collection[str]) -> bool:
    """Whether a value is the prompt's own `Response X`."""
    return "Response X" not in dealt and _PATTERN.match(value) is not None


def _read(value: str, dealt: Collection[str]) -> Value | None:
    return read_label(value, dealt) or (Value(_NOBODY, value) if abstains(value) else None)


def _in_json(text: str, dealt: Collection[str], shown: Shown) -> Choice | None:
    """The last JSON object's that is no quotation; if one carries the nonce, no other counts. Where all are
    quotations there is a ballot, but none that can be read."""
    found = keyed_in(fold(text), _KEYS)
    own = [one for one in found if not one.is_quoted(shown)]
    signed = [one for one in own if shown.nonce and shown.nonce in one.source.casefold()]
    for one in reversed(signed or own):
        said = next(iter(one.value.values()), None) if isinstance(one.value, dict) else one.value
        reading = _read(str(said or "none"), dealt)
        if reading:
            return Choice(reading.meaning, "nonce" if signed else "json")
    return UNREAD if found and not own else None


def _said(own: Sequence[str], dealt: Collection[str], shown: Shown) -> Choice | None:
    """What sentences say: "I vote for Response B", "Response B is the best", "I abstain"."""
    declared, acclaimed = [], set()
    for line in own:
        declared += [one.meaning for one in _declared(line, dealt) if one.written not in shown]
        for match in _ACCLAIMS.finditer(line):
            if match[0] not in shown:
                acclaimed.add(f"Response {match[1]}")
    if declared:
        return Choice(declared[-1], "statement")
    if len(acclaimed) == 1 and acclaimed <= set(dealt):
        return Choice(acclaimed.pop(), "statement")
    return Choice(_NOBODY, "abstention") if any(map(_DECLINES.match, own)) else None


def _declared(line: str, dealt: Collection[str]) -> list[Value]:
    """What a line says in the form of "I vote for Response B"."""
    found = []
    for match in _DECLARES.finditer(line):
        label = read_label(line[match.end() :], dealt)
        if label and label.meaning in dealt:
            found.append(Value(label.meaning, f"{match[0]} {label.written}"))
    return found


def choice_of(answer: Answer, dealt: Collection[str], shown: Shown = NOTHING_SHOWN) -> Choice:
    """The vote of a reply. One that was cut off has not come to the label it would have named last."""
    choice = cast_vote(legible(answer), dealt, shown)
    return UNREAD if answer.breaks_off and choice.by == "mention" else choice


def read_vote(answer: Answer, dealt: Collection[str], shown: Shown) -> VoteResponse:
    choice = choice_of(answer, dealt, shown)
    return VoteResponse(
        seat=answer.seat or 0,
        model=answer.model,
        vote_text=answer.response,
        voted_for=choice.meaning,
        response_time_ms=answer.response_time_ms,
        parsed_by=choice.by,
    )


def tally(votes: Sequence[VoteResponse], dealt: Collection[str]) -> Tally:
    """A vote for a label nobody was dealt is invalid, like one that cannot be read. With the answers behind
    the labels, it is known which of them are equal."""
    valid = [vote.voted_for for vote in votes if vote.voted_for in dealt]
    counts = dict(sorted(Counter(filter(None, valid)).items()))
    texts = {label: dealt[label].response for label in dealt} if isinstance(dealt, Deal) else {}
    return Tally(counts, len(votes) - len(valid), equal_answers(texts))


def count_fields(votes: Sequence[VoteResponse], count: Tally) -> dict[str, Any]:
    """The fields of a BallotCount."""
    return {
        "votes": list(votes),
        "tallies": count.counts,
        "valid_vote_count": count.valid,
        "invalid_vote_count": count.invalid,
        "is_tie": bool(count.tied),
        "tied_labels": count.tied,
    }


def seat_results(
    count: BallotCount, won: BallotWinner, models: Mapping[str, str], seats: Mapping[str, int | None]
) -> Iterator[SeatResult]:
    """Who won a vote, and whose vote was for the winner, or for an answer that says the same."""
    winner, same = won.winner_label, won.pooled or [won.winner_label]
    for label, model in models.items():
        yield SeatResult(seats[label] or 0, model, won=label == winner)
    for vote in count.votes:
        if vote.voted_for in models:
            yield SeatResult(vote.seat, vote.model, agreed=int(vote.voted_for in same), cases=1)


def winner_fields(labels: Deal[Answer], label: str, count: Tally) -> dict[str, Any]:
    """The fields of a BallotWinner that say who won, and by how much."""
    return {
        "winner_label": label,
        "winner_seat": labels[label].seat or 0,
        "winner_model": labels[label].model,
        "winner_response": labels[label].response,
        "vote_count": count.votes_for(label),
        "total_votes": count.valid,
        "tiebroken": bool(count.tied),
        "pooled": pooled if len(pooled := count.pool(label)) > 1 else None,
    }


def ballot_prompt(run: Run[Any], template: str, labels: Deal[Answer], step: str, voter: int) -> Prompt:
    """The question and all answers under their letters, in an order of the voter's own."""
    responses = shown([(label, labels[label].response) for label in labels.order_for(voter)])
    prompt = run.fill(template, question=Foreign(run.question), responses=responses)
    signed = f"{prompt} {signing('VOTE', 'Response X', _nonce(run, labels, step, voter))}"
    return Rewording(signed, original=prompt)


def _nonce(run: Run[Any], labels: Deal[Answer], step: str, voter: int) -> str:
    return ballot_nonce(run.seed, step, voter, [run.question, *(labels[one].response for one in labels)])


async def read_votes(
    run: Run[Any], step: str, ballots: Sequence[Answer], labels: Deal[Answer]
) -> list[VoteResponse]:
    """Read every ballot; one that names no dealt label degrades the result and is said so."""
    texts = Shown([run.question, *(labels[label].response for label in labels)])
    votes = [
        read_vote(ballot, list(labels), texts.with_nonce(_nonce(run, labels, step, ballot.seat or 0)))
        for ballot in ballots
    ]
    for vote in votes:
        await _tell_how_it_was_read(run, step, vote, vote.voted_for in labels)
    return votes


async def _tell_how_it_was_read(run: Run[Any], step: str, vote: VoteResponse, counts: bool) -> None:
    if vote.parsed_by == "abstention":
        await run.degrade(f"{vote.model} abstained.", "abstention", step, seat=vote.seat)
    elif not counts:
        await run.degrade(f"{vote.model}'s vote could not be counted.", "invalid_vote", step, seat=vote.seat)
    elif vote.parsed_by == "mention":
        message = run.wording(
            f"{vote.model} did not state its vote; the last answer it named was counted.",
            original=f"{vote.model} cast no vote in words: the last answer it named was taken for it.",
        )
        await run.degrade(message, "mention", step, seat=vote.seat)
    elif vote.parsed_by == "quotation":
        message = run.wording(
            f"{vote.model}'s vote appears word for word in a text it was shown.",
            original=f"{vote.model}'s vote stands word for word in a text that it was shown.",
        )
        await run.warn(message, "quotation", step, seat=vote.seat)
