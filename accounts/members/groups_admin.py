"""Admin page of groups of members."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import display
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from accounts.members.forms import GroupForm
from accounts.members.member_page import MemberPage
from accounts.members.membership_transactions import membership_tx
from security.audit import audit
from tenants.admin import actor_of
from tenants.models import GroupMember, MemberGroup


class MemberGroupAdmin(MemberPage):
    """The groups of one organization."""

    empty_hint = gettext_lazy("A group can have assistants, limits and budgets of its own, and documents can be shared with it.")
    form = GroupForm
    list_display = ("name", "description", "size")
    search_fields = ("name",)
    ordering = ("name",)
    sortable_by = ()
    fields = ("name", "description", "members")

    def get_queryset(self, request: HttpRequest) -> QuerySet[MemberGroup]:
        groups: QuerySet[MemberGroup] = super().get_queryset(request)
        return groups.annotate(size=Count("places"))

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        return type("ActorGroupForm", (form,), {"actor": actor_of(request)})

    def save_model(self, request: HttpRequest, obj: MemberGroup, form: Any, change: bool) -> None:
        """Save the group and exactly these members."""
        with membership_tx(actor_of(request).organization_id, by_user_id=actor_of(request).user_id):
            self._save(request, obj, form, change)

    def _save(self, request: HttpRequest, obj: MemberGroup, form: Any, change: bool) -> None:
        obj.save()
        new_ids = {member.pk for member in form.cleaned_data["members"]}
        places = GroupMember.objects.filter(group_id=obj.pk)
        before = set(places.values_list("membership_id", flat=True))
        places.filter(membership_id__in=before - new_ids).delete()
        GroupMember.objects.bulk_create(GroupMember(group_id=obj.pk, membership_id=pk) for pk in sorted(new_ids - before))
        detail = {"added": sorted(map(str, new_ids - before)), "removed": sorted(map(str, before - new_ids))}
        _record(request, obj, "change" if change else "create", detail)

    def delete_model(self, request: HttpRequest, obj: MemberGroup) -> None:
        with membership_tx(actor_of(request).organization_id, by_user_id=actor_of(request).user_id):
            _record(request, obj, "delete", {})
            obj.delete()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[MemberGroup]) -> None:
        for group in queryset:
            self.delete_model(request, group)

    @display(description=gettext_lazy("members"))
    def size(self, group: Any) -> int:
        return int(group.size)


def _record(request: HttpRequest, group: MemberGroup, verb: str, detail: dict[str, Any]) -> None:
    actor = actor_of(request)
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action=f"member_group.{verb}",
        object_kind="member_group",
        object_id=group.pk,
        detail=detail,
    )
