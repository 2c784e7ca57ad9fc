"""Admin classes of users, organizations and memberships, and the base classes for an organization's own admin site.

Nothing is registered here: the sites that show these classes are in admin_config.admin.sites, a higher layer that imports this one.
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, cast
from uuid import UUID

from django import forms
from django.contrib.admin import display
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminPasswordWidget

from tenants.access import Actor
from tenants.context import identity_tx
from tenants.models import Membership, User
from tenants.rest.http import OrganizationRequest

# The roles that each role may grant and revoke: never more rights than its own.
GRANTABLE_ROLES: dict[str, tuple[str, ...]] = {
    Membership.Role.OWNER: (Membership.Role.OWNER, Membership.Role.ADMIN, Membership.Role.MEMBER, Membership.Role.VIEWER),
    Membership.Role.ADMIN: (Membership.Role.ADMIN, Membership.Role.MEMBER, Membership.Role.VIEWER),
}


class AuditingSite(Protocol):
    """An admin site that writes the audit log."""

    def record(self, request: HttpRequest, row: Model, action: str, fields: list[str]) -> None: ...


def actor_of(request: HttpRequest) -> Actor:
    """Return the administrator who makes this request on an organization's site."""
    return cast(OrganizationRequest, request).actor


class AuditedAdmin(ModelAdmin):  # type: ignore[misc]  # the theme has no types
    """Base admin class that writes changes to our audit log instead of Django's, which knows no organizations.

    Django's history page is disabled for the same reason.
    """

    actions = None

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Remove the related-object pop-ups beside choices: they would be further entry points to the same rows."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and isinstance(field.widget, RelatedFieldWidgetWrapper):
            field.widget = field.widget.widget
        return field

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> None:
        cast(AuditingSite, self.admin_site).record(request, obj, "create", [])

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> None:
        cast(AuditingSite, self.admin_site).record(request, obj, "change", _changed_fields(message))

    def log_deletions(self, request: HttpRequest, queryset: Any) -> None:
        for row in queryset:
            cast(AuditingSite, self.admin_site).record(request, row, "delete", [])

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        raise Http404

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Allow only the listed filters: a lookup through a relation could read fields that no page shows."""
        return lookup.split("__", maxsplit=1)[0] in {str(name) for name in self.list_filter}


class OrganizationAdmin(AuditedAdmin):
    """Base admin class on an organization's site: owners and admins may do everything that a subclass doesn't refuse."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return actor_of(request).can_administer

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).can_administer

    def has_add_permission(self, request: HttpRequest) -> bool:
        return actor_of(request).can_administer

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).can_administer

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).can_administer


class MembershipForm(forms.ModelForm[Membership]):
    """Form of a member's role."""

    class Meta:
        model = Membership
        fields = ("role",)


