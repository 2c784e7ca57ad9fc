"""Serves Django's admin below `/o/<slug>/admin/`.

The admin knows nothing of slugs, so each request mounts it there for its own duration. Django's script prefix means "this application is
mounted below that path": with it and a separate URLconf, every link, redirect and form action of the admin includes the organization,
without changes to templates or views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.urls import get_script_prefix, get_urlconf, resolve, set_script_prefix, set_urlconf
from structlog.contextvars import bind_contextvars

from admin_config.admin.sites.organization import organization_site
from admin_config.admin.sites.proof import needs_proof, proof_needed_page
from admin_config.services.currencies import currency_on
from tenants.access import Actor
from tenants.authentication.session_auth import actor_for_session
from tenants.context import tenant_tx
from tenants.errors import NotFound, SecondFactorNeeded, SignOnNeeded
from tenants.localization.currency import currency_shown
from tenants.request_context import note_actor
from tenants.rest.http import OrganizationRequest, redirect_to_proof

URLCONF = "admin_config.admin.sites.organization_urls"


class DeferredRedirect(HttpResponseRedirect):
    """A redirect that is sent after `work` has run outside the request's transaction.

    No request waits for another server inside a transaction (SECURITY 8).
    """

    def __init__(self, to: str, work: Callable[[], None]) -> None:
        super().__init__(to)
        self.work = work


class DeferredResponse(HttpResponse):
    """Stands for the answer that `make` returns, which is called outside the request's transaction: it takes long, as to draw a file."""

    def __init__(self, make: Callable[[], HttpResponseBase]) -> None:
        super().__init__()
        self.make = make


def organization_admin(request: HttpRequest, slug: str, rest: str = "") -> HttpResponseBase:
    """Serve the organization's admin site in one transaction of the organization.

    404 for all but its owners and admins, and its auditors on pages that are theirs to read.
    """
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    try:
        actor = _reader(request, slug)
    except (SecondFactorNeeded, SignOnNeeded) as refusal:
        if request.method in {"GET", "HEAD"}:
            return redirect_to_proof(request, refusal)
        raise
    bind_contextvars(organization_id=str(actor.organization_id))
    note_actor(actor.organization_id, actor.user_id)
    cast(OrganizationRequest, request).actor = actor
    with tenant_tx(actor.organization_id), currency_shown(currency_on), _mount_request(request, slug, f"/admin/{rest}"):
        match = resolve(request.path_info, URLCONF)
        if not (actor.can_administer or _is_auditors(request, match.url_name)):
            raise Http404
        request.resolver_match = match
        is_refused = needs_proof(request, match.url_name)
        answer = proof_needed_page(request) if is_refused else match.func(request, *match.args, **match.kwargs)
        response = _render_response(answer)
    if isinstance(response, DeferredRedirect):
        response.work()
    return response.make() if isinstance(response, DeferredResponse) else response


def _reader(request: HttpRequest, slug: str) -> Actor:
    """Return who acts, by the same rules as in the chat. Raises Http404, SecondFactorNeeded, SignOnNeeded."""
    try:
        actor = actor_for_session(request.session, user_id=request.user.pk or 0, slug=slug)
    except NotFound as error:
        raise Http404 from error
    if not actor.can_audit:
        raise Http404
    return actor


def _is_auditors(request: HttpRequest, page: str | None) -> bool:
    """Return whether an auditor may make this request: to read a page that says so itself. Every other page is closed to them."""
    return request.method in {"GET", "HEAD"} and page in organization_site.auditor_pages()


@contextmanager
def _mount_request(request: Any, slug: str, path_info: str) -> Iterator[None]:
    prefix, urlconf, outer = get_script_prefix(), get_urlconf(), (request.path_info, request.resolver_match)
    set_script_prefix(f"{prefix}o/{slug}/")
    set_urlconf(URLCONF)
    request.path_info, request.urlconf = path_info, URLCONF
    try:
        yield
    finally:
        request.path_info, request.resolver_match = outer
        del request.urlconf
        set_urlconf(urlconf)
        set_script_prefix(prefix)


def _render_response(response: HttpResponseBase) -> HttpResponseBase:
    """Render templates before the transaction and the mount end, because they run queries and build links."""
    if isinstance(response, SimpleTemplateResponse):
        return response.render()
    return response
