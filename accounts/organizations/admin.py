"""Admin page of an organization on its own site: looks, policy, transfer, deletion."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils.translation import gettext

from accounts.members.services import ownership_transfer
from accounts.organizations.forms import OrganizationForm, PolicyForm, SecondFactorForm, TransferForm
from accounts.organizations.member_policy import MemberPolicy, member_policy_set
from accounts.organizations.second_factor import second_factor_form_values, second_factor_set
from accounts.organizations.services import (
    DELETION_DAYS,
    organization_change,
    organization_deletion_cancel,
    organization_deletion_request,
    organization_logo_set,
)
from accounts.sso.domains import proven_domains
from admin_config.admin.base import ServicePage
from security.audit import audit
from tenants.access import actor_refresh
from tenants.admin import actor_of
from tenants.context import identity_tx
from tenants.errors import NotAllowed, ParleyError
from tenants.members import logo_path
from tenants.models import Membership, Organization


class OrganizationPage(ServicePage):
    """The page of the only organization that the site shows."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Organization]:
        return Organization.objects.filter(pk=actor_of(request).organization_id)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        return redirect("admin:tenants_organization_changelist")

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the page; each of its forms posts its own `part`."""
        organization = self.get_queryset(request).get()
        forms = self._forms(request, organization)
        if request.method == "POST":
            part = request.POST.get("part", "")
            form = forms.get(part)
            if form is None or form.is_valid():
                try:
                    with transaction.atomic():
                        return self._save(request, part, form, organization)
                except ParleyError as error:
                    if form is None or part == "transfer":  # which only owners see
                        messages.error(request, error.message)
                    else:
                        form.add_error(None, error.message)
        context = {
            "organization": organization,
            "forms": forms,
            "is_owner": actor_of(request).role == Membership.Role.OWNER,
            "logo_path": logo_path(organization),
            "deletion_days": DELETION_DAYS,
        }
        return self.render_page(request, "admin/organization/organization.html", gettext("Organization"), **context)

    def _forms(self, request: HttpRequest, organization: Organization) -> dict[str, Any]:
        part = request.POST.get("part")
        policy = MemberPolicy.model_validate(organization.policy or {})
        looks = {"name": organization.name, "slug": organization.slug, "accent_color": organization.accent_color}
        policy_values = {**policy.model_dump(), "email_domains": " ".join(policy.email_domains)}

        def form_data(name: str) -> dict[str, Any]:
            return {"data": request.POST, "files": request.FILES} if part == name else {}

        form = OrganizationForm(initial=looks, **form_data("looks"))
        if not organization.logo_version:
            del form.fields["remove_logo"]
        return {
            "looks": form,
            "policy": PolicyForm(initial=policy_values, proven_domains=proven_domains(organization.pk), **form_data("policy")),
            "second_factor": SecondFactorForm(initial=second_factor_form_values(organization), **form_data("second_factor")),
            "transfer": TransferForm(organization=organization, own_id=actor_of(request).membership_id, **form_data("transfer")),
        }

    def _save(self, request: HttpRequest, part: str, form: Any, organization: Organization) -> HttpResponse:
        actor = actor_of(request)
        slug = organization.slug
        match part:
            case "looks":
                data = form.cleaned_data
                slug = organization_change(actor=actor, name=data["name"], slug=data["slug"], accent_color=data["accent_color"]).slug
                if data["logo"] is not None or data.get("remove_logo"):
                    organization_logo_set(actor=actor, picture=data["logo"])
                messages.success(request, gettext("Saved."))
            case "policy":
                self._save_policy(request, form, organization)
                messages.success(request, gettext("Saved."))
            case "second_factor":
                second_factor_set(actor=actor, **form.cleaned_data)
                messages.success(request, gettext("Saved. Members are asked from the end of these days on."))
            case "transfer":
                ownership_transfer(actor=actor, membership_id=UUID(form.cleaned_data["member"]))
                messages.success(request, gettext("The organization has a new owner. You are an admin now."))
            case "delete":
                organization_deletion_request(actor=actor, typed_name=request.POST.get("typed_name", ""))
                messages.success(request, gettext("The organization will be deleted. You can keep it until then."))
            case "keep":
                organization_deletion_cancel(actor=actor)
                messages.success(request, gettext("The organization stays."))
        return HttpResponseRedirect(f"/o/{slug}/admin/tenants/organization/")

    def _save_policy(self, request: HttpRequest, form: PolicyForm, organization: Organization) -> None:
        actor = actor_of(request)
        with identity_tx(actor.organization_id, acting_user_id=actor.user_id):
            if not actor_refresh(actor, lock=True).can_administer:
                raise NotAllowed
            before = MemberPolicy.model_validate(organization.policy or {}).model_dump(mode="json")
            member_policy_set(organization=organization, policy=form.policy)
            after = form.policy.model_dump(mode="json")
            changed = [key for key in after if after[key] != before[key]]
            audit(
                organization_id=organization.pk,
                actor_user_id=actor.user_id,
                action="organization.policy",
                object_kind="organization",
                object_id=organization.pk,
                detail={"before": {key: before[key] for key in changed}, "after": {key: after[key] for key in changed}},
            )
