"""What the page of an audit log shows: filters, lines that read as sentences, and one event beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy, pgettext

from security.audit.actions import CATEGORIES, kind_label, phrase
from security.audit.reading import OUTCOMES, PARLEY, PERIODS, AuditFilters, audit_page, audit_rows, people_of
from security.audit.records import actor_name, object_name
from security.audit_models import AuditFields
from tenants.errors import BadRequest
from tenants.localization.figures import figure
from tenants.models import User

OUTCOME_BADGES = {"refused": gettext_lazy("Refused"), "failed": gettext_lazy("Failed")}
NOTHING = "-"
# The order matters: Edge also calls itself Chrome, and Chrome calls itself Safari.
BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS = (
    ("Windows", "Windows"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Mac OS X", "macOS"),
    ("Android", "Android"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """An event in the list."""

    at: datetime
    who: str
    initials: str
    is_person: bool
    what: str  # continues the sentence that `who` begins
    badge: str
    count: int
    href: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class Change:
    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class OpenEvent:
    """The event beside the list."""

    title: str
    at: datetime
    facts: list[tuple[str, str]]
    changes: list[Change]
    by_actor: str  # addresses of further lists; empty without one
    on_object: str
    close: str


def audit_page_context(request: HttpRequest, rows: QuerySet[Any], people: QuerySet[User]) -> dict[str, Any]:
    """Return the template's context. Three queries, and one more for an opened event of another page."""
    filters = AuditFilters.from_query(request.GET)
    matches = audit_rows(rows, filters, people=people)
    cursor = request.GET.get("cursor", "")
    try:
        page = audit_page(matches, cursor)
    except BadRequest:  # an address that somebody shortened: begin at the top
        cursor, page = "", audit_page(matches, "")
    open_event = _open_event(rows, page.rows, request.GET.get("event", ""))
    names = people_of([*page.rows, *([open_event] if open_event else [])])
    return {
        "filters": filters,
        "query": filters.query(),
        "lines": [_line(row, names, filters, cursor, open_event) for row in page.rows],
        "opened": _opened_view(open_event, names, filters, cursor) if open_event else None,
        "older": f"?{filters.query(cursor=page.older)}" if page.older else "",
        "newest": f"?{filters.query()}" if cursor else "",
        "is_filtered": bool(AuditFilters.from_query({}) != filters),
        "periods": PERIODS.items(),
        "categories": CATEGORIES.items(),
        "outcomes": OUTCOMES.items(),
        "kind_label": kind_label(filters.kind) if filters.kind else "",
    }


def browser_label(user_agent: str) -> str:
    """Return "Chrome on Linux" for what browsers send, and the beginning of what programs send."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    if not browser:
        return user_agent[:60]
    return gettext("%(browser)s on %(system)s") % {"browser": browser, "system": system} if system else browser


def _open_event(rows: QuerySet[Any], page_rows: list[Any], event_id: str) -> AuditFields | None:
    try:
        pk = UUID(event_id)
    except ValueError:
        return None
    return next((row for row in page_rows if row.pk == pk), None) or rows.filter(pk=pk).first()


def _line(row: Any, names: Mapping[int, User], filters: AuditFilters, cursor: str, open_event: AuditFields | None) -> Line:
    who = actor_name(row, names)
    return Line(
        at=row.created_at,
        who=who,
        initials="".join(part[0] for part in who.split()[:2]).upper(),
        is_person=row.actor_user_id is not None,
        what=phrase(row, object_name(row, names)),
        badge=str(OUTCOME_BADGES.get(row.outcome, "")),
        count=row.count,
        href=f"?{filters.query(cursor=cursor, event=str(row.pk))}",
        is_open=row == open_event,
    )


def _opened_view(row: Any, names: Mapping[int, User], filters: AuditFilters, cursor: str) -> OpenEvent:
    name = object_name(row, names)
    who = str(row.actor_user_id) if row.actor_user_id is not None else PARLEY if row.actor_kind == "system" else ""
    return OpenEvent(
        title=f"{actor_name(row, names)} {phrase(row, name)}",
        at=row.created_at,
        facts=list(_facts(row, names, name)),
        changes=list(_changes(row)),
        by_actor=f"?{AuditFilters(period='all', who=who).query()}" if who else "",
        on_object=f"?{AuditFilters(period='all', q=row.object_id).query()}" if row.object_id else "",
        close=f"?{filters.query(cursor=cursor)}",
    )


def _facts(row: Any, names: Mapping[int, User], name: str) -> Iterator[tuple[str, str]]:
    user = names.get(row.actor_user_id or 0)
    yield gettext("Who"), f"{user.get_full_name()}, {user.email}" if user else actor_name(row, names)
    if row.count > 1:
        yield gettext("How often"), gettext("%(count)s times within a minute") % {"count": figure(row.count)}
    if row.outcome != "done":
        yield gettext("Outcome"), row.get_outcome_display().capitalize()
    yield gettext("Object"), f"{kind_label(row.object_kind).capitalize()} {name}".strip()
    yield gettext("Object id"), row.object_id
    yield gettext("From"), ", ".join(filter(None, (row.address, browser_label(row.user_agent)))) or NOTHING
    if row.token_id:
        yield gettext("API token"), str(row.token_id)
    elif row.session_hash:
        yield gettext("Session"), row.session_hash
    if row.request_id:
        yield gettext("Request"), row.request_id
    if row.run_id:
        yield pgettext("noun", "Run"), str(row.run_id)
    yield gettext("Action"), row.action
    for key, value in row.detail.items():
        is_shown_below = key == "fields" and bool(row.before or row.after)
        if not is_shown_below and value not in (None, "", [], {}):
            yield _label(key), _text(value)


def _changes(row: Any) -> Iterator[Change]:
    before, after = (values if isinstance(values, dict) else {} for values in (row.before, row.after))
    for name in dict.fromkeys([*before, *after]):
        yield Change(_label(name), _text(before.get(name)), _text(after.get(name)))


def _label(name: str) -> str:
    text = name.replace("_", " ")
    return text[:1].upper() + text[1:]


def _text(value: Any) -> str:
    match value:
        case None | "":
            return NOTHING
        case True:
            return gettext("Yes")
        case False:
            return gettext("No")
        case list():
            return ", ".join(map(_text, value)) or NOTHING
        case _:
            return str(value)
