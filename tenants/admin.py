"""Admin classes of the operator's site for users, organizations and memberships, and the base classes of an organization's own site.

Nothing is registered here: the sites that show these classes are in admin_config.admin.sites, a higher layer that imports this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, cast

from django import forms
from django.contrib.admin import display
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.contrib.auth.password_validation import validate_password
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminPasswordWidget

from tenants.access import Actor
from tenants.context import identity_tx
from tenants.form_changes import Changes, form_changes
from tenants.models import Membership, User
from tenants.rest.http import OrganizationRequest


class AuditingSite(Protocol):
    """An admin site that writes the audit log."""

    def record(self, request: HttpRequest, row: Model, action: str, fields: list[str], changes: Changes = ({}, {})) -> None: ...

    def record_look(self, request: HttpRequest, row: Model) -> None:
        """Write down that somebody opened the row's page, where the log has that."""

    def record_list(self, request: HttpRequest, rows: Sequence[Model]) -> None:
        """Write down that somebody saw these rows in a list, where the log has that."""


def actor_of(request: HttpRequest) -> Actor:
    """Return the administrator who makes this request on an organization's site."""
    return cast(OrganizationRequest, request).actor


class AuditedAdmin(ModelAdmin):  # type: ignore[misc]  # the theme has no types
    """Base admin class that writes changes to our audit log instead of Django's, which knows no organizations.

    Django's history page is disabled for the same reason.
    """

    actions: ClassVar[Sequence[str] | None] = None
    conditional_fields: ClassVar[dict[str, str]] = {}  # of the theme, which asks for each field: what is missing costs Django a `dir()`

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Remove the related-object pop-ups beside choices: they would be further entry points to the same rows."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and isinstance(field.widget, RelatedFieldWidgetWrapper):
            field.widget = field.widget.widget
        return field

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> Any:
        """Keep what changed for the audit log, because Django's message has only the names of the fields."""
        cast(Any, request).form_changes = form_changes(form, formsets or (), is_new=add)
        return super().construct_change_message(request, form, formsets, add)

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> None:
        cast(AuditingSite, self.admin_site).record(request, obj, "create", [], _changes_of(request))

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> None:
        cast(AuditingSite, self.admin_site).record(request, obj, "change", _changed_fields(message), _changes_of(request))

    def log_deletions(self, request: HttpRequest, queryset: Any) -> None:
        for row in queryset:
            cast(AuditingSite, self.admin_site).record(request, row, "delete", [])

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        row = self.find_object(request, object_id, from_field)
        if row is not None and request.method == "GET":
            cast(AuditingSite, self.admin_site).record_look(request, row)
        return row

    def find_object(self, request: HttpRequest, object_id: str, from_field: str | None) -> Model | None:
        """Return the row, or None. A page may give one that is not stored yet."""
        row: Model | None = super().get_object(request, object_id, from_field)
        return row

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        response: HttpResponse = super().changelist_view(request, extra_context)
        if changelist := (getattr(response, "context_data", None) or {}).get("cl"):
            cast(AuditingSite, self.admin_site).record_list(request, list(changelist.result_list))
        return response

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        raise Http404

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Allow only the listed filters: a lookup through a relation could read fields that no page shows."""
        return lookup.split("__", maxsplit=1)[0] in {str(getattr(name, "parameter_name", name)) for name in self.list_filter}


class OrganizationAdmin(AuditedAdmin):
    """Base admin class on an organization's site: owners and admins may do everything that a subclass doesn't refuse.

    `empty_hint`: what an empty list says, which is what would be in it and how to begin.
    `auditors_may_view`: auditors may read its list and rows (admin_config.admin.sites.mount), which are its `auditor_views`: the last parts
    of URL names.
    """

    empty_hint: str | Promise = ""
    auditors_may_view = False
    auditor_views: ClassVar[Sequence[str]] = ("changelist", "change")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        actor = actor_of(request)
        return actor.can_administer or (self.auditors_may_view and actor.can_audit)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return actor_of(request).can_administer

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).can_administer

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).can_administer


class OrganizationsAdmin(AuditedAdmin):
    """All organizations, on the operator's site."""

    list_display: tuple[str, ...] = ("name", "slug", "is_active", "created_at")
    list_filter = ("is_active",)
    search_fields = ("name", "slug")
    ordering = ("name",)
    prepopulated_fields: ClassVar[dict[str, tuple[str, ...]]] = {"slug": ("name",)}
    fields: tuple[str, ...] = ("name", "slug", "is_active", "suspension_message")

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

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        members: Any = super().get_queryset(request)
        return cast("QuerySet[Membership]", members.of_members())  # visitors of embedded chats are nobody's members

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "role":  # the database makes no member a visitor
            kwargs["choices"] = [choice for choice in Membership.Role.choices if choice[0] != Membership.Role.VISITOR]
        return super().formfield_for_choice_field(db_field, request, **kwargs)

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
        label=gettext_lazy("New password"),
        required=False,
        strip=False,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
        help_text=gettext_lazy("Blank: the password stays as it is. A user without one can't sign in."),
    )

    class Meta:
        model = User
        fields = ("email", "name", "is_active", "is_superuser")
        labels = {"is_superuser": gettext_lazy("Operator")}
        help_texts = {"is_superuser": gettext_lazy("May open this site and everything on it.")}

    acting_user_id: ClassVar[int]  # the operator who has the page open

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance._state.adding:  # noqa: SLF001  # as Django's own forms ask
            self.fields["new_password"].help_text = gettext("Blank: the user can't sign in with a password.")

    def clean(self) -> dict[str, Any] | None:
        """Keep the operator's own rights: with them the last way to give them back could be gone."""
        cleaned = super().clean()
        if self.instance.pk == self.acting_user_id:
            for name in ("is_active", "is_superuser"):
                if not self.cleaned_data.get(name):
                    self.add_error(name, gettext("You can't take this from yourself. Ask another operator."))
        return cleaned

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
    list_display = ("email", "name", "is_active", "is_operator", "created_at")
    list_filter = ("is_active", "is_superuser")
    search_fields = ("email", "name")
    ordering = ("email",)
    fields = ("email", "name", "new_password", "is_active", "is_superuser")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        users: QuerySet[User] = super().get_queryset(request)
        return users.exclude(memberships__role=Membership.Role.VISITOR)  # of embedded chats: there are many, and nobody signs in as one

    @display(description=gettext_lazy("Operator"))
    def is_operator(self, user: User) -> str:
        return gettext("Yes") if user.is_superuser else ""

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        return type("ActingUserForm", (form,), {"acting_user_id": request.user.pk})

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        if form.cleaned_data["new_password"]:
            obj.set_password(form.cleaned_data["new_password"])
        elif not change:
            obj.set_unusable_password()
        obj.is_staff = obj.is_superuser
        obj.save()

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse: users are deactivated instead, because releases and audit events refer to them."""
        return False


def _changes_of(request: HttpRequest) -> Changes:
    changes: Changes = getattr(request, "form_changes", ({}, {}))
    return changes


def _changed_fields(message: Any) -> list[str]:
    """Return the sorted field labels in Django's structured change message, of the row and of its inlines."""
    if not isinstance(message, list):
        return []
    return sorted({str(field) for part in message for field in part.get("changed", {}).get("fields", [])})
