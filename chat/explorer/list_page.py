"""What the list of runs shows (design 46)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from django.db.models import F, TextField, Value
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from admin_config.models import Assistant, ModelConfig
from chat.explorer.figures import RunFigures, figures_of
from chat.explorer.filters import DAYS, NONE, PERIODS, RATINGS, STATES, STUCK, RunFilters, runs_page
from chat.models import Run
from tenants.errors import BadRequest

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

STATE_LABELS = {status: (key, label) for key, (label, statuses) in STATES.items() for status in statuses}
WAITS = {
    Run.Status.WAITING_FOR_APPROVAL.value: gettext_lazy("for permission"),
    Run.Status.WAITING_FOR_REPLY.value: gettext_lazy("for a reply"),
    Run.Status.WAITING_FOR_CLIENT.value: gettext_lazy("for the page"),
}
# Filters without a field on the page: they come with links of other pages, and stay until all are cleared.
PRESERVED = ("first", "last", "agent", "called", "member_id", "project", "token")
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
    figures: RunFigures
    seconds: float | None  # without waits; None while it runs
    rating: str
    agent: str


def list_page_context(request: HttpRequest) -> dict[str, Any]:
    """Return the template's context. Three queries, however many runs there are."""
    filters = RunFilters.from_query(request.GET)
    cursor = request.GET.get("cursor", "")
    try:
        page = runs_page(filters, cursor=cursor)
    except BadRequest:  # an address that somebody shortened: begin at the top
        cursor, page = "", runs_page(filters, cursor="")
    models, assistants = _names()
    figures = figures_of([run.pk for run in page.items])
    return {
        "filters": filters,
        "lines": [_line(run, figures) for run in page.items],
        "older": f"?{filters.query(cursor=page.next_cursor)}" if page.next_cursor else "",
        "newest": f"?{filters.query()}" if cursor else "",
        "views": [_view(label, values, filters) for label, values in VIEWS],
        "is_filtered": filters != RunFilters(),
        "periods": [
            *PERIODS.items(),
            *(
                [(DAYS, gettext("%(first)s to %(last)s") % {"first": filters.first, "last": filters.last})]
                if filters.period == DAYS
                else []
            ),
        ],
        "kept": [(name, value) for name in PRESERVED if (value := getattr(filters, name))],
        "states": [*((key, label) for key, (label, _) in STATES.items()), (STUCK, gettext("Stuck"))],
        "ratings": RATINGS.items(),
        "assistants": _agents(assistants, filters.assistant),
        "models": models,
    }


def _view(label: StrOrPromise, values: Mapping[str, str], filters: RunFilters) -> tuple[StrOrPromise, str, bool]:
    """Return the view's label, its address and whether it is the one that is shown."""
    wanted = RunFilters(period=filters.period, **{name: getattr(filters, name) for name in PRESERVED}, **values)
    return label, f"?{wanted.query()}", wanted == filters


def _line(run: Any, figures: Mapping[Any, RunFigures]) -> Line:
    state, label = STATE_LABELS[run.status]
    member = run.conversation.owner.user.get_full_name()
    return Line(
        run=run,
        href=reverse("admin:chat_run_change", args=[run.pk]),
        state=state,
        state_label=str(label),
        note=str(WAITS.get(run.status, "")) or run.error_code.replace("_", " "),
        member=member,
        initials="".join(part[0] for part in member.split()[:2]).upper(),
        tokens=run.tokens,
        figures=figures.get(run.pk, RunFigures()),
        seconds=None if run.duration_ms is None else max(0, run.duration_ms) / 1000,
        rating=run.rating or "",
        agent=run.display.get("assistant", {}).get("name") or gettext("Chat agent"),
    )


def _names() -> tuple[list[tuple[str, str]], dict[str, str]]:
    """Return (id, name) of the models, and the assistants' titles by key, each by name. One query."""
    models = ModelConfig.objects.order_by().annotate(kind=Value(0), key=Cast("pk", TextField()), name=F("display_name"))
    assistants = Assistant.objects.order_by().annotate(kind=Value(1), key=Cast("agent__key", TextField()), name=F("title"))
    rows = sorted(models.values_list("kind", "key", "name").union(assistants.values_list("kind", "key", "name")), key=itemgetter(2))
    return [(key, name) for kind, key, name in rows if not kind], {key: name for kind, key, name in rows if kind}


def _agents(assistants: Mapping[str, str], chosen: str) -> list[tuple[str, str]]:
    """Return who may have answered, with the one that is asked for although it was deleted."""
    former = {} if chosen in ("", NONE) else {chosen: chosen}
    return [(NONE, gettext("Chat agent")), *(former | dict(assistants)).items()]
