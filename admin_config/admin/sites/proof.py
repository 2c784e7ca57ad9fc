"""Which requests to an organization's admin site are dangerous acts, for which a recent proof is asked (tenants.authentication.session_proof).

The pages' script asks before a form is sent (static/admin_config/proof.js); here the server insists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.http import HttpRequest, QueryDict
from django.template.response import TemplateResponse
from django.utils.translation import gettext

from admin_config.admin.sites.organization import organization_site
from tenants.authentication.session_proof import proved_recently

SECRET_FIELDS = ("new_key", "new_secret")  # keys of endpoints, secrets of tools and of plugins; inlines put a prefix before the name
ORGANIZATION_PARTS = frozenset({"second_factor", "transfer", "delete"})

ACTS: Mapping[str, Callable[[QueryDict], bool]] = {
    "security_registeredsecret_add": lambda sent: bool(sent.get("value")),
    "security_registeredsecret_change": lambda sent: bool(sent.get("value")),
    "security_auditevent_webhooks": lambda sent: True,  # shows the new webhook's secret
    "tenants_membership_service": lambda sent: True,  # makes an API token
    "embed_embedsite_secret": lambda sent: True,  # shows the new secret
    "accounts_signon_changelist": lambda sent: True,
    "tenants_organization_changelist": lambda sent: sent.get("part") in ORGANIZATION_PARTS,
}


def needs_proof(request: HttpRequest, page: str | None) -> bool:
    """Return whether the request is a dangerous act of somebody who proved who they are longer ago than 15 minutes."""
    return request.method == "POST" and _is_dangerous(request.POST, page) and not proved_recently(request.session)


def _is_dangerous(post: QueryDict, page: str | None) -> bool:
    act = ACTS.get(page or "")
    if act is not None and act(post):
        return True
    return any(value for name, value in post.items() if name.rpartition("-")[2] in SECRET_FIELDS)


def proof_needed_page(request: HttpRequest) -> TemplateResponse:
    """Say that nothing was saved, and where to confirm. Only browsers without scripts get here."""
    context = {**organization_site.each_context(request), "title": gettext("Confirm it's you")}
    return TemplateResponse(request, "admin/people/proof_needed.html", context, status=403)
