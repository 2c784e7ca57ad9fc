"""Quotas: how many files, and how many bytes, a member and an organization may have stored (docs/decisions/0026).

The platform sets the largest (environment), the organization's policy may set less. What counts is what lies on the disk: a file of a
deleted conversation counts until it is purged, so that deleting and attaching again is no way around.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Count, F, Q, QuerySet, Sum, Value
from django.db.models.functions import Coalesce
from django.template.defaultfilters import filesizeformat
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from admin_config.services.selectors import StoragePolicy, storage_policy
from files.errors import StorageFull
from files.kinds import MEGABYTE
from files.knowledge.models import KnowledgeFile
from files.models import File
from tenants.localization.figures import figure

LOCK_SPACE = 26  # of the advisory locks of quotas


@dataclass(frozen=True, slots=True)
class Usage:
    """What is stored, or what may be."""

    size_bytes: int
    files: int

    def plus(self, other: Usage) -> Usage:
        return Usage(self.size_bytes + other.size_bytes, self.files + other.files)

    def exceeds(self, limit: Usage) -> bool:
        return self.size_bytes > limit.size_bytes or self.files > limit.files


FULL_FOR_MEMBER = gettext_lazy(
    "Your file storage is full: %(amount)s. Delete conversations with files; their space is free after %(days)d days."
)
FULL_FOR_ORGANIZATION = gettext_lazy(
    "This organization's file storage is full: %(amount)s. Delete conversations with files; their space is free after %(days)d days."
)


def storage_check(new: Sequence[File | KnowledgeFile], *, organization_id: UUID, owner_id: UUID | None = None) -> None:
    """Raise StorageFull when the new files do not fit. Call it in the transaction that inserts them, before that.

    Other inserts into the organization wait for that transaction, so that two uploads never share the last room.
    """
    with connection.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(hashtextextended(%s, %s))", [str(organization_id), LOCK_SPACE])
    policy = storage_policy()
    added = Usage(sum(_size_bytes(file) for file in new), len(new))
    own, all_files = _stored_usage(owner_id)
    member_limit, organization_limit = limits(policy)
    if owner_id is not None and own.plus(added).exceeds(member_limit):
        raise StorageFull(_sentence(FULL_FOR_MEMBER, own, member_limit, added, policy.retention_days))
    if all_files.plus(added).exceeds(organization_limit):
        raise StorageFull(_sentence(FULL_FOR_ORGANIZATION, all_files, organization_limit, added, policy.retention_days))


def limits(policy: StoragePolicy) -> tuple[Usage, Usage]:
    """Return the limits of a member and of the organization: the policy's, at most the platform's."""
    platform = settings.FILE_QUOTAS
    values = {name: min(platform[name], own if own is not None else platform[name]) for name, own in policy.limits().items()}
    return (
        Usage(values["member_storage_mb"] * MEGABYTE, values["member_files"]),
        Usage(values["organization_storage_mb"] * MEGABYTE, values["organization_files"]),
    )


def organization_bytes() -> int:
    """Return what the organization has stored, as its quota counts it. Two queries."""
    return _stored_usage(None)[1].size_bytes


def on_disk() -> QuerySet[File]:
    """The files whose bytes are kept: all but those that were removed before they were sent."""
    return File.objects.exclude(conversation_id=None, deleted_at__isnull=False)


def _stored_usage(owner_id: UUID | None) -> tuple[Usage, Usage]:
    """Return what the member and what the organization have stored. Knowledge files belong to the organization. Two queries."""
    size, own = F("size_bytes") + F("shown_size_bytes"), Q(owner_id=owner_id)
    files = on_disk().aggregate(
        own_bytes=_sum(size, filter=own), own_files=Count("pk", filter=own), all_bytes=_sum(size), all_files=Count("pk")
    )
    knowledge = KnowledgeFile.objects.aggregate(size_bytes=_sum("size_bytes"), files=Count("pk"))
    everything = Usage(files["all_bytes"], files["all_files"]).plus(Usage(**knowledge))
    return Usage(files["own_bytes"], files["own_files"]), everything


def _sum(column: Any, **options: Any) -> Coalesce:
    return Coalesce(Sum(column, **options), Value(0))


def _size_bytes(file: File | KnowledgeFile) -> int:
    return file.size_bytes + (file.shown_size_bytes if isinstance(file, File) else 0)


def _sentence(sentence: Promise, usage: Usage, limit: Usage, added: Usage, days: int) -> str:
    if usage.files + added.files > limit.files:
        amount = gettext("%(stored)s of %(most)s files are stored") % {"stored": figure(usage.files), "most": figure(limit.files)}
    else:
        amount = gettext("%(stored)s of %(most)s are used, and this needs %(added)s") % {
            "stored": _size(usage.size_bytes),
            "most": _size(limit.size_bytes),
            "added": _size(added.size_bytes),
        }
    return str(sentence) % {"amount": amount, "days": days}


def _size(size_bytes: int) -> str:
    return filesizeformat(size_bytes).replace("\xa0", " ")
