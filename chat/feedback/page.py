"""What the page "Feedback" shows (design 51). Comments are addressed to admins; the conversation is not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from admin_config.models import Assistant
from chat.conversations.admin_reading import may_read
from chat.conversations.shapes import ReadingPolicy
from chat.feedback.filters import CHAT_AGENT, NOBODY, PERIODS, RATINGS, SEEN_CHOICES, FeedbackFilters, feedback_page
from chat.feedback.selectors import assignable, unseen_count
from chat.models import MessageFeedback, Run
from tenants.errors import BadRequest
from tenants.models import Membership

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

VIEWS: tuple[tuple[StrOrPromise, dict[str, str]], ...] = (
    (gettext_lazy("All"), {}),
    (gettext_lazy("Not seen"), {"seen": "no"}),
    (gettext_lazy("Thumbs down"), {"rating": "down"}),
    (gettext_lazy("With a comment"), {"comment": "1"}),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One member's feedback in the list."""

    feedback: MessageFeedback
    run: Run | None
    member: str
    initials: str
    agent: str
    model: str
    release: str
    is_trial: bool
    reasons: list[str]
    can_read: bool  # the conversation, on the run's page
    assignee: str


def feedback_context(request: HttpRequest, policy: ReadingPolicy) -> dict[str, Any]:
    """Return the template's context. Four queries, however much feedback there is."""
    filters, cursor = FeedbackFilters.from_query(request.GET), request.GET.get("cursor", "")
    try:
        page = feedback_page(filters, cursor=cursor)
    except BadRequest:  # an address that somebody shortened: begin at the top
        cursor, page = "", feedback_page(filters, cursor="")
    people = assignable()
    return {
        "filters": filters,
        "lines": [_line(feedback, policy) for feedback in page.items],
        "older": f"?{filters.query(cursor=page.next_cursor)}" if page.next_cursor else "",
        "newest": f"?{filters.query()}" if cursor else "",
        "here": filters.query(cursor=cursor),
        "views": [_view(label, values, filters) for label, values in VIEWS],
        "is_filtered": filters != FeedbackFilters(),
        "unseen": unseen_count(request),
        "people": [(str(member.pk), str(member.user)) for member in people],
        "choices": [(*choice, getattr(filters, choice[0])) for choice in _choices(people)],
    }


def _choices(people: Sequence[Membership]) -> list[tuple[str, str, str, Iterable[tuple[str, StrOrPromise]]]]:
    """Return the filters' names, what they are called, the words for "any" and their values. One query."""
    return [
        ("period", gettext("Time"), "", PERIODS.items()),
        ("rating", gettext("Rating"), gettext("Any rating"), RATINGS.items()),
        ("reason", gettext("Reason"), gettext("Any reason"), MessageFeedback.Reason.choices),
        ("agent", gettext("Assistant"), gettext("Any assistant"), [(CHAT_AGENT, gettext("Chat agent")), *_assistants()]),
        ("seen", gettext("Seen"), gettext("Seen or not"), SEEN_CHOICES.items()),
        (
            "assignee",
            gettext("Assigned to"),
            gettext("Anybody"),
            [(NOBODY, gettext("Nobody")), *((str(each.pk), str(each.user)) for each in people)],
        ),
    ]


def _assistants() -> list[tuple[str, str]]:
    return list(Assistant.objects.order_by("title").values_list("agent__key", "title"))


def _view(label: StrOrPromise, values: dict[str, str], filters: FeedbackFilters) -> tuple[StrOrPromise, str, bool]:
    view_filters = FeedbackFilters(period=filters.period, **values)
    return label, f"?{view_filters.query()}", view_filters == filters


def _line(feedback: MessageFeedback, policy: ReadingPolicy) -> Line:
    run, conversation = feedback.message.run, feedback.message.conversation
    display = run.display if run else {}
    member = conversation.owner.user.get_full_name()
    assistant = display.get("assistant")
    return Line(
        feedback=feedback,
        run=run,
        member=member,
        initials="".join(part[0] for part in member.split()[:2]).upper(),
        agent=str((assistant or {}).get("name", "")) if isinstance(assistant, dict) else str(assistant or gettext("Chat agent")),
        model=str(display.get("modelName", "")),
        release=str(display.get("release", "")),
        is_trial=bool(display.get("isTrial")),
        reasons=[str(MessageFeedback.Reason(reason).label) for reason in feedback.reasons if reason in MessageFeedback.Reason.values],
        can_read=may_read(policy, conversation),
        assignee=str(feedback.assignee.user) if feedback.assignee else "",
    )
