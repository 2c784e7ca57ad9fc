"""What the page "Feedback" shows (design 51). Comments are addressed to admins; the conversation is not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from admin_config.models import Assistant
from chat.conversations.admin_reading import may_read
from chat.conversations.shapes import ReadingPolicy
from chat.feedback.filters import CHAT_AGENT, NOBODY, PERIODS, RATINGS, SEEN, FeedbackFilters, feedback_page
from chat.feedback.selectors import assignable, unseen_count
from chat.models import MessageFeedback, Run
from tenants.errors import BadRequest
from tenants.models import Membership

VIEWS: tuple[tuple[str, dict[str, str]], ...] = (
    ("All", {}),
    ("Not seen", {"seen": "no"}),
    ("Thumbs down", {"rating": "down"}),
    ("With a comment", {"comment": "1"}),
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


def _choices(people: Sequence[Membership]) -> list[tuple[str, str, str, Iterable[tuple[str, str]]]]:
    """Return the filters' names, what they are called, the words for "any" and their values. One query."""
    return [
        ("period", "Time", "", PERIODS.items()),
        ("rating", "Rating", "Any rating", RATINGS.items()),
        ("reason", "Reason", "Any reason", MessageFeedback.Reason.choices),
        ("agent", "Assistant", "Any assistant", [(CHAT_AGENT, "Chat agent"), *_assistants()]),
        ("seen", "Seen", "Seen or not", SEEN.items()),
        ("assignee", "Assigned to", "Anybody", [(NOBODY, "Nobody"), *((str(each.pk), str(each.user)) for each in people)]),
    ]


def _assistants() -> list[tuple[str, str]]:
    return list(Assistant.objects.order_by("title").values_list("agent__key", "title"))


def _view(label: str, values: dict[str, str], filters: FeedbackFilters) -> tuple[str, str, bool]:
    wanted = FeedbackFilters(period=filters.period, **values)
    return label, f"?{wanted.query()}", wanted == filters


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
        agent=str((assistant or {}).get("name", "")) if isinstance(assistant, dict) else str(assistant or "Chat agent"),
        model=str(display.get("modelName", "")),
        release="Trial" if display.get("isTrial") else str(display.get("release", "")),
        reasons=[MessageFeedback.Reason(reason).label for reason in feedback.reasons if reason in MessageFeedback.Reason.values],
        can_read=may_read(policy, conversation),
        assignee=str(feedback.assignee.user) if feedback.assignee else "",
    )
