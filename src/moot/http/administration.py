"""An administrator's routes: people and what they spend, invitations, everybody's running runs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import Field, StringConstraints

from moot.accounts import administration, deletion, links
from moot.accounts.administration import SPEND_DAYS, Resident, RunningRun
from moot.accounts.links import INVITATION_DAYS
from moot.accounts.queries import StoredLink
from moot.http.bodies import body_schema, read_body
from moot.http.dependencies import REFUSALS, OneEngine
from moot.kernel.clock import iso
from moot.kernel.values import Maybe, Wire

router = APIRouter(tags=["administration"], responses=REFUSALS)


class PersonSpend(Wire):
    """`dollars`: as far as providers say what calls cost."""

    days: int
    runs: int
    dollars: float


class PersonEntry(Wire):
    """`account`: they sign in here; else it is a name under which there are runs."""

    id: str
    name: str
    account: bool
    administrator: bool
    disabled: bool
    created_at: str | None
    spend: PersonSpend

    @classmethod
    def of(cls, one: Resident) -> PersonEntry:
        account = one.account
        return cls(
            id=one.id,
            name=one.name,
            account=account is not None,
            administrator=account is not None and account.administrator,
            disabled=account is not None and account.disabled_at is not None,
            created_at=None if account is None else iso(account.created_at),
            spend=PersonSpend(days=SPEND_DAYS, runs=one.spend.runs, dollars=one.spend.dollars),
        )


class PersonList(Wire):
    people: list[PersonEntry]


class PersonChange(Wire):
    """What is to change; the rest stays."""

    administrator: Maybe[bool]
    disabled: Maybe[bool]


class NewInvitation(Wire):
    """`note`: who it is for, in your own words."""

    administrator: bool = False
    days: int = Field(INVITATION_DAYS, ge=1, le=90)
    note: Annotated[
        str, StringConstraints(strip_whitespace=True, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")
    ] = ""


class Invitation(Wire):
    id: str
    administrator: bool
    note: str
    created_at: str
    expires_at: str

    @classmethod
    def of(cls, one: StoredLink) -> Invitation:
        return cls(
            id=one.id,
            administrator=one.administrator,
            note=one.note,
            created_at=iso(one.created_at),
            expires_at=iso(one.expires_at),
        )


class InvitationWithLink(Invitation):
    """`path`: the link, after the address of the server; it is shown this once."""

    path: str


class InvitationList(Wire):
    invitations: list[Invitation]


class ResetLink(Wire):
    """`path`: the link, after the address of the server; it is shown this once."""

    path: str
    expires_at: str


class RunningEntry(Wire):
    """Somebody's run, without its question."""

    id: str
    user_id: str
    name: str
    mode: str
    started_at: str
    calls: int
    dollars: float

    @classmethod
    def of(cls, one: RunningRun) -> RunningEntry:
        return cls(
            id=one.id,
            user_id=one.user_id,
            name=one.name,
            mode=one.mode,
            started_at=iso(one.started_at),
            calls=one.calls,
            dollars=one.dollars,
        )


class RunningList(Wire):
    runs: list[RunningEntry]


@router.get("/api/admin/people")
async def list_people(engine: OneEngine) -> PersonList:
    """List everyone, with what they have spent lately."""
    return PersonList(people=[PersonEntry.of(one) for one in await administration.list_residents(engine)])


@router.patch("/api/admin/people/{person_id}", status_code=204, openapi_extra=body_schema(PersonChange))
async def change_person(person_id: str, request: Request, engine: OneEngine) -> Response:
    """Make someone an administrator or not, or disable their account: they are signed out, their tokens
    stop working, and their data stays."""
    given = await read_body(request, PersonChange)
    await administration.change_person(
        engine, person_id, administrator=given.administrator, disabled=given.disabled
    )
    return Response(status_code=204)


@router.delete("/api/admin/people/{person_id}", status_code=204)
async def delete_person(person_id: str, engine: OneEngine) -> Response:
    """Delete someone and all their data, for good. What they spent stays in the totals, without a name."""
    await deletion.delete_person(engine, person_id)
    return Response(status_code=204)


@router.post("/api/admin/people/{person_id}/reset", status_code=201)
async def reset_password(person_id: str, engine: OneEngine) -> ResetLink:
    """Create a link that lets someone choose a new password. The old one works until they do."""
    made = await links.reset(engine, person_id)
    return ResetLink(path=links.path_of(made.token), expires_at=iso(made.link.expires_at))


@router.get("/api/admin/invitations")
async def list_invitations(engine: OneEngine) -> InvitationList:
    """List unused invitations, newest first."""
    return InvitationList(invitations=[Invitation.of(one) for one in await links.invitations(engine)])


@router.post("/api/admin/invitations", status_code=201, openapi_extra=body_schema(NewInvitation))
async def invite(request: Request, engine: OneEngine) -> InvitationWithLink:
    """Create a link that lets one person create an account."""
    given = await read_body(request, NewInvitation, empty=b"{}")
    made = await links.invite(engine, administrator=given.administrator, days=given.days, note=given.note)
    shown = Invitation.of(made.link).model_dump(by_alias=False)
    return InvitationWithLink(**shown, path=links.path_of(made.token))


@router.delete("/api/admin/invitations/{invitation_id}", status_code=204)
async def withdraw_invitation(invitation_id: str, engine: OneEngine) -> Response:
    """Withdraw an unused invitation."""
    await links.withdraw(engine, invitation_id)
    return Response(status_code=204)


@router.get("/api/admin/runs")
async def list_running(engine: OneEngine) -> RunningList:
    """List everyone's runs in progress, oldest first, without their questions."""
    return RunningList(runs=[RunningEntry.of(one) for one in await administration.running_runs(engine)])


@router.post("/api/admin/runs/{run_id}/stop", status_code=204)
async def stop_run(run_id: str, engine: OneEngine) -> Response:
    """Stop anyone's run for good."""
    await administration.stop_run(engine, run_id)
    return Response(status_code=204)
