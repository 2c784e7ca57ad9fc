"""Pages of organizations on the operator's site."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
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
        label="invite an owner",
        help_text="Gets a mail with a link. Blank: nobody is invited.",
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

    def save_model(self, request: HttpRequest, obj: Organization, form: Any, change: bool) -> None:
        """Save, keep an old address for its members, and invite the owner after the commit."""
        before = form.initial.get("slug")
        super().save_model(request, obj, form, change)
        if change and before != obj.slug:
            FormerSlug.objects.filter(slug=obj.slug, organization=obj).delete()
            FormerSlug.objects.get_or_create(slug=before, defaults={"organization": obj})
        with tenant_tx(obj.pk):
            if not change:
                organization_seed(organization_id=obj.pk)
            if email := form.cleaned_data["owner_email"]:
                invitation_send_by_operator(organization=obj, email=email.lower(), by_user_id=request.user.pk)
