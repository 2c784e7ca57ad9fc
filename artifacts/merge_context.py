"""How a new text and what others wrote since its base go together. In the caller's transaction, which holds the artifact's row.

Drafts and versions that could not be merged stand aside of the line of versions: what is typed meanwhile goes on from before them,
unless it was made from them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from artifacts.models import Artifact, Version
from artifacts.text.merge import MergeResult, merge


@dataclass(frozen=True, slots=True)
class MergeSides:
    """Two texts that were made from `base`. `theirs`: what stands now; `yours`: what came later."""

    base: Version
    theirs: Version
    yours: str

    def merged(self) -> MergeResult:
        return merge(self.base.content, self.theirs.content, self.yours)


@dataclass(frozen=True, slots=True)
class MergeContext:
    """`tip`: the newest version that follows `base`, None when nobody wrote since. `ancestor`: what both were made from."""

    base: Version
    tip: Version | None
    ancestor: Version

    @property
    def current(self) -> Version:
        """What a new version follows."""
        return self.tip or self.base

    def sides(self, text: str) -> MergeSides | None:
        """None: there is nothing to merge with."""
        return MergeSides(self.ancestor, self.tip, text) if self.tip else None


def merge_context(artifact: Artifact, base: Version) -> MergeContext:
    """Where a text that was made from `base` stands. At most three queries."""
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
    """Those that `open_conflict` looks at, without their content."""
    return versions.filter(Q(metadata__conflict=True) | Q(operation=Version.Operation.MERGE)).defer("content")


def open_conflict(versions: Iterable[Version]) -> Version | None:
    """The newest version that could not be merged and that no member has joined with the others since.

    `versions`: the newest ones of an artifact, in any order; their content is not read.
    """
    found: Version | None = None
    for version in sorted(versions, key=lambda version: version.number):
        if version.is_conflict:
            found = version
        elif version.operation == Version.Operation.MERGE:
            found = None
    return found


def conflict_sides(conflict: Version) -> MergeSides:
    """What could not be merged: what stands now, over against the text that the member had typed. Two queries, for their contents."""
    number = conflict.parent
    assert number is not None, "a first version conflicts with nothing"
    versions = Version.objects.filter(artifact_id=conflict.artifact_id)
    texts = {version.number: version for version in versions.filter(number__in=(number, conflict.metadata["against"]))}
    tip = versions.filter(number__gte=conflict.number, is_draft=False).latest("number")
    return MergeSides(texts[number], tip, texts[conflict.metadata["against"]].content)
