"""Merge context: what a new text must be merged with, if others wrote since its base.

Runs in the caller's transaction, which holds the artifact's row. Drafts and versions that could not be merged are set aside: text that is
typed meanwhile continues from the version before them, unless it was based on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from artifacts.models import Artifact, Version
from artifacts.text.merge import MergeResult, merge


@dataclass(frozen=True, slots=True)
class MergeSides:
    """Two texts that were made from `base`."""

    base: Version
    theirs: Version  # the current version
    yours: str  # the later text

    def merge(self) -> MergeResult:
        return merge(self.base.content, self.theirs.content, self.yours)


@dataclass(frozen=True, slots=True)
class MergeContext:
    """The versions around a text that was made from `base`."""

    base: Version
    tip: Version | None  # the newest version after `base`; None when nobody wrote since
    ancestor: Version  # the version that both were made from

    @property
    def current(self) -> Version:
        """The version that a new one follows."""
        return self.tip or self.base

    def sides(self, text: str) -> MergeSides | None:
        """Return the two sides to merge, or None when there is nothing to merge with."""
        return MergeSides(self.ancestor, self.tip, text) if self.tip else None


def merge_context(artifact: Artifact, base: Version) -> MergeContext:
    """Return the merge context of a text that was made from `base`. At most three queries."""
    newer = Version.objects.filter(artifact_id=artifact.pk, number__gt=base.number, is_draft=False)
    tip = newer.order_by("-number").first()
    if tip is None:
        return MergeContext(base, None, base)
    apart = open_conflict(conflicts_and_merges(newer))
    if apart is None or apart.parent is None or apart.parent >= base.number:
        return MergeContext(base, tip, base)
    ancestor = Version.objects.get(artifact_id=artifact.pk, number=apart.parent)
    return MergeContext(base, tip, ancestor)


def conflicts_and_merges(versions: QuerySet[Version]) -> QuerySet[Version]:
    """Return the versions that `open_conflict` needs, without their content."""
    return versions.filter(Q(metadata__conflict=True) | Q(operation=Version.Operation.MERGE)).defer("content")


def open_conflict(versions: Iterable[Version]) -> Version | None:
    """Return the newest version that could not be merged and that no member has merged by hand since.

    `versions`: the newest ones of an artifact, in any order. Their content is not read.
    """
    latest: Version | None = None
    for version in sorted(versions, key=lambda version: version.number):
        if version.is_conflict:
            latest = version
        elif version.operation == Version.Operation.MERGE:
            latest = None
    return latest


def conflict_sides(conflict: Version) -> MergeSides:
    """Return the sides of a conflict: the current version, and the text that the member had typed. Two queries for their contents."""
    number = conflict.parent
    assert number is not None, "a first version conflicts with nothing"
    versions = Version.objects.filter(artifact_id=conflict.artifact_id)
    texts = {version.number: version for version in versions.filter(number__in=(number, conflict.metadata["against"]))}
    tip = versions.filter(number__gte=conflict.number, is_draft=False).latest("number")
    return MergeSides(texts[number], tip, texts[conflict.metadata["against"]].content)
