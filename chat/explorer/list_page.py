"""What the list of runs shows (design 46): cells are in templates/admin/runs/runs_rows.html, headings in runs.html."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl
from uuid import UUID

from django.db.models import Case, F, Q, TextField, Value, When
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from admin_config.models import Assistant, ModelConfig
from chat.explorer.filters import NONE, PAGE_SIZE, RATINGS, STATE_OF, STATES, STUCK, RunFilters, runs_page, with_answers
from chat.explorer.histogram import histogram_of
from chat.explorer.periods import DAYS, MOMENTS, PERIODS, asked_time
from chat.explorer.view_counts import view_counts
from chat.models import Run, RunView
from tenants.access import Actor
from tenants.errors import BadRequest
from tenants.localization.language import date_in_words

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

WAITS = {
    Run.Status.WAITING_FOR_APPROVAL.value: gettext_lazy("for permission"),
    Run.Status.WAITING_FOR_REPLY.value: gettext_lazy("for a reply"),
    Run.Status.WAITING_FOR_CLIENT.value: gettext_lazy("for the page"),
}
# Filters without a field on the page: they come with links of other pages, and stay until all are cleared.
OF_USAGE = ("agent", "called", "member_id", "project", "token")
PRESERVED = ("first", "last", *OF_USAGE)
VIEWS: tuple[tuple[StrOrPromise, dict[str, str]], ...] = (
    (gettext_lazy("All"), {}),
    (gettext_lazy("Running"), {"state": "running"}),
    (gettext_lazy("Waiting"), {"state": "waiting"}),
    (gettext_lazy("Failed"), {"state": "failed"}),
    (gettext_lazy("Thumbs down"), {"rating": "down"}),
)


@dataclass(frozen=True, slots=True)
class Line:
    """A run in the list."""

    run: Run
    href: str
    state: str  # a key of STATES
    state_label: str
    note: str  # why it failed, or what it waits for
    member: str
    initials: str
    tokens: int
    first_token_ms: int | None
    seconds: float | None  # without waits; None while it runs
    rating: str
    agent: str

    @property
    def is_live(self) -> bool:
        """Whether it goes on, so that the page asks for it again."""
        return self.state in {"running", "waiting"}


@dataclass(frozen=True, slots=True)
class SavedView:
    """A saved view among the others."""

    id: str
    name: str
    filters: RunFilters
    is_shared: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """What the page offers to choose from."""

    models: Sequence[tuple[str, str]]  # id, name
    assistants: Mapping[str, str]  # titles by key
    saved_views: Sequence[SavedView]


def list_page_context(request: HttpRequest, choices: Choices) -> dict[str, Any]:
    """Return the template's context. Two queries, however many runs there are: the page, and the histogram."""
    filters = RunFilters.from_query(request.GET)
    cursor = request.GET.get("cursor", "")
    try:
        page = runs_page(filters, cursor=cursor)
    except BadRequest:  # an address that somebody shortened: begin at the top
        cursor, page = "", runs_page(filters, cursor="")
    now = timezone.now()
    return {
        "filters": filters,
        "lines": [_line(run) for run in page.items],
        "older": f"?{filters.query(cursor=page.next_cursor)}" if page.next_cursor else "",
        "newest": f"?{filters.query()}" if cursor else "",
        "histogram": histogram_of(filters, now),
        "without_time": f"?{filters.query(period='', first='', last='')}",
        "views": [(label, f"?{view.query()}", view == filters) for label, view in _views(filters, choices)],
        "opened_view": next((view for view in choices.saved_views if view.filters == filters), None),
        "is_filtered": filters != RunFilters(),
        "periods": [*PERIODS.items(), *_asked_period(filters)],
        "is_of_usage": any(getattr(filters, name) for name in OF_USAGE),
        "kept": [(name, value) for name in PRESERVED if (value := getattr(filters, name))],
        "states": [*((key, label) for key, (label, _) in STATES.items()), (STUCK, gettext("Stuck"))],
        "ratings": RATINGS.items(),
        "assistants": _agents(choices.assistants, filters.assistant),
        "models": choices.models,
    }


