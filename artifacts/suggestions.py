"""Services to decide on suggestions (SPEC 7.4). All run inside the caller's tenant transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.utils import timezone

from artifacts.access import artifact_get_to_write
from artifacts.anchors import Anchor, anchor_find
from artifacts.live.versions import live_version_save
from artifacts.models import Artifact, Suggestion, Version
from artifacts.selectors import undecided_suggestions, version_get, version_latest_complete
from artifacts.services import NewVersion, artifact_touch, version_create
from tenants.access import Actor
from tenants.errors import NotFound


@dataclass(frozen=True, slots=True)
class Decision:
    """The result of a decision."""

    version: Version  # the new one, or the latest when the text did not change
    suggestions: list[Suggestion]  # those that were chosen, with their current status
    is_new: bool


def suggestions_decide(
    *, artifact_id: UUID, actor: Actor, ids: Sequence[UUID] | Literal["all"], decision: Literal["accept", "reject"]
) -> Decision:
    """Accept or reject undecided suggestions. All accepted ones together make one version.

    Those whose place is gone become stale. Suggestions that are already decided stay as they are. Raises NotFound, also for an unknown id,
    NotAllowed and ArtifactTooLarge.
    """
    artifact = artifact_get_to_write(artifact_id=artifact_id, actor=actor)
    live_version_save(artifact)
    suggestions = undecided_suggestions(artifact) if ids == "all" else _get_suggestions(artifact, ids)
    waiting = [suggestion for suggestion in suggestions if suggestion.status in (Suggestion.Status.OPEN, Suggestion.Status.STALE)]
    latest = version_get(artifact=artifact, number=artifact.latest_number)
    if decision == "reject":
        _set_status(waiting, Suggestion.Status.REJECTED, actor)
        artifact_touch(artifact)
        return Decision(latest, suggestions, is_new=False)
    text_version = version_latest_complete(artifact=artifact) or latest  # an unfinished draft must not be changed
    placements = _locate(text_version, waiting)
    _set_status([suggestion for _, suggestion in placements], Suggestion.Status.ACCEPTED, actor)
    accepted_ids = {suggestion.pk for _, suggestion in placements}
    _set_status([suggestion for suggestion in waiting if suggestion.pk not in accepted_ids], Suggestion.Status.STALE, None)
    artifact_touch(artifact)
    text = _apply_replacements(text_version.content, placements)
    if text == text_version.content:
        return Decision(latest, suggestions, is_new=False)
    new = NewVersion(
        content=text,
        operation=Version.Operation.EDIT,
        author_kind=Version.AuthorKind.USER,
        author_id=actor.membership_id,
        parent=text_version.number,
        metadata={"suggestions": [str(suggestion.pk) for _, suggestion in placements]},
    )
    return Decision(version_create(artifact=artifact, version=new), suggestions, is_new=True)


def _get_suggestions(artifact: Artifact, ids: Sequence[UUID]) -> list[Suggestion]:
    suggestions = list(Suggestion.objects.filter(artifact_id=artifact.pk, pk__in=ids).order_by("created_at", "position"))
    if len(suggestions) != len(set(ids)):
        raise NotFound
    return suggestions


def _locate(latest: Version, suggestions: Sequence[Suggestion]) -> list[tuple[int, Suggestion]]:
    """Return the suggestions with their places, in the order of the text. Of two that overlap, the earlier one wins."""
    placements: list[tuple[int, Suggestion]] = []
    for suggestion in suggestions:
        anchor = Anchor(suggestion.original, suggestion.prefix, suggestion.suffix, suggestion.start)
        place = anchor_find(latest.content, anchor, is_unchanged=suggestion.version_number == latest.number)
        if place is not None and not any(_overlap(place, suggestion, *other) for other in placements):
            placements.append((place, suggestion))
    return sorted(placements, key=lambda pair: pair[0])


def _overlap(place: int, suggestion: Suggestion, other_place: int, other: Suggestion) -> bool:
    return place < other_place + len(other.original) and other_place < place + len(suggestion.original)


def _apply_replacements(text: str, placements: Sequence[tuple[int, Suggestion]]) -> str:
    """Replace from the end, so that earlier places stay valid."""
    for place, suggestion in reversed(placements):
        text = text[:place] + suggestion.replacement + text[place + len(suggestion.original) :]
    return text


def _set_status(suggestions: Sequence[Suggestion], status: Suggestion.Status, actor: Actor | None) -> None:
    """Save the status. `actor`: who decided; None: nobody did."""
    for suggestion in suggestions:
        suggestion.status = status
        suggestion.decided_at = timezone.now() if actor else None
        suggestion.decided_by_id = actor.membership_id if actor else None
    Suggestion.objects.bulk_update(suggestions, ["status", "decided_at", "decided_by"])
