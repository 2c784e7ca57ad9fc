"""Who changed what in the draft, and when. It is read from the audit log, so no form has to record it.

The draft's changes are those since it last had the content of the live release: since something was published from it, or it was
discarded. Needs the organization's `tenant_tx`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from admin_config.models import AgentConfig, AppSettings, Assistant, ModelConfig, ProviderEndpoint, ToolSource
from admin_config.services.changes.change_groups import ROWS, ChangeGroup
from admin_config.services.changes.diff import SETTING_FIELDS
from security.audit.actions import phrase
from security.audit.reading import people_of
from security.models import AuditEvent

# In the detail of a publication after which the draft still holds work: a rollback beside it, or a release that left something out.
KEPT_DRAFT: Final = "kept_draft"
LEFT_ROWS: Final = "left_rows"  # of the latter: the ids of the rows with changes that were left out
_EDITED: Final = ("agentconfig", "assistant", "modelconfig", "model", "providerendpoint", "toolsource", "tool_source", "appsettings")
# About such a row, but the draft stays as it is.
_NO_EDIT: Final = ("providerendpoint.reset_breaker", "providerendpoint.test", "tool_source.try")
_LOAD_ACTION: Final = "draft.load"  # a release was loaded into the draft, over all that was there
_CLEANED: Final = Q(action__in=("draft.discard", _LOAD_ACTION)) | (Q(action="release.publish") & ~Q(detail__has_key=KEPT_DRAFT))
_PARTLY: Final = Q(action="release.publish", detail__has_key=LEFT_ROWS)
MAX_EVENTS: Final = 500


@dataclass(frozen=True)
class DraftChange:
    """A change of the draft. `object_id`: of the changed row; `person_id`: None for the platform itself."""

    at: datetime
    person_id: int | None
    who: str
    what: str
    object_id: str
    kind: str = ""  # of the row
    names: tuple[str, ...] = ()  # fields of the form that was saved; empty: unknown


@dataclass(frozen=True)
class DraftAuthor:
    """A person with unpublished changes."""

    person_id: int | None
    who: str
    rows: int  # how many agents, models and so on they changed
    last_at: datetime


def draft_changes() -> list[DraftChange]:
    """Return the changes of the draft, newest first. At most three queries."""
    return changes_of(_unpublished_events(_edits() | AuditEvent.objects.filter(action=_LOAD_ACTION)))


def agent_changes(agent_id: UUID, *, limit: int = 50) -> tuple[list[DraftChange], set[datetime]]:
    """Return the newest changes of an agent, and the times of those that are not published. Five queries."""
    own = _edits_of_agent(agent_id)
    unpublished_times = set(_unpublished_events(own).values_list("created_at", flat=True))
    return changes_of(own.order_by("-created_at")[:limit]), unpublished_times


def others_since(agent_id: UUID, *, opened_at: str, person_id: int) -> list[DraftChange]:
    """Return what other people changed of an agent after this change of it, newest first. `opened_at`: its time, or "-" for none."""
    events = _edits_of_agent(agent_id).exclude(actor_user_id=person_id)
    if opened_at != "-":
        try:
            events = events.filter(created_at__gt=datetime.fromisoformat(opened_at))
        except ValueError:
            return []
    return changes_of(events.order_by("-created_at"))


def draft_authors(changes: Iterable[DraftChange]) -> list[DraftAuthor]:
    """Return who made these changes, the authors of the newest one first."""
    by_person: dict[int | None, list[DraftChange]] = {}
    for change in changes:
        by_person.setdefault(change.person_id, []).append(change)
    return [
        DraftAuthor(person_id, own[0].who, len({change.object_id for change in own}), own[0].at) for person_id, own in by_person.items()
    ]


def authors_by_place(groups: Sequence[ChangeGroup], changes: Sequence[DraftChange]) -> dict[tuple[str, ...], list[str]]:
    """Return the names of those who changed each of the groups' rows, the most recent first. At most six queries."""
    places = places_by_id({group.place[0] for group in groups})
    names: dict[tuple[str, ...], dict[str, None]] = {group.place: {} for group in groups}
    for change in changes:
        names.get(places.get(change.object_id, ()), {})[change.who] = None
    return {place: list(own) for place, own in names.items()}


