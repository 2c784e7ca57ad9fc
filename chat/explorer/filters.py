"""Which runs the list shows: filters that live in the page's address, one page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import timedelta
from math import ceil, isfinite
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.utils import timezone
from django.utils.translation import gettext_lazy

from chat.explorer.periods import DEFAULT_PERIOD, MOMENTS, PERIODS, asked_time, begin_of
from chat.explorer.text_search import runs_with_text
from chat.models import MessageFeedback, ModelCall, Run, RunTool
from chat.storage.open_runs import STUCK_S
from tenants.input.short_text import short_text
from tenants.models import Membership
from tenants.rest.pagination import Page, paginate_newest_first

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

PAGE_SIZE: Final = 50
MAX_MEMBERS: Final = 50  # that a name in the filter may mean
MAX_RATED: Final = 1000
MAX_NUMBER: Final = 1e12
STATES: Final[Mapping[str, tuple[StrOrPromise, tuple[str, ...]]]] = {
    "running": (gettext_lazy("Running"), tuple(Run.ACTIVE)),
    "waiting": (gettext_lazy("Waiting"), tuple(Run.WAITING)),
    "done": (gettext_lazy("Done"), (Run.Status.DONE,)),
    "failed": (gettext_lazy("Failed"), (Run.Status.FAILED,)),
    "stopped": (gettext_lazy("Stopped"), (Run.Status.STOPPED,)),
}
STATE_OF: Final = {status: state for state, (_, statuses) in STATES.items() for status in statuses}
STUCK: Final = "stuck"
NONE: Final = "-"
STUCK_AFTER: Final = timedelta(seconds=STUCK_S)  # without an owner
RATINGS: Final[Mapping[str, StrOrPromise]] = {"up": gettext_lazy("Thumbs up"), "down": gettext_lazy("Thumbs down")}


@dataclass(frozen=True, slots=True)
class RunFilters:
    """What the page's address asks for. Unknown and malformed values count as none."""

    q: str = ""  # the id of a run or a conversation, or an error code
    period: str = DEFAULT_PERIOD
    state: str = ""
    model: str = ""  # the id of a model of the organization's configuration
    release: str = ""  # its number
    member: str = ""  # part of a name or an address
    rating: str = ""
    text: str = ""  # words of the question or the answer, where they may be read
    assistant: str = ""  # its key; NONE: the chat agent
    tool: str = ""  # the name of a tool that gave a result, also to a sub-agent
    cost: str = ""  # at least so many US dollars
    seconds: str = ""  # at least, without waits
    tokens: str = ""  # at least
    first: str = ""  # in UTC, with the periods DAYS and MOMENTS
    last: str = ""
    # What the usage page asks for besides. NONE stands for no assistant, project or token.
    agent: str = ""  # the key of an agent that called a model
    called: str = ""  # the provider's name of a model that was called
    member_id: str = ""
    project: str = ""
    token: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, Any]) -> RunFilters:
        values = {field.name: short_text(query.get(field.name, "")) for field in fields(cls)}
        if asked_time(values["period"], values["first"], values["last"]) is None:
            values |= {"period": values["period"] if values["period"] in PERIODS else DEFAULT_PERIOD, "first": "", "last": ""}
        return cls(**values)

    def values(self) -> dict[str, str]:
        """Return what is asked for, by name, without what is empty or the default."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value and (name, value) != ("period", DEFAULT_PERIOD)}

    def query(self, **changes: str) -> str:
        """Return the address's query for these filters with changes; what is empty or the default is left out."""
        values = self.values() | changes
        return urlencode({name: value for name, value in values.items() if value and (name, value) != ("period", DEFAULT_PERIOD)})


def runs_page(filters: RunFilters, *, cursor: str) -> Page[Run]:
    """Return a page of the runs that the filters ask for, newest first, as `runs_matching_with_answers` has them.

    One query, and one for a name. Raises BadRequest for a cursor that is none.
    """
    return paginate_newest_first(runs_matching_with_answers(filters), field="created_at", cursor=cursor, limit=PAGE_SIZE)


def runs_matching_with_answers(filters: RunFilters) -> QuerySet[Any]:
    """Return the runs that the filters ask for, as `with_answers` has them."""
    return with_answers(runs_matching(filters))


def with_answers(runs: QuerySet[Run]) -> QuerySet[Any]:
    """Return the runs, each with the `rating` of its answer ("up", "down" or None) and its `first_token_ms` (or None).

    Both are read for the rows of a page alone.
    """
    feedback = MessageFeedback.objects.filter(message_id=OuterRef("answer_id"))
    first_calls = ModelCall.objects.filter(run=OuterRef("pk"), kind=ModelCall.Kind.STEP, step=1, first_token_ms__isnull=False)
    return runs.annotate(
        rating=Subquery(feedback.values("rating")[:1]),
        first_token_ms=Subquery(first_calls.order_by("first_token_ms").values("first_token_ms")[:1]),
    )


def runs_matching(filters: RunFilters) -> QuerySet[Run]:
    """Return the runs that the filters ask for, with what a line of the list shows. One query for a name, and one for a rating; four for words of a text,
    which the caller writes into the audit log (`search_note`).
    """
    return Run.objects.filter(conditions(filters, look_up_filters([filters]))).select_related("conversation__owner__user")


