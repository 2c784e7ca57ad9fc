"""Pages of organizations on the operator's site."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminEmailInputWidget, UnfoldAdminTextareaWidget

from accounts.invitations.services import invitation_send_by_operator
from accounts.organizations.services import slug_check
from accounts.organizations.suspension import MAX_REASON_LENGTH, organization_resume, organization_suspend
from admin_config.services.configuration import organization_seed
from tenants.admin import OrganizationsAdmin
from tenants.context import tenant_tx
from tenants.errors import ParleyError
from tenants.models import MAX_SUSPENSION_LENGTH, FormerSlug, Organization


class OperatorOrganizationForm(forms.ModelForm[Organization]):
    """An organization, and the address of somebody who is invited to own it."""

    owner_email = forms.EmailField(
        required=False,
        label=gettext_lazy("Invite an owner"),
        help_text=gettext_lazy("Gets a mail with a link. Blank: nobody is invited."),
        widget=UnfoldAdminEmailInputWidget,
    )

    class Meta:
        model = Organization
        fields = ("name", "slug")

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if slug != self.initial.get("slug"):
            try:
                slug_check(slug, own_id=self.instance.pk)
            except ParleyError as error:
                raise ValidationError(error.message) from None
        return slug


class SuspensionForm(forms.Form):
    """Why an organization is suspended or resumed, and what its members read."""

    message = forms.CharField(
        required=False,
        max_length=MAX_SUSPENSION_LENGTH,
        label=gettext_lazy("Message for its members"),
        help_text=gettext_lazy("They read that it is suspended, and then this, such as whom to write to."),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON_LENGTH,
        help_text=gettext_lazy("For the audit logs of the platform and of the organization."),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
    )


class SeededOrganizationsAdmin(OrganizationsAdmin):
    """Organizations; a new one is seeded with the platform's agents, which are published."""

    form = OperatorOrganizationForm
    fields = ("name", "slug", "owner_email")
    change_form_outer_before_template = "admin/organization_state.html"
    list_display = ("name", "slug", "is_active", "deletion_due_at", "created_at")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.suspension_view)
        return [path("<uuid:object_id>/suspension/", view, name="tenants_organization_suspension"), *super().get_urls()]

    def suspension_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Show what a suspension does and who sees what; a POST suspends or resumes."""
        organization: Organization | None = self.get_object(request, str(object_id))
        if organization is None or request.user.pk is None:
            raise Http404
        form = SuspensionForm(request.POST or None, initial={"message": organization.suspension_message})
        if request.method == "POST" and form.is_valid():
            _suspend_or_resume(request, organization.pk, request.user.pk, **form.cleaned_data)
            return redirect("admin:tenants_organization_change", organization.pk)
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("Suspend %(organization)s") % {"organization": organization}
            if organization.is_active
            else gettext("%(organization)s is suspended") % {"organization": organization},
            "organization": organization,
            "form": form,
        }
        return TemplateResponse(request, "admin/organization_suspension.html", context)

    def changeform_view(self, request: HttpRequest, object_id: str | None = None, *args: Any, **kwargs: Any) -> HttpResponse:
        """Seed and invite once the organization is stored: its agents are rows of the app role, in a transaction of their own."""
        response: HttpResponse = super().changeform_view(request, object_id, *args, **kwargs)
        if follow_up := getattr(request, "after_organization", None):
            follow_up()
        return response

    def save_model(self, request: HttpRequest, obj: Organization, form: Any, change: bool) -> None:
        """Save, and keep an old address for its members."""
        before = form.initial.get("slug")
        super().save_model(request, obj, form, change)
        if change and before != obj.slug:
            FormerSlug.objects.filter(slug=obj.slug, organization=obj).delete()
            FormerSlug.objects.get_or_create(slug=before, defaults={"organization": obj})
        assert request.user.pk is not None  # who opens the operator's site is signed in
        email, operator_id = form.cleaned_data["owner_email"].lower(), request.user.pk
        request.after_organization = partial(_follow_up, obj, email, operator_id, is_new=not change)  # type: ignore[attr-defined]


def _suspend_or_resume(request: HttpRequest, organization_id: UUID, operator_id: int, *, message: str, reason: str) -> None:
    if request.POST.get("action") == "resume":
        organization = organization_resume(organization_id=organization_id, operator_id=operator_id, reason=reason)
        messages.success(request, gettext("%(organization)s is open to its members again.") % {"organization": organization})
    else:
        organization = organization_suspend(organization_id=organization_id, operator_id=operator_id, reason=reason, message=message)
        messages.success(request, gettext("%(organization)s is suspended.") % {"organization": organization})


def _follow_up(organization: Organization, email: str, operator_id: int, *, is_new: bool) -> None:
    if is_new:
        with tenant_tx(organization.pk, using="default"):
            organization_seed(organization_id=organization.pk)
    if email:
        invitation_send_by_operator(organization=organization, email=email, operator_id=operator_id)
