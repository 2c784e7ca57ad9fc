"""The people and groups whom a link can name, and whether it names somebody."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.db.models import Prefetch, Q, QuerySet, prefetch_related_objects
from django.utils.translation import gettext

from sharing.models import Share, ShareReader
from sharing.shapes import NamedReader, ReaderId
from tenants.access import Actor
from tenants.errors import NotFound
from tenants.models import MemberGroup, Membership

MAX_FOUND: Final = 8  # of each kind


def readers_find(actor: Actor, text: str) -> list[NamedReader]:
    """Return groups and other members whose name contains the text, groups first; nobody for a blank text.

    A member is also found by the whole e-mail address. Two queries.
    """
    text = text.replace("\x00", "").strip()
    if not text:
        return []
    groups = MemberGroup.objects.filter(name__icontains=text).order_by("name")[:MAX_FOUND]
    name_filter = Q(user__name__icontains=text) | Q(user__email__iexact=text)
    members = (
        _members(actor).filter(name_filter).exclude(pk=actor.membership_id).select_related("user").order_by("user__name", "pk")[:MAX_FOUND]
    )
    return [*map(_group, groups), *map(_member, members)]


def readers_check(actor: Actor, ids: Iterable[ReaderId]) -> list[ShareReader]:
    """Return the rows of these people and groups, not yet saved and without a link. Two queries. Raises NotFound when one is not there."""
    reader_keys = {(reader.kind, reader.id) for reader in ids}
    members = _members(actor).filter(pk__in=[pk for kind, pk in reader_keys if kind == "member"])
    groups = MemberGroup.objects.filter(pk__in=[pk for kind, pk in reader_keys if kind == "group"])
    rows = [*(ShareReader(membership=member) for member in members), *(ShareReader(group=group) for group in groups)]
    if len(rows) != len(reader_keys):
        raise NotFound(gettext("Somebody whom you chose is not in this organization any more. Choose again."))
    return rows


def share_names(share: Share, actor: Actor) -> bool:
    """Return whether the link names the actor, or a group that the actor is in. One query."""
    reader_filter = Q(membership_id=actor.membership_id) | Q(group__places__membership_id=actor.membership_id)
    return share.owner_id == actor.membership_id or ShareReader.objects.filter(reader_filter, share=share).exists()


def with_readers(shares: QuerySet[Share]) -> QuerySet[Share]:
    """Return the links with whom they name. One more query for all of them."""
    return shares.prefetch_related(_readers())


def named_readers(share: Share) -> list[NamedReader]:
    """Return whom the link names, groups first. One query unless the link is of `with_readers`."""
    prefetch_related_objects([share], _readers())
    return sorted(map(_reader, share.readers.all()), key=lambda reader: (reader.kind, reader.name.lower()))


def member_name(member: Membership) -> str:
    """Return the name that others read. The member has its user."""
    return member.user.name or gettext("A member")


def _readers() -> Prefetch[str]:
    return Prefetch("readers", ShareReader.objects.select_related("membership__user", "group"))


def _reader(row: ShareReader) -> NamedReader:
    if row.group is not None:
        return _group(row.group)
    assert row.membership is not None, "a row names one or the other"
    return _member(row.membership)


def _group(group: MemberGroup) -> NamedReader:
    return NamedReader(kind="group", id=group.pk, name=group.name)


def _member(member: Membership) -> NamedReader:
    return NamedReader(kind="member", id=member.pk, name=member_name(member))


def _members(actor: Actor) -> QuerySet[Membership]:
    people = Membership.objects.of_members()
    return people.filter(organization_id=actor.organization_id, is_active=True, user__is_active=True, user__is_service_account=False)