def row_ids(places: Collection[tuple[str, ...]]) -> list[str]:
    """Return the ids of the rows at these places of a diff, also of settings. At most six queries."""
    row_places = {place if place[0] in ROWS else ("settings",) for place in places}
    return sorted(row_id for row_id, place in places_by_id({place[0] for place in row_places}).items() if place in row_places)


def places_by_id(kinds: set[str]) -> dict[str, tuple[str, ...]]:
    """Return where a diff shows the row with each id. What is changed of an assistant is shown with its agent."""
    places: dict[str, tuple[str, ...]] = {}
    if "agents" in kinds:
        places |= {str(row.pk): ("agents", row.key) for row in AgentConfig.objects.only("key")}
        places |= {str(pk): ("agents", key) for pk, key in Assistant.objects.values_list("pk", "agent__key")}
    if "models" in kinds:
        places |= {str(row.pk): ("models", f"{row.provider}: {row.model_id}") for row in ModelConfig.objects.only("provider", "model_id")}
    if "endpoints" in kinds:
        endpoints = ProviderEndpoint.objects.only("provider", "name")
        places |= {str(row.pk): ("endpoints", f"{row.provider}: {row.name}") for row in endpoints}
    if "tool sources" in kinds:
        places |= {str(row.pk): ("tool sources", row.name) for row in ToolSource.objects.only("name")}
    if "settings" in kinds:
        places[str(AppSettings.objects.values_list("pk", flat=True).get())] = ("settings",)
    return places


def _edits() -> QuerySet[AuditEvent]:
    # Settings that are no part of a release hold at once, so that a save of them alone changes no draft.
    at_once = Q(object_kind="appsettings", after__isnull=False) & ~Q(after__has_any_keys=[*SETTING_FIELDS.values()])
    return AuditEvent.objects.filter(object_kind__in=_EDITED).exclude(Q(action__in=_NO_EDIT) | at_once)


def _edits_of_agent(agent_id: UUID) -> QuerySet[AuditEvent]:
    """Return the changes of an agent, also those on the page of its assistant. One query, and one when they are read."""
    assistants = Assistant.objects.filter(agent_id=agent_id).values_list("pk", flat=True)
    return _edits().filter(object_id__in=[str(pk) for pk in (agent_id, *assistants)])


def _unpublished_events(events: QuerySet[AuditEvent]) -> QuerySet[AuditEvent]:
    """Limit the events to those since the draft was clean. A save that published wrote its event last, in the same request."""
    clean = AuditEvent.objects.filter(_CLEANED | _PARTLY).order_by("-created_at").first()
    if clean is not None and LEFT_ROWS in clean.detail:
        events = events.filter(Q(created_at__gt=clean.created_at) | Q(object_id__in=clean.detail[LEFT_ROWS]))
        clean = AuditEvent.objects.filter(_CLEANED).order_by("-created_at").first()
    if clean is not None and clean.action == _LOAD_ACTION:
        events = events.filter(created_at__gte=clean.created_at)
    elif clean is not None:
        events = events.filter(created_at__gt=clean.created_at)
        if clean.request_id:
            events = events.exclude(request_id=clean.request_id)
    return events.order_by("-created_at")


def changes_of(events: QuerySet[AuditEvent]) -> list[DraftChange]:
    """Return the events as changes, with the names of the people. Two queries."""
    rows = list(events[:MAX_EVENTS])
    people: Mapping[int, object] = people_of(rows)
    return [
        DraftChange(
            at=row.created_at,
            person_id=row.actor_user_id,
            who=str(people.get(row.actor_user_id or 0, "Parley")),
            what=_change_text(row),
            object_id=row.object_id,
            kind=row.object_kind,
            names=tuple(dict.fromkeys([*(row.before or {}), *(row.after or {})])),
        )
        for row in rows
    ]


def _change_text(event: AuditEvent) -> str:
    fields = event.detail.get("fields") if isinstance(event.detail, dict) else None
    return f"{phrase(event)}: {', '.join(fields)}" if fields else phrase(event)