@dataclass(frozen=True, slots=True)
class FilterLookups:
    """What names and ratings in filters stand for. Asked first, because the planner would try all runs in their order."""

    members: Mapping[str, Sequence[UUID]]  # by a part of a name or an address
    rated: Mapping[str, Sequence[UUID]]  # runs of the newest answers with this rating


def look_up_filters(filter_sets: Sequence[RunFilters]) -> FilterLookups:
    """Return what these filters need. One query for all names, and one for all ratings."""
    members = _rows_by_key((filters.member for filters in filter_sets if filters.member), _members)
    return FilterLookups(members, _rows_by_key((filters.rating for filters in filter_sets if filters.rating in RATINGS), _rated_runs))


def _rows_by_key(keys: Iterable[str], rows_of: Callable[[str], QuerySet[Any]]) -> dict[str, list[UUID]]:
    """`rows_of`: returns pairs of the key and an id. One query, or none without keys."""
    ids_by_key: dict[str, list[UUID]] = {key: [] for key in keys}
    if ids_by_key:
        first, *others = map(rows_of, ids_by_key)
        for key, row_id in first.union(*others, all=True):
            ids_by_key[key].append(row_id)
    return ids_by_key


def _members(text: str) -> QuerySet[Any]:
    memberships: QuerySet[Membership] = Membership.objects.filter(Q(user__name__icontains=text) | Q(user__email__icontains=text))
    return memberships.annotate(named=Value(text, TextField())).order_by().values_list("named", "pk")[:MAX_MEMBERS]


def _rated_runs(rating: str) -> QuerySet[Any]:
    newest = MessageFeedback.objects.filter(rating=rating).order_by("-created_at")
    return newest.values_list("rating", "message__run_id")[:MAX_RATED]


def conditions(filters: RunFilters, lookups: FilterLookups) -> Q:
    """Return the condition for the runs of the filters. No query, but four for words of a text."""
    condition = _time_condition(filters)
    if filters.state in STATES:
        condition &= Q(status__in=STATES[filters.state][1])
    if filters.state == STUCK:
        condition &= Q(status__in=Run.ACTIVE, lease_expires_at__lt=timezone.now() - STUCK_AFTER)
    if filters.state in {"running", "waiting", STUCK}:
        condition &= Q(finished_at=None)  # the condition of an index
    if model_id := _uuid(filters.model):
        condition &= Q(model_config_id=model_id)
    if filters.release.isdecimal() and len(filters.release) < 9:
        condition &= Q(release__number=int(filters.release), release__is_trial=False)
    if filters.member:
        condition &= Q(conversation__owner_id__in=lookups.members[filters.member])
    if filters.rating in RATINGS:
        condition &= Q(pk__in=lookups.rated[filters.rating])
    if filters.q:
        condition &= _search(filters.q)
    if filters.text:
        since = begin_of(filters.period, filters.first, filters.last, timezone.now())
        condition &= runs_with_text(filters.text, since=since, owners=lookups.members[filters.member] if filters.member else None)
    return condition & _work_conditions(filters) & _usage_conditions(filters)


def _time_condition(filters: RunFilters) -> Q:
    if interval := asked_time(filters.period, filters.first, filters.last):
        column = "finished_at" if filters.period == MOMENTS else "created_at"
        return Q(**{f"{column}__gte": interval[0], f"{column}__lt": interval[1]})
    since = begin_of(filters.period, filters.first, filters.last, timezone.now())
    return Q() if since is None else Q(created_at__gte=since)


def _work_conditions(filters: RunFilters) -> Q:
    """What the run's row sums up. The index of the list has these columns, so that it passes over runs without reading them."""
    condition = Q(Exists(RunTool.objects.filter(run=OuterRef("pk"), name=filters.tool))) if filters.tool else Q()
    if cost := _number(filters.cost):
        condition &= Q(cost_usd__gte=cost)
    if seconds := _number(filters.seconds):
        condition &= Q(duration_ms__gte=round(seconds * 1000))
    if tokens := _number(filters.tokens):
        condition &= Q(tokens__gte=ceil(tokens))
    return condition


def _usage_conditions(filters: RunFilters) -> Q:
    condition = Q()
    if filters.assistant:
        condition &= Q(assistant="" if filters.assistant == NONE else filters.assistant)
    if member_id := _uuid(filters.member_id):
        condition &= Q(conversation__owner_id=member_id)
    if filters.project:
        condition &= Q(conversation__project=None if filters.project == NONE else _uuid(filters.project))
    if filters.token:
        condition &= Q(token_id=None if filters.token == NONE else _uuid(filters.token))
    if filters.agent or filters.called:
        calls = ModelCall.objects.filter(run=OuterRef("pk"))
        calls = calls.filter(agent_key=filters.agent) if filters.agent else calls
        condition &= Q(Exists(calls.filter(model=filters.called) if filters.called else calls))
    return condition


def _search(text: str) -> Q:
    row_id = _uuid(text)
    return Q(status=Run.Status.FAILED, error_code=text.lower()) if row_id is None else Q(pk=row_id) | Q(conversation_id=row_id)


def _number(text: str) -> float:
    """Return a number between 0 and MAX_NUMBER, with a comma or a point; 0 for other texts."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return 0.0
    return min(max(number, 0.0), MAX_NUMBER) if isfinite(number) else 0.0


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
