"""The page of single sign-on on an organization's admin site."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from accounts.models import SignOn
from accounts.sso.domains import domain_add, domain_check, domain_remove, record_name
from accounts.sso.forms import PeopleForm, ProviderForm, RequireForm
from accounts.sso.handshake import callback_url, logout_url
from accounts.sso.metadata import keys_count, metadata_load
from accounts.sso.page import can_require, domain_lines, provider_facts, steps_of, tested_at, week_of
from accounts.sso.presets import PRESETS
from accounts.sso.reminders import secret_warning
from accounts.sso.rights import owner_check
from accounts.sso.services import (
    PeopleFields,
    ProviderFields,
    link_forget,
    people_save,
    provider_save,
    required_set,
    sign_on_of_organization,
    sign_on_remove,
)
from accounts.sso.trial import CLAIMS, is_tested
from admin_config.admin.base import ServicePage
from admin_config.admin.sites.mount import DeferredRedirect
from tenants.admin import actor_of
from tenants.errors import NotFound, ParleyError
from tenants.models import Membership

PROVIDER_FIELDS = ("provider", "issuer", "client_id", "secret_expires_on", "needs_verified_email", "signs_out_at_provider", "is_enabled")


class SignOnPage(ServicePage):
    """How people of the organization sign in. Each of its forms posts its own `part`; changes need a recent proof (admin_config.admin.sites.proof)."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        return redirect("admin:accounts_signon_changelist")

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        row = sign_on_of_organization()
        forms = self._forms(request, row)
        part = request.POST.get("part", "") if request.method == "POST" else ""
        form = forms.get(part)
        if part and (form is None or form.is_valid()):
            try:
                with transaction.atomic():
                    return self._save(request, part, form)
            except ParleyError as error:
                if form is None:
                    messages.error(request, error.message)
                else:
                    form.add_error(None, error.message)
        return self._render(request, row, forms)

    def _render(self, request: HttpRequest, row: SignOn | None, forms: dict[str, Any]) -> HttpResponse:
        actor = actor_of(request)
        context = {
            "row": row,
            "forms": forms,
            "presets": [(value, PRESETS[value]) for value, _ in SignOn.Provider.choices],
            "addresses": [
                (gettext("Redirect address"), callback_url(actor.organization_id)),
                (gettext("Back-channel logout address"), logout_url(actor.organization_id)),
            ],
            "steps": steps_of(row),
            "facts": provider_facts(row),
            "secret_warning": secret_warning(row),
            "domains": domain_lines(actor.organization_id),
            "tested_at": tested_at(row),
            "is_tested": row is not None and is_tested(row),
            "can_require": row is not None and can_require(row, forms["require"]),
            "week": week_of() if row else [],
            "is_owner": actor.role == Membership.Role.OWNER,
            "test_path": f"/sso/{actor.organization_id}/test/",
            "claims": request.session.pop(CLAIMS, None),
        }
        return self.render_page(request, "admin/people/sign_on.html", gettext("Single sign-on"), **context)

    def _forms(self, request: HttpRequest, row: SignOn | None) -> dict[str, Any]:
        part = request.POST.get("part")

        def form_data(name: str) -> dict[str, Any]:
            return {"data": request.POST} if part == name else {}

        new = {"provider": SignOn.Provider.OTHER, "needs_verified_email": True, "is_enabled": True}
        provider_values = {name: getattr(row, name) for name in PROVIDER_FIELDS} if row else new
        forms: dict[str, Any] = {"provider": ProviderForm(row=row, initial=provider_values, **form_data("provider"))}
        if row is not None:
            people = {name: getattr(row, name) for name in ("creates_members", "default_role", "groups_claim")}
            forms["people"] = PeopleForm(row=row, initial=people, **form_data("people"))
            requirement = {"is_required": "on" if row.is_required else "", "way_in": str(row.way_in_id or "")}
            forms["require"] = RequireForm(organization_id=actor_of(request).organization_id, initial=requirement, **form_data("require"))
        return forms

    def _save(self, request: HttpRequest, part: str, form: Any) -> HttpResponse:
        actor = actor_of(request)
        match part:
            case "provider":
                row = provider_save(actor=actor, fields=ProviderFields(**form.cleaned_data))
                return DeferredRedirect(request.path, lambda: _read_provider(request, row.issuer))
            case "people":
                people_save(actor=actor, fields=PeopleFields(**form.cleaned_data))
            case "require":
                way_in = form.cleaned_data["way_in"]
                required_set(actor=actor, is_required=bool(form.cleaned_data["is_required"]), way_in_id=UUID(way_in) if way_in else None)
            case "domain-add":
                domain_add(actor=actor, domain=request.POST.get("domain", ""))
            case "domain-check":
                domain_id = _id(request)
                owner_check(actor)
                return DeferredRedirect(request.path, lambda: _check_domain(request, actor.organization_id, domain_id))
            case "domain-remove":
                domain_remove(actor=actor, domain_id=_id(request))
            case "link-forget":
                link_forget(actor=actor, email=request.POST.get("email", ""))
            case "remove":
                sign_on_remove(actor=actor)
            case _:
                raise NotFound
        messages.success(request, gettext("Saved."))
        return redirect(request.path)


def _id(request: HttpRequest) -> UUID:
    try:
        return UUID(request.POST.get("id", ""))
    except ValueError as error:
        raise NotFound from error


def _read_provider(request: HttpRequest, issuer: str) -> None:
    """Runs after the commit: the provider is another server."""
    try:
        metadata = metadata_load(issuer, is_fresh=True)
        keys_count(metadata, is_fresh=True)
        messages.success(
            request,
            gettext("Saved. The provider answers, and can sign people out.")
            if metadata.end_session_endpoint
            else gettext("Saved. The provider answers."),
        )
    except ParleyError as error:
        messages.error(request, gettext("Saved, but the provider can't be used: %(message)s") % {"message": error.message})


def _check_domain(request: HttpRequest, organization_id: UUID, domain_id: UUID) -> None:
    try:
        row = domain_check(organization_id=organization_id, domain_id=domain_id, by_user_id=request.user.pk)
    except ParleyError as error:
        messages.error(request, error.message)
        return
    if row.proven_at and not row.missing_since:
        messages.success(request, gettext("%(domain)s is proven.") % {"domain": row.domain})
    else:
        messages.error(
            request,
            gettext("The record was not found at %(domain)s. DNS can take an hour to show a change.") % {"domain": record_name(row.domain)},
        )
