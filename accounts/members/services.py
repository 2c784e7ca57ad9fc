"""Services that change members. They lock what they judge, and write audit events."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from accounts.members.errors import LastOwner, OwnMembership, RightsTooHigh
from accounts.members.membership_transactions import content_tx, membership_tx
from accounts.members.ownership import Handover, handover_apply, owned_give_back
from accounts.members.roles import grantable_roles
from security.audit import audit
from tenants.access import Actor
from tenants.errors import BadRequest, NotAllowed, NotFound
from tenants.models import ApiToken, GroupMember, MemberGroup, Membership

Role = Membership.Role


def member_role_set(*, actor: Actor, membership_id: UUID, role: str) -> None:
    """Give the member this role. Raises OwnMembership, RightsTooHigh, LastOwner, NotFound, NotAllowed."""
    with membership_tx(actor.organization_id, by_user_id=actor.user_id):
        member = _lock_member(actor, membership_id)
        if role not in _grantable(actor):
            raise RightsTooHigh
        if role == Role.OWNER and member.user.is_service_account:
            raise BadRequest(gettext("A service account can't be an owner: nobody could sign in as it."))
        _change_role(member, role, actor.user_id)


def member_deactivate(*, actor: Actor, membership_id: UUID) -> None:
    """End the member's access at once and keep what they own. Raises as `member_role_set`."""
    with membership_tx(actor.organization_id, by_user_id=actor.user_id):
        member = _lock_member(actor, membership_id)
        owner_keep(member)
        membership_end(member=member, by_user_id=actor.user_id, action="membership.deactivate")


def member_activate(*, actor: Actor, membership_id: UUID) -> None:
    """Give a deactivated or removed member access again, with the role they had. Raises RightsTooHigh, NotFound, NotAllowed."""
    with membership_tx(actor.organization_id, by_user_id=actor.user_id):
        member = _lock_member(actor, membership_id)
        if member.is_active:
            return
        member.is_active, member.removed_at, member.cleared_at = True, None, None
        member.save(update_fields=["is_active", "removed_at", "cleared_at"])
        with content_tx(actor.organization_id):
            owned_give_back(member.pk)
        membership_audit(member, actor.user_id, "membership.activate", {})


def member_remove(*, actor: Actor, membership_id: UUID, handovers: Collection[Handover] = ()) -> None:
    """Remove the member, and do with each kind of what they own as chosen; what is not named is deleted after the policy's days.

    Their tokens are revoked, and sessions, sockets and answers under way lose their access. Raises as `member_role_set`.
    """
    with membership_tx(actor.organization_id, by_user_id=actor.user_id):
        member = _lock_member(actor, membership_id)
        owner_keep(member)
        _end_for_good(member, actor.user_id, "membership.remove", handovers)


def removed_things_settle(*, actor: Actor, membership_id: UUID, handovers: Collection[Handover]) -> None:
    """Decide again about what a removed member still owns, such as what was archived. Raises as `member_role_set`, and BadRequest."""
    with membership_tx(actor.organization_id, by_user_id=actor.user_id):
        member = _lock_member(actor, membership_id)
        if member.removed_at is None:
            raise BadRequest(gettext("This member was not removed."))
        with content_tx(actor.organization_id):
            handover_apply(member=member, handovers=handovers, by_user_id=actor.user_id)
        member.cleared_at = None  # what is to be deleted goes with the next clearing
        member.save(update_fields=["cleared_at"])


def member_leave(*, actor: Actor) -> None:
    """Remove the actor from the organization. What they own is deleted after the policy's days. Raises LastOwner, NotFound."""
    with membership_tx(actor.organization_id, by_user_id=actor.user_id):
        member = member_get_locked(organization_id=actor.organization_id, membership_id=actor.membership_id)
        if not member.is_active:
            raise NotFound
        owner_keep(member)
        _end_for_good(member, actor.user_id, "membership.leave", ())


def ownership_transfer(*, actor: Actor, membership_id: UUID) -> None:
    """Make the member an owner and the actor an admin. Raises NotAllowed, NotFound, BadRequest."""
    with membership_tx(actor.organization_id, by_user_id=actor.user_id):
        rows = _lock_members(actor.organization_id, {actor.membership_id, membership_id})
        own, other = rows.get(actor.membership_id), rows.get(membership_id)
        if own is None or not own.is_active or own.role != Role.OWNER:
            raise NotAllowed(gettext("Only an owner can hand the organization over."))
        if other is None or not other.is_active or not other.user.is_active:
            raise NotFound
        if other.user.is_service_account or other.pk == own.pk:
            raise BadRequest(gettext("Choose another person of the organization."))
        _change_role(other, Role.OWNER, actor.user_id)
        _change_role(own, Role.ADMIN, actor.user_id)


