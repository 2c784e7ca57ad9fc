"""Pages of organizations on the operator's site."""

from __future__ import annotations

from functools import partial
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminEmailInputWidget

from accounts.invitations.services import invitation_send_by_operator
from accounts.organizations.services import slug_check
from admin_config.services.configuration import organization_seed
from tenants.admin import OrganizationsAdmin
from tenants.context import tenant_tx
from tenants.errors import ParleyError
from tenants.models import FormerSlug, Organization


class OperatorOrganizationForm(forms.ModelForm[Organization]):
    """An organization, and the address of somebody who is invited to own it."""

    owner_email = forms.EmailField(
        required=False,
        label=gettext_lazy("invite an owner"),
        help_text=gettext_lazy("Gets a mail with a link. Blank: nobody is invited."),
        widget=UnfoldAdminEmailInputWidget,
    )

    class Meta:
        model = Organization
        fields = ("name", "slug", "is_active", "suspension_message")

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if slug != self.initial.get("slug"):
            try:
                slug_check(slug, own_id=self.instance.pk)
            except ParleyError as error:
                raise ValidationError(error.message) from None
        return slug


class SeededOrganizationsAdmin(OrganizationsAdmin):
    """Organizations; a new one is seeded with the platform's agents, which are published."""

    form = OperatorOrganizationForm
    fields = ("name", "slug", "owner_email", "is_active", "suspension_message")
    list_display = ("name", "slug", "is_active", "deletion_due_at", "created_at")

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


def _follow_up(organization: Organization, email: str, operator_id: int, *, is_new: bool) -> None:
    if is_new:
        with tenant_tx(organization.pk, using="default"):
            organization_seed(organization_id=organization.pk)
    if email:
        invitation_send_by_operator(organization=organization, email=email, operator_id=operator_id)
