"""Pages of organizations on the operator's site."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.admin import display
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminEmailInputWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from accounts.invitations.services import invitation_send_by_operator
from accounts.organizations.operator_deletion import operator_deletion_cancel, operator_deletion_request
from accounts.organizations.services import DELETION_DAYS, slug_check
from accounts.organizations.suspension import MAX_REASON_CHARS, organization_resume, organization_suspend
from admin_config.services.configuration import organization_seed
from tenants.access import suspension_text
from tenants.admin import OrganizationsAdmin
from tenants.authentication.session_proof import proved_recently
from tenants.context import tenant_tx
from tenants.errors import BadRequest, Conflict, ParleyError
from tenants.models import MAX_SUSPENSION_CHARS, FormerSlug, Organization


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
        labels: ClassVar[dict[str, Any]] = {"slug": gettext_lazy("Address")}
        error_messages: ClassVar[dict[str, Any]] = {
            "slug": {"invalid": gettext_lazy("Use small letters, digits and hyphens, such as acme.")}
        }
        help_texts: ClassVar[dict[str, Any]] = {"slug": gettext_lazy("The part after /o/: small letters, digits and hyphens.")}

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
        max_length=MAX_SUSPENSION_CHARS,
        label=gettext_lazy("Message for its members"),
        help_text=gettext_lazy("They read that it is suspended, and then this, such as whom to write to."),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON_CHARS,
        help_text=gettext_lazy("For the audit logs of the platform and of the organization."),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
    )


class DeletionForm(forms.Form):
    """Why an organization is deleted or kept."""

    typed_name = forms.CharField(
        required=False, label=gettext_lazy("Its name"), widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"})
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON_CHARS,
        help_text=gettext_lazy("For the audit logs of the platform and of the organization."),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
    )


class SeededOrganizationsAdmin(OrganizationsAdmin):
    """Organizations; a new one is seeded with the platform's agents, which are published."""

    form = OperatorOrganizationForm
    fields = ("name", "slug", "owner_email")
    change_form_outer_before_template = "admin/organization/organization_state.html"
    list_display = ("name", "address", "is_active", "deletion_due_at", "created_at")

    @display(description=gettext_lazy("address"), ordering="slug")
    def address(self, organization: Organization) -> str:
        return f"/o/{organization.slug}/"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<uuid:object_id>/suspension/", view(self.suspension_view), name="tenants_organization_suspension"),
            path("<uuid:object_id>/deletion/", view(self.deletion_view), name="tenants_organization_deletion"),
            *super().get_urls(),
        ]

    def suspension_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Show what a suspension does and what its members read then; a POST suspends, resumes, or shows that anew."""
        organization = self._organization(request, object_id)
        is_preview = request.POST.get("action") == "preview"
        form = SuspensionForm(
            None if is_preview else request.POST or None,
            initial=request.POST.dict() if is_preview else {"message": organization.suspension_message},
        )
        if request.method == "POST" and form.is_valid():
            _suspend_or_resume(request, organization.pk, **form.cleaned_data)
            return redirect("admin:tenants_organization_change", organization.pk)
        title = gettext("Suspend %(organization)s") if organization.is_active else gettext("%(organization)s is suspended")
        message = str(form["message"].value() or "").strip()[:MAX_SUSPENSION_CHARS]
        return self._page(request, "suspension", organization, form, title, members_read=suspension_text(organization.name, message))

    def deletion_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Show what a deletion takes and when; a POST asks for it, or keeps the organization."""
        if not proved_recently(request.session):
            return redirect_to_login(request.get_full_path(), settings.PROOF_URL)
        organization = self._organization(request, object_id)
        form = DeletionForm(request.POST or None)
        if organization.deletion_by_operator:
            del form.fields["typed_name"]
        if request.method == "POST" and form.is_valid():
            try:
                _delete_or_keep(request, organization.pk, **form.cleaned_data)
                return redirect("admin:tenants_organization_change", organization.pk)
            except BadRequest as error:
                form.add_error("typed_name", error.message)
            except Conflict as error:
                form.add_error(None, error.message)
        title = gettext("Delete %(organization)s") if organization.deletion_due_at is None else gettext("%(organization)s will be deleted")
        return self._page(request, "deletion", organization, form, title, deletion_days=DELETION_DAYS)

    def _organization(self, request: HttpRequest, object_id: UUID) -> Organization:
        organization: Organization | None = self.get_object(request, str(object_id))
        if organization is None:
            raise Http404
        return organization

    def _page(
        self, request: HttpRequest, name: str, organization: Organization, form: forms.Form, title: str, **context: Any
    ) -> TemplateResponse:
        page_context = {"title": title % {"organization": organization}, "organization": organization, "form": form, **context}
        return TemplateResponse(
            request,
            f"admin/organization/organization_{name}.html",
            {**self.admin_site.each_context(request), "opts": self.opts, **page_context},
        )

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
        email, operator_id = form.cleaned_data["owner_email"].lower(), _operator_id(request)
        request.after_organization = partial(_follow_up, obj, email, operator_id, is_new=not change)  # type: ignore[attr-defined]


def _suspend_or_resume(request: HttpRequest, organization_id: UUID, *, message: str, reason: str) -> None:
    operator_id = _operator_id(request)
    if request.POST.get("action") == "resume":
        organization = organization_resume(organization_id=organization_id, operator_id=operator_id, reason=reason)
        messages.success(request, gettext("%(organization)s is open to its members again.") % {"organization": organization})
    else:
        organization = organization_suspend(organization_id=organization_id, operator_id=operator_id, reason=reason, message=message)
        messages.success(request, gettext("%(organization)s is suspended.") % {"organization": organization})


def _delete_or_keep(request: HttpRequest, organization_id: UUID, *, reason: str, typed_name: str = "") -> None:
    by: dict[str, Any] = {"organization_id": organization_id, "operator_id": _operator_id(request), "reason": reason}
    if request.POST.get("action") == "keep":
        organization = operator_deletion_cancel(**by)
        messages.success(request, gettext("%(organization)s stays.") % {"organization": organization})
    else:
        organization = operator_deletion_request(typed_name=typed_name, **by)
        assert organization.deletion_due_at is not None
        words = {"organization": organization, "day": date_format(organization.deletion_due_at, "j F Y")}
        messages.success(request, gettext("%(organization)s will be deleted on %(day)s. Its owners get a mail.") % words)


def _operator_id(request: HttpRequest) -> int:
    assert request.user.pk is not None  # who opens the operator's site is signed in
    return int(request.user.pk)


def _follow_up(organization: Organization, email: str, operator_id: int, *, is_new: bool) -> None:
    if is_new:
        with tenant_tx(organization.pk, using="default"):
            organization_seed(organization_id=organization.pk)
    if email:
        invitation_send_by_operator(organization=organization, email=email, operator_id=operator_id)
