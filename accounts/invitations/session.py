"""The invitation that a browser looked at, kept in its session through sign-up and sign-in."""

from __future__ import annotations

from django.http import HttpRequest

from accounts.invitations.acceptance import InvitationDetails, accepts, invitation_find
from tenants.errors import NotFound

SESSION_KEY = "invitation"


def invitation_of_session(request: HttpRequest) -> InvitationDetails | None:
    """Return the open invitation that waits in this browser for its person; None without one. No query where there is none."""
    token = request.session.get(SESSION_KEY)
    try:
        details = invitation_find(token) if token else None
    except NotFound:
        return None
    return details if details is not None and details.state == "open" else None


def invitation_page_of_session(request: HttpRequest) -> str | None:
    """Return the address of the invitation that waits in this browser; None without one."""
    return f"/invitation/{request.session[SESSION_KEY]}/" if invitation_of_session(request) else None


def invited_to_sign_up(request: HttpRequest, email: str) -> bool:
    """Return whether the invitation that waits in this browser may be used with this address."""
    details = invitation_of_session(request)
    return details is not None and accepts(details.row, {email.strip().lower()})