def counts_of_views(filters: RunFilters, choices: Choices) -> dict[str, str]:
    """Return how many runs each view beside these filters has, by its link in the page. Three statements at most."""
    views = [view for _, view in _views(filters, choices)]
    return {f"?{view.query()}": count for view, count in zip(views, view_counts(views), strict=True)}


def lines_of(run_ids: Sequence[UUID]) -> list[Line]:
    """Return these runs as lines, as many as a page has. One query."""
    runs = Run.objects.filter(pk__in=run_ids[:PAGE_SIZE]).select_related("conversation__owner__user")
    return [_line(run) for run in with_answers(runs)]


def choices_of(actor: Actor) -> Choices:
    """Return what the page offers to the actor, each by name. One query, of the primary, which has a view that was just saved."""
    models = ModelConfig.objects.order_by().annotate(
        kind=Value("model"), key=Cast("pk", TextField()), label=F("display_name"), address=Value("", TextField())
    )
    assistants = Assistant.objects.order_by().annotate(
        kind=Value("assistant"), key=Cast("agent__key", TextField()), label=F("title"), address=Value("", TextField())
    )
    kind_of_view = Case(When(owner=None, then=Value("shared view")), default=Value("own view"))
    readable = RunView.objects.filter(Q(owner_id=actor.membership_id) | Q(owner=None)).order_by()
    views = readable.annotate(kind=kind_of_view, key=Cast("pk", TextField()), label=F("name"), address=F("query"))
    columns = ("kind", "key", "label", "address")
    rows = sorted(models.values_list(*columns).union(assistants.values_list(*columns), views.values_list(*columns)), key=itemgetter(2))
    return Choices(
        models=[(key, label) for kind, key, label, _ in rows if kind == "model"],
        assistants={key: label for kind, key, label, _ in rows if kind == "assistant"},
        saved_views=[
            SavedView(key, label, RunFilters.from_query(dict(parse_qsl(address))), is_shared=kind == "shared view")
            for kind, key, label, address in rows
            if kind in {"own view", "shared view"}
        ],
    )


def _asked_period(filters: RunFilters) -> list[tuple[str, str]]:
    """Return the time that a link asks for, as a choice beside the others."""
    interval = asked_time(filters.period, filters.first, filters.last)
    if interval is None:
        return []
    if filters.period == DAYS:
        return [(DAYS, gettext("%(first)s to %(last)s") % {"first": filters.first, "last": filters.last})]
    first, last = (f"{date_in_words(moment, 'j M Y')}, {moment:%H:%M}" for moment in interval)
    return [(MOMENTS, gettext("Ended %(first)s to %(last)s") % {"first": first, "last": last})]


def _views(filters: RunFilters, choices: Choices) -> list[tuple[StrOrPromise, RunFilters]]:
    """Return the views by their labels: those that each list has, in the time that is shown, and the saved ones."""
    common_values = {"period": filters.period, **{name: getattr(filters, name) for name in PRESERVED}}
    always = [(label, RunFilters(**common_values | values)) for label, values in VIEWS]
    return [*always, *((view.name, view.filters) for view in choices.saved_views)]


def _line(run: Any) -> Line:
    state = STATE_OF[run.status]
    member = run.conversation.owner.user.get_full_name()
    return Line(
        run=run,
        href=reverse("admin:chat_run_change", args=[run.pk]),
        state=state,
        state_label=str(STATES[state][0]),
        note=str(WAITS.get(run.status, "")) or run.error_code.replace("_", " "),
        member=member,
        initials="".join(part[0] for part in member.split()[:2]).upper(),
        tokens=run.tokens,
        first_token_ms=run.first_token_ms,
        seconds=None if run.duration_ms is None else max(0, run.duration_ms) / 1000,
        rating=run.rating or "",
        agent=run.display.get("assistant", {}).get("name") or gettext("Chat agent"),
    )


def _agents(assistants: Mapping[str, str], assistant_key: str) -> list[tuple[str, str]]:
    """Return who may have answered, with the one that is asked for although it was deleted."""
    former = {} if assistant_key in ("", NONE) else {assistant_key: assistant_key}
    return [(NONE, gettext("Chat agent")), *(former | dict(assistants)).items()]
