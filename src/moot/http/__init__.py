"""The HTTP door: a table of routes on one engine.

POST   /api/council/stream              ask, in any mode, and follow the run as server-sent events
GET    /api/runs                        list
GET    /api/runs/{id}                   result, calls, cost; …/verdict is for programs
GET    /api/runs/{id}/events            follow, from `Last-Event-ID`
POST   /api/runs/{id}/cancel  …/retry
POST   /api/batches                     many questions; GET lists, …/{id} reads, …/outcomes, …/cancel
GET    /api/conversations               list, search
GET    /api/conversations/{id}          read; PATCH renames, DELETE removes, …/export takes away
GET    /api/insight                     usage, cost, how models fare, where the time goes
GET    /api/traces                      list; …/{id} reads, …/rate rates, …/score grades, …/export takes away
GET    /api/templates                   list; POST adds, PUT changes, DELETE removes your own
GET    /api/presets                     list; POST adds, PATCH changes, DELETE removes, …/default begins with
POST   /api/estimate                    what a request takes at most; GET /api/estimates, each mode by default
GET    /api/session                     who is asking; POST signs in, DELETE out
POST   /api/oidc/start                  sign in elsewhere; GET …/callback brings people back
POST   /api/registration                sign up; /api/links/{token}: a link that works once
POST   /api/account/password            GET, POST, DELETE /api/account/tokens; …/export, …/deletion
POST   /api/runs/{id}/shares            GET /api/shares lists, DELETE takes back; /api/shared/{token} reads
GET    /api/account/keys                PUT saves, DELETE removes, …/test tries; /api/admin/keys: the server's
GET    /api/admin/people                …/invitations, …/runs: for administrators
GET    /api/webhooks                    list; POST adds, DELETE removes, …/test tries; …/deliveries
GET    /api/limits                      what you may do and spend, and what is left of it
GET    /api/modes  /api/models  /api/events/schema  /api/openapi.json
GET    /v1/models                       modes and presets for OpenAI's clients: see openai/
POST   /v1/chat/completions             and /v1/responses: GET …/{id} reads, …/cancel stops
POST   /mcp                             tools for assistants and agents: see moot/mcp
GET    /healthz  /readyz  /metrics
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from fastapi import FastAPI

from moot.accounts.oidc import oidc_provider
from moot.http import (
    account,
    administration,
    batches,
    conversations,
    estimates,
    export,
    health,
    insight,
    keys,
    limits,
    mcp,
    metrics,
    models,
    modes,
    oidc,
    page,
    presets,
    problems,
    runs,
    session,
    shares,
    templates,
    traces,
    webhooks,
)
from moot.http.access_log import AccessLog
from moot.http.gate import Gate
from moot.http.guard import Guard
from moot.http.openai import chat as openai_chat
from moot.http.openai import models as openai_models
from moot.http.openai import responses as openai_responses
from moot.http.shortcut import Shortcut
from moot.http.stream import AfterRoutes, Streams
from moot.http.trace_context import TraceContext
from moot.kernel.engine import Engine
from moot.metrics.meters import Meters
from moot.transport.catalogue import Catalogue

__all__ = ["PARTS", "create_app"]

PARTS = (
    runs,
    openai_chat,
    openai_responses,
    openai_models,
    batches,
    conversations,
    export,
    insight,
    modes,
    models,
    estimates,
    limits,
    presets,
    traces,
    templates,
    shares,
    webhooks,
    session,
    oidc,
    account,
    keys,
    administration,
    health,
    metrics,
)
"""The modules with routes. They are tried one after the other: where people ask comes first."""


def create_app(engine: Engine, *, static: Path = page.BUILT) -> FastAPI:
    """The application over an open engine; whoever opened it closes it, after the application."""
    app = FastAPI(
        title="moot",
        version=version("moot"),
        openapi_url="/api/openapi.json",
        docs_url=None,  # its scripts come from elsewhere, which no page of ours may load
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.engine = engine
    app.state.streams = Streams()
    app.state.oidc = oidc_provider(engine.settings)
    app.state.catalogue = engine.catalogue or Catalogue(engine.settings)
    app.state.meters = engine.meter = Meters(engine)
    for part in PARTS:
        app.include_router(part.router)
    app.router.routes.append(mcp.route(engine, app.state.streams))
    page.install(app, static)
    problems.install(app)
    app.add_middleware(AfterRoutes)
    app.add_middleware(Shortcut, engine=engine, streams=app.state.streams)
    app.add_middleware(Gate, engine=engine)
    app.add_middleware(Guard, settings=engine.settings)
    if engine.tracer is not None:
        app.add_middleware(TraceContext)
    app.add_middleware(AccessLog, settings=engine.settings)
    return app