class MemberAdmin(OrganizationAdmin):
    """The members of one organization and their roles."""

    form = MembershipForm
    list_display = ("person", "email", "role", "created_at")
    list_display_links = ("person",)
    list_filter = ("role",)
    search_fields = ("user__name", "user__email")
    list_select_related = ("user",)
    ordering = ("user__name", "user__email")
    sortable_by = ()
    readonly_fields = ("person", "email", "created_at")
    fields = ("person", "email", "role", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        members: QuerySet[Membership] = super().get_queryset(request)
        return members.filter(organization_id=actor_of(request).organization_id)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Refuse to change one's own role, or that of somebody with more rights."""
        actor = actor_of(request)
        if obj is None or not actor.can_administer:
            return actor.can_administer
        assert isinstance(obj, Membership)
        return obj.user_id != actor.user_id and obj.role in GRANTABLE_ROLES[actor.role]

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "role":
            kwargs["choices"] = [choice for choice in Membership.Role.choices if choice[0] in GRANTABLE_ROLES[actor_of(request).role]]
        return super().formfield_for_choice_field(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        """Save the role. Raises PermissionDenied when a role has changed since the page was checked.

        Without this second check, two admins could change each other's roles at the same time.
        """
        actor = actor_of(request)
        with identity_tx(actor.organization_id, acting_user_id=actor.user_id):
            locked = _locked_memberships(actor.organization_id, {actor.membership_id, obj.id})
            grantable = GRANTABLE_ROLES.get(locked[actor.membership_id].role, ())
            if locked[obj.id].role not in grantable or obj.role not in grantable:
                raise PermissionDenied("Your role or this member's has changed in the meantime.")
            obj.save(update_fields=["role"])

    @display(description="member")
    def person(self, member: Membership) -> str:
        return str(member.user)

    @display(description="e-mail")
    def email(self, member: Membership) -> str:
        return member.user.email


class OrganizationsAdmin(AuditedAdmin):
    """All organizations, on the operator's site."""

    list_display = ("name", "slug", "is_active", "created_at")
    list_filter = ("is_active",)
    search_fields = ("name", "slug")
    ordering = ("name",)
    prepopulated_fields: ClassVar[dict[str, tuple[str, ...]]] = {"slug": ("name",)}
    fields = ("name", "slug", "is_active")

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Refuse: an organization is deactivated instead, and its data is deleted by a job, not by a click."""
        return False


class MembershipsAdmin(AuditedAdmin):
    """All memberships, on the operator's site."""

    list_display = ("user", "organization", "role", "created_at")
    list_filter = ("role",)
    search_fields = ("user__email", "user__name", "organization__name")
    list_select_related = ("user", "organization")
    ordering = ("organization__name", "user__email")
    autocomplete_fields = ("user", "organization")
    fields = ("user", "organization", "role")

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        """Save the membership in its organization's context, where the database checks that an operator acts."""
        with identity_tx(obj.organization_id, acting_user_id=request.user.pk):
            obj.save()

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Refuse: a membership's conversations and documents would be deleted with it. Deactivate the user to end their access."""
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        """Keep user and organization fixed: what a membership owns would move along to another person or organization."""
        return ("user", "organization") if obj else ()


class UserForm(forms.ModelForm[User]):
    """A user with an optional new password. The old password is never shown."""

    new_password = forms.CharField(
        required=False,
        strip=False,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
        help_text="Blank: the password stays as it is. A user without one can't sign in.",
    )

    class Meta:
        model = User
        fields = ("email", "name", "is_active", "is_staff", "is_superuser")

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).strip().lower()

    def clean_new_password(self) -> str:
        password: str = self.cleaned_data["new_password"]
        if password:
            validate_password(password, self.instance)
        return password


class UsersAdmin(AuditedAdmin):
    """All users, on the operator's site."""

    form = UserForm
    list_display = ("email", "name", "is_active", "is_superuser", "created_at")
    list_filter = ("is_active", "is_superuser")
    search_fields = ("email", "name")
    ordering = ("email",)
    fields = ("email", "name", "new_password", "is_active", "is_staff", "is_superuser")

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        if form.cleaned_data["new_password"]:
            obj.set_password(form.cleaned_data["new_password"])
        elif not change:
            obj.set_unusable_password()
        obj.save()

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse: users are deactivated instead, because releases and audit events refer to them."""
        return False


def _locked_memberships(organization_id: UUID, ids: set[UUID]) -> dict[UUID, Membership]:
    """Return the rows by id, locked until the transaction ends.

    They are locked in order of id, so that two requests cannot deadlock.
    """
    rows = Membership.objects.select_for_update().filter(organization_id=organization_id, id__in=ids).order_by("id")
    return {row.id: row for row in rows}


def _changed_fields(message: Any) -> list[str]:
    """Return the sorted field labels in Django's structured change message, of the row and of its inlines."""
    if not isinstance(message, list):
        return []
    return sorted({str(field) for part in message for field in part.get("changed", {}).get("fields", [])})
