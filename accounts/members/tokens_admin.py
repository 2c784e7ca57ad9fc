"""Admin page of members' API tokens: seen and revoked, never read."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import action, display
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from accounts.members.member_page import MemberPage
from security.api_tokens import api_token_revoke_of_member
from tenants.admin import actor_of
from tenants.models import ApiToken


class TokenAdmin(MemberPage):
    """The live API tokens of an organization's members."""

    empty_hint = gettext_lazy("Members create tokens in their settings. You see and revoke them here.")
    actions = ("revoke",)
    list_display = ("name", "owner", "ends_in", "may", "networks_text", "created_at", "expires_at", "last_used_at")
    list_display_links = None
    list_select_related = ("membership__user",)
    search_fields = ("name", "membership__user__name", "membership__user__email")
    ordering = ("-created_at",)
    sortable_by = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiToken]:
        tokens: QuerySet[ApiToken] = super().get_queryset(request)
        return tokens.filter(revoked_at=None)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @action(description=gettext_lazy("Revoke"))
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        actor = actor_of(request)
        self.for_each(request, queryset, gettext("Revoked"), lambda row: api_token_revoke_of_member(actor=actor, token_id=row.pk))

    @display(description=gettext_lazy("member"))
    def owner(self, token: ApiToken) -> str:
        return str(token.membership.user)

    @display(description=gettext_lazy("ends in"))
    def ends_in(self, token: ApiToken) -> str:
        return f"\u2026{token.last_four}"

    @display(description=gettext_lazy("may"))
    def may(self, token: ApiToken) -> str:
        return ", ".join(token.scopes)

    @display(description=gettext_lazy("networks"))
    def networks_text(self, token: ApiToken) -> str:
        return ", ".join(token.networks) or "all"
