"""Who may come to which route: one table, looked at before anything of a request is read.

Whoever adds a route need not do anything: it is for people who are signed in, and a token needs the scope
`read` to GET and `ask` for the rest. What is meant otherwise stands here.
"""

from __future__ import annotations

import re
from enum import Enum

from moot.accounts.identity import Identity, Scope
from moot.kernel.errors import Forbidden

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class Access(Enum):
    OPEN = "open"
    """Anyone, signed in or not."""
    READ = "read"
    """Whoever is signed in; a token with this scope."""
    ASK = "ask"
    """The same."""
    ADMIN = "admin"
    """Administrators; a token with this scope."""
    PERSON = "person"
    """A person, not a program: no token gets another token, or changes a password."""


TABLE: tuple[tuple[str, str, Access], ...] = (
    # The page is the same for everyone; what it shows comes from the API.
    (r"GET|HEAD", r"/|/[\w-]+\.\w+|/assets/.*", Access.OPEN),
    (r"GET|HEAD", r"/healthz|/readyz|/api/openapi\.json", Access.OPEN),
    # How people come in.
    (r".*", r"/api/session|/api/registration|/api/links/[^/]*|/api/oidc/\w+", Access.OPEN),
    # The token in the address says what may be seen.
    (r"GET|HEAD", r"/api/shared/.*", Access.OPEN),
    (r".*", r"/api/account/.*", Access.PERSON),
    # Where answers go from now on is for a person to say.
    (r"POST|DELETE", r"/api/webhooks(/.*)?", Access.PERSON),
    (r".*", r"/api/admin/.*", Access.ADMIN),
    (r"GET|HEAD", r"/metrics", Access.ADMIN),
    # They change nothing, and are too long for an address.
    (r"POST", r"/api/estimate|/api/traces/export", Access.READ),
)
_ROWS = tuple((re.compile(methods), re.compile(paths, re.DOTALL), access) for methods, paths, access in TABLE)


def access_of(method: str, path: str) -> Access:
    for methods, paths, access in _ROWS:
        if methods.fullmatch(method) and paths.fullmatch(path):
            return access
    return Access.READ if method in SAFE_METHODS else Access.ASK


def require(access: Access, who: Identity) -> None:
    """Raises Forbidden unless they may."""
    if access is Access.PERSON and who.via == "token":
        raise Forbidden("A token cannot do this: sign in on the page")
    if access is Access.ADMIN and not who.administrator:
        raise Forbidden("Only an administrator may do this")
    scope: Scope | None = access.value if access in (Access.READ, Access.ASK, Access.ADMIN) else None
    if scope is not None and scope not in who.scopes:
        raise Forbidden(f"This token does not have the scope {scope!r}")
