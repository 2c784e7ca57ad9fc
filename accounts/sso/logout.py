"""The end of sessions: here, at the provider (RP-Initiated Logout 1.0), and by the provider (Back-Channel Logout 1.0)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import redis
import structlog
from django.conf import settings
from django.contrib.auth.views import LogoutView
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from accounts.models import SignOnIdentity
from accounts.sessions.session_list import sessions_end_where
from accounts.sso.entry_points import entry_point_of_organization
from accounts.sso.errors import SignOnFailed
from accounts.sso.handshake import leave_to
from accounts.sso.metadata import metadata_load
from accounts.sso.tokens import logout_token_check
from accounts.sso.views import PROVIDER_SESSION
from security.audit import audit
from security.egress import EgressRefused
from tenants.context import tenant_tx
from tenants.errors import NotFound

log = structlog.get_logger(__name__)


@method_decorator(never_cache, name="dispatch")
class SignOutView(LogoutView):
    """Ends the session, and the one at the provider where the organization wants that."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        at_provider = _end_session_url(request.session.get(PROVIDER_SESSION))
        response = super().post(request, *args, **kwargs)
        return leave_to(request, at_provider, "your organization's sign-on") if at_provider else response


def _end_session_url(provider_session: Any) -> str:
    """Return where the provider ends its session; empty where that is not wanted or can't be found out."""
    if not isinstance(provider_session, dict) or not provider_session.get("id_token"):
        return ""
    try:
        entry_point = entry_point_of_organization(UUID(provider_session["organization"]))
        address = metadata_load(entry_point.sign_on.issuer).end_session_endpoint
    except (NotFound, SignOnFailed, EgressRefused, redis.RedisError) as error:
        log.info("not_signed_out_at_provider", error=type(error).__name__)
        return ""
    back = settings.PUBLIC_URL + reverse("login")
    query = {"id_token_hint": provider_session["id_token"], "client_id": entry_point.sign_on.client_id, "post_logout_redirect_uri": back}
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}" if address else ""


@csrf_exempt
@never_cache
@require_POST
def sign_on_logout(request: HttpRequest, organization_id: UUID) -> HttpResponse:
    """Take the provider's word that somebody signed out there: their sessions that it began end here at once."""
    try:
        sign_on = entry_point_of_organization(organization_id).sign_on
        metadata = metadata_load(sign_on.issuer)
        claims = logout_token_check(request.POST.get("logout_token", ""), metadata=metadata, client_id=sign_on.client_id)
    except (SignOnFailed, EgressRefused, NotFound) as error:
        log.info("provider_logout_refused", code=error.code, organization_id=str(organization_id))
        return JsonResponse({"error": "invalid_request", "error_description": error.code}, status=400)
    _end_sessions(organization_id, claims)
    return HttpResponse(status=200)


def _end_sessions(organization_id: UUID, claims: Mapping[str, Any]) -> None:
    lookup = {"subject": claims["sub"]} if claims.get("sub") else {"provider_sessions__contains": [claims["sid"]]}
    with tenant_tx(organization_id):
        identity = SignOnIdentity.objects.select_related("membership").filter(**lookup).first()
    if identity is None:
        return
    user_id, sid = identity.membership.user_id, claims.get("sid")

    def is_meant(session: Mapping[str, Any]) -> bool:
        provider_session = session.get(PROVIDER_SESSION) or {}
        return provider_session.get("organization") == str(organization_id) and (not sid or provider_session.get("sid") == sid)

    session_count = sessions_end_where(user_id=user_id, is_meant=is_meant)
    with tenant_tx(organization_id):
        audit(
            organization_id=organization_id,
            actor_user_id=None,
            action="sso.sign_out",
            object_kind="user",
            object_id=user_id,
            detail={"sessions": session_count},
        )


sign_out = SignOutView.as_view()
