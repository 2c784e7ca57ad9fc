"""What members may do with what another one shares with them by name: read, comment, edit (docs/decisions/0066)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from artifacts.models import Artifact
from chat.conversations.plain_branch import branch_has_artifact
from sharing.models import Share, ShareReader
from sharing.policy import sharing_policy
from sharing.selectors import shares_open
from tenants.access import Actor
from tenants.errors import NotFound
from tenants.models import GroupMember, Organization

MAX_TOLD: Final = 200  # members whose open pages are told of a change
MAX_LINKS: Final = 20  # whose comments stand beside a document


def share_for_member(actor: Actor, share_id: UUID) -> Share:
    """Return the link with what it shows and its owner: an own one that was not stopped, or an open one that names the actor. Raises NotFound.

    Three queries at most.
    """
    relations = ("owner__user", "conversation", "artifact")
    own = Q(owner_id=actor.membership_id)
    named_shares = shares_naming(actor).values("pk") if _is_allowed(actor.organization_id) else Share.objects.none().values("pk")
    rows = Share.objects.filter(own | Q(pk__in=named_shares), revoked_at=None)
    share = rows.select_related(*relations).filter(pk=share_id).first()
    if share is None:
        raise NotFound
    return share


def shares_naming(actor: Actor) -> QuerySet[Share]:
    """Return the open links of others that name the actor, or a group that the actor is in; without regard to the organization's policy."""
    reader_filter = Q(membership_id=actor.membership_id) | Q(group__places__membership_id=actor.membership_id)
    return shares_open().filter(audience=Share.Audience.NAMED, pk__in=ShareReader.objects.filter(reader_filter).values("share_id"))


def may_comment(actor: Actor, share: Share) -> bool:
    """Whether the actor, for whom the link is open, may write comments."""
    return actor.can_write and (share.owner_id == actor.membership_id or share.right != Share.Right.READ)


def may_edit(actor: Actor, artifact: Artifact) -> bool:
    """Return whether a link lets the actor edit another member's artifact: one to it, or to a conversation whose branch shows it."""
    shares = shares_naming(actor).filter(_to_edit(artifact)).select_related("conversation")
    return bool(_showing(shares, artifact)) and _is_allowed(actor.organization_id)


def editors(artifact: Artifact) -> list[UUID]:
    """Return the memberships that may edit the artifact beside its owner, at most MAX_TOLD of them: nobody while sharing is off."""
    shares = shares_open().filter(_to_edit(artifact), audience=Share.Audience.NAMED).select_related("conversation")
    share_ids = [share.pk for share in _showing(shares, artifact)]
    return named_members(share_ids) if share_ids and _is_allowed(artifact.organization_id) else []


def shares_showing(actor: Actor, artifact: Artifact) -> list[Share]:
    """Return the open links to named people, the actor's own or those that name the actor, that show the artifact's latest version whole.

    Newest first, at most MAX_LINKS. Three queries at most.
    """
    if not _is_allowed(artifact.organization_id):
        return []
    is_own = artifact.owner_id == actor.membership_id
    named_shares = shares_open().filter(audience=Share.Audience.NAMED) if is_own else shares_naming(actor)
    shares = named_shares.filter(_shown_by(artifact), follows=True, hidden=[], hides_keys=False).select_related(
        "conversation", "owner__user"
    )
    return _showing(shares.order_by("-created_at", "-id")[:MAX_LINKS], artifact)


def named_members(share_ids: list[UUID]) -> list[UUID]:
    """Return whom the links name, themselves or by a group, at most MAX_TOLD of them. Two queries at most."""
    if not share_ids:
        return []
    readers = ShareReader.objects.filter(share_id__in=share_ids)
    by_name = readers.exclude(membership=None).values_list("membership_id", flat=True)
    groups = readers.exclude(group=None).values("group_id")
    by_group = GroupMember.objects.filter(group_id__in=groups).values_list("membership_id", flat=True)
    return list({*by_name, *by_group[:MAX_TOLD]})[:MAX_TOLD]


def readers_now(share: Share) -> list[UUID]:
    """Return whom the link names and lets in, at most MAX_TOLD of them: nobody when it has expired. Four queries at most."""
    is_open = shares_open().filter(pk=share.pk).exists() and _is_allowed(share.organization_id)
    return named_members([share.pk]) if is_open else []


def _to_edit(artifact: Artifact) -> Q:
    return _shown_by(artifact) & Q(right=Share.Right.EDIT)


def _shown_by(artifact: Artifact) -> Q:
    """Links to it, or to its conversation, whose branch need not show it."""
    return Q(Q(artifact_id=artifact.pk) | Q(conversation_id=artifact.conversation_id), owner_id=artifact.owner_id)


def _showing(shares: Iterable[Share], artifact: Artifact) -> list[Share]:
    """Return those of `_shown_by`'s links, with their conversations, that show its latest version. Two queries at most."""
    candidates = list(shares)
    conversation = next((share.conversation for share in candidates if share.conversation), None)  # the same one in all
    is_in_branch = conversation is not None and branch_has_artifact(conversation.pk, conversation.head_id, artifact.pk)
    return [share for share in candidates if share.artifact_id or is_in_branch]


def _is_allowed(organization_id: UUID) -> bool:
    return sharing_policy(Organization.objects.get(pk=organization_id)) != "off"
