"""POST /embed/<site>/session/: a host's token, or a visitor's own, becomes a bearer for 15 minutes."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from pydantic import ValidationError

from accounts.network_rate import wait_of_network
from embed.api.schemas import EmbedSession, SessionRequest
from embed.host.tokens import host_token_check
from embed.keys import site_find, site_key
from embed.models import EmbedSite
from embed.transfer.services import transfer_to_visitor
from embed.visitors.bearers import LIFE_S, TooManyVisits, bearer_new
from embed.visitors.services import Arrival, arrive_by_host, arrive_by_token, latest_conversation_id
from security.secrets.services import secret_open
from tenants.errors import BadRequest, NotAllowed

SESSIONS_PER_MINUTE = 60  # from one network, which an office shares


@csrf_exempt  # no cookie says who asks; the check of Origin below keeps other sites' scripts away all the same
@require_POST
def session_view(request: HttpRequest, site: str) -> JsonResponse:
    """Begin a visitor's session. Only the frame's own page, which has our origin, may ask. While Redis can't count, nobody is let in."""
    if request.headers.get("Origin") != f"{request.scheme}://{request.get_host()}":
        raise NotAllowed(gettext("Only the chat's own page may begin a session."))
    address = request.META.get("REMOTE_ADDR", "")
    if wait_of_network(address, what="embed-sessions", per_minute=SESSIONS_PER_MINUTE, must_count=True):
        raise TooManyVisits
    session_request = _parse_request(request)
    arrival = _arrive(site_find(site), session_request)
    session = EmbedSession(
        bearer=bearer_new(arrival.visitor),
        life_s=LIFE_S,
        visitor_token=arrival.token,
        conversation_id=latest_conversation_id(arrival.visitor),
    )
    return JsonResponse(session.model_dump(mode="json", by_alias=True), headers={"Cache-Control": "no-store"})


def _parse_request(request: HttpRequest) -> SessionRequest:
    try:
        return SessionRequest.model_validate_json(request.body)
    except ValidationError:
        raise BadRequest from None


def _arrive(site: EmbedSite, session_request: SessionRequest) -> Arrival:
    if not session_request.host_token:
        return arrive_by_token(site, session_request.visitor_token)
    claims = host_token_check(session_request.host_token, secret=secret_open(site.secret), site=site, audience=site_key(site))
    arrival = arrive_by_host(site, claims)
    if session_request.visitor_token:
        transfer_to_visitor(session_request.visitor_token, arrival.visitor)
    return arrival