def membership_end(*, member: Membership, by_user_id: int | None, action: str, removed_at: datetime | None = None) -> None:
    """End the access of a judged membership and revoke its tokens. In `membership_tx`."""
    member.is_active, member.removed_at = False, removed_at
    member.save(update_fields=["is_active", "removed_at"])
    token_count = ApiToken.objects.filter(membership_id=member.pk, revoked_at=None).update(revoked_at=timezone.now())
    membership_audit(member, by_user_id, action, {"revoked_tokens": token_count})


def groups_set(*, actor: Actor, membership_id: UUID, group_ids: Collection[UUID]) -> None:
    """Put the member into exactly these groups. Raises NotFound, NotAllowed, RightsTooHigh."""
    with membership_tx(actor.organization_id, by_user_id=actor.user_id):
        member = _lock_member(actor, membership_id, may_be_self=True)
        places_set(member=member, group_ids=group_ids, by_user_id=actor.user_id)


def places_set(*, member: Membership, group_ids: Collection[UUID], by_user_id: int | None) -> None:
    """Write a member's groups without asking who may. Unknown and foreign groups raise NotFound."""
    new_ids = set(MemberGroup.objects.filter(pk__in=group_ids).values_list("pk", flat=True))
    if new_ids != set(group_ids):
        raise NotFound
    places = GroupMember.objects.filter(membership_id=member.pk)
    before = set(places.values_list("group_id", flat=True))
    if before == new_ids:
        return
    places.filter(group_id__in=before - new_ids).delete()
    GroupMember.objects.bulk_create(GroupMember(group_id=pk, membership_id=member.pk) for pk in sorted(new_ids - before))
    change = {"added": sorted(map(str, new_ids - before)), "removed": sorted(map(str, before - new_ids))}
    membership_audit(member, by_user_id, "membership.groups", change)


def owner_keep(member: Membership) -> None:
    """Raise LastOwner when no other person would own the organization. The owners are locked by `_lock_members`."""
    if member.role != Role.OWNER or not member.is_active:
        return
    others = Membership.objects.filter(organization_id=member.organization_id, role=Role.OWNER, is_active=True, user__is_active=True)
    if not others.exclude(pk=member.pk).filter(user__is_service_account=False).exists():
        raise LastOwner


def member_get_locked(*, organization_id: UUID, membership_id: UUID) -> Membership:
    """Return the membership and lock it with all owners. Raises NotFound."""
    member = _lock_members(organization_id, {membership_id}).get(membership_id)
    if member is None:
        raise NotFound
    return member


def _change_role(member: Membership, role: str, by_user_id: int) -> None:
    if member.role == role:
        return
    if role != Role.OWNER:
        owner_keep(member)
    before, member.role = member.role, role
    member.save(update_fields=["role"])
    membership_audit(member, by_user_id, "membership.change", {}, before={"role": before}, after={"role": role})


def _end_for_good(member: Membership, by_user_id: int, action: str, handovers: Collection[Handover]) -> None:
    with content_tx(member.organization_id):
        handover_apply(member=member, handovers=handovers, by_user_id=by_user_id)
    membership_end(member=member, by_user_id=by_user_id, action=action, removed_at=timezone.now())


def _lock_member(actor: Actor, membership_id: UUID, *, may_be_self: bool = False) -> Membership:
    """Return the member, locked, if the actor may change them as both are now.

    Without the second look at the actor, two admins could change each other's roles at the same time.
    """
    rows = _lock_members(actor.organization_id, {actor.membership_id, membership_id})
    own, member = rows.get(actor.membership_id), rows.get(membership_id)
    if member is None:
        raise NotFound
    grantable = grantable_roles(own.role) if own is not None and own.is_active else ()
    if not grantable:
        raise NotAllowed(gettext("Only owners and admins of the organization may do this."))
    if member.pk == actor.membership_id and not may_be_self:
        raise OwnMembership
    if member.role not in grantable:
        raise RightsTooHigh
    return member


def _grantable(actor: Actor) -> tuple[str, ...]:
    return grantable_roles(Membership.objects.get(organization_id=actor.organization_id, pk=actor.membership_id).role)


def _lock_members(organization_id: UUID, ids: set[UUID]) -> dict[UUID, Membership]:
    """Return the rows and all owners by id, locked until the transaction ends, in order of id so that two requests cannot deadlock."""
    rows = Membership.objects.select_for_update(of=("self",), no_key=True).filter(organization_id=organization_id)
    members = rows.filter(Q(pk__in=ids) | Q(role=Role.OWNER)).select_related("user").order_by("pk")
    return {row.pk: row for row in members}


def membership_audit(
    member: Membership,
    by_user_id: int | None,
    action: str,
    detail: dict[str, Any],
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    audit(
        organization_id=member.organization_id,
        actor_user_id=by_user_id,
        action=action,
        object_kind="membership",
        object_id=member.pk,
        object_label=str(member.user),
        detail=detail,
        before=before,
        after=after,
    )
