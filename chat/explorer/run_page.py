"""What the page of one run shows (design 47): its figures, the waterfall, one call beside it, and texts where they may be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from chat.conversations.admin_reading import ALWAYS, CONSENT, NEVER, may_read_run
from chat.conversations.shapes import ReadingPolicy
from chat.explorer.figures import RunFigures, figures_of
from chat.explorer.request_view import RequestView, request_view
from chat.explorer.spans import Span, call_tokens, run_spans, run_story
from chat.explorer.time_scale import Scale, time_scale
from chat.models import MessageFeedback, ModelCall, Part, Run
from chat.storage.call_log import model_request_of
from tenants.errors import NotFound

LEGEND = (
    ("first", gettext_lazy("Until the first token")),
    ("model", gettext_lazy("Model")),
    ("tool", gettext_lazy("Tool")),
    ("sub_agent", gettext_lazy("Sub-agent")),
    ("wait", gettext_lazy("Waiting")),
)
REFUSALS = {
    NEVER: gettext_lazy("Your organization doesn't let admins read members' chats. You see structure and figures."),
    CONSENT: gettext_lazy("This member has not shared the conversation with admins. You see structure and figures."),
}


@dataclass(frozen=True, slots=True)
class Bar:
    """A span as it is drawn, in per cent of the line."""

    span: Span
    x: float
    width: float
    first_width: float  # of a model call: until its first token
    href: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class OpenCall:
    """The call beside the waterfall."""

    call: ModelCall
    tokens: int
    request: RequestView | None  # None: it was not kept, because the process that made it died


def run_page_context(run: Run, *, policy: ReadingPolicy, open_call_id: str, wants_texts: bool) -> dict[str, Any]:
    """Return the template's context. Ten queries, and up to five more for an opened call."""
    now = timezone.now()
    calls = list(ModelCall.objects.filter(run=run).defer("own_entries").order_by("created_at"))
    story = run_story(run, calls=calls, now=now)
    spans = run_spans(story)
    readable = may_read_run(policy, run)
    shows_texts = readable and wants_texts
    end_ms = story.since_start(run.finished_at or now)
    scale = time_scale([(span.start_ms, span.end_ms) for span in spans if span.kind in {"model", "tool"}], end_ms=end_ms)
    bars = _bars(spans, scale, open_call_id, wants_texts)
    figures = figures_of([run.pk]).get(run.pk, RunFigures())
    return {
        "run": run,
        "figures": figures,
        "tokens": sum(map(call_tokens, calls)),
        "working": timedelta(milliseconds=max(0, end_ms - run.waited_ms)),
        "waited": timedelta(milliseconds=run.waited_ms),
        "bars": bars,
        "has_gaps": bool(scale.gaps),
        "legend": LEGEND,
        "opened": _open_call(calls, open_call_id, shows_texts),
        "neighbours": _neighbours(bars),
        "feedback": MessageFeedback.objects.filter(message_id=run.answer_id).first(),
        "texts": _texts(run, shows_texts),
        "readable": readable,
        "shows_texts": shows_texts,
        "refusal": "" if readable else REFUSALS.get(policy, gettext("This conversation was deleted. You see structure and figures.")),
        "is_always": policy == ALWAYS,
        "approvals": story.approvals,
    }


def _bars(spans: Sequence[Span], scale: Scale, open_call_id: str, wants_texts: bool) -> list[Bar]:
    bars = []
    for span in spans:
        x, end = scale.place(span.start_ms), scale.place(span.end_ms)
        first = scale.place(min(span.start_ms + span.first_token_ms, span.end_ms)) - x if span.first_token_ms is not None else 0
        call_id = str(span.call.pk) if span.call else ""
        href = f"?call={call_id}{'&texts=1' if wants_texts else ''}" if call_id else ""
        bars.append(Bar(span, x, max(0.6, round(end - x, 2)), round(first, 2), href, bool(call_id) and call_id == open_call_id))
    return bars


def _neighbours(bars: Sequence[Bar]) -> dict[str, str]:
    """Return the addresses of the calls before and after the open one; without one, of the first."""
    links = [bar for bar in bars if bar.href]
    at = next((place for place, bar in enumerate(links) if bar.is_open), -1)
    return {
        "previous": links[at - 1].href if at > 0 else "",
        "next": links[at + 1].href if at + 1 < len(links) else "",
    }


def _open_call(calls: Sequence[ModelCall], open_call_id: str, shows_texts: bool) -> OpenCall | None:
    call = next((call for call in calls if str(call.pk) == open_call_id), None)
    if call is None:
        return None
    try:
        request = request_view(model_request_of(call), with_texts=shows_texts)
    except NotFound:
        request = None
    return OpenCall(call, call_tokens(call), request)


def _texts(run: Run, shows_texts: bool) -> dict[str, Any]:
    """Return what the member wrote and saw, or only how long it is."""
    question_id = (run.replay_of or run).question_id
    texts: dict[UUID, str] = {question_id: "", run.answer_id: ""}
    kinds = ("user_message", "assistant_text")
    parts = Part.objects.filter(message_id__in=texts, kind__in=kinds).order_by("message_id", "position")
    for message_id, content in parts.values_list("message_id", "content"):
        texts[message_id] = "\n\n".join(filter(None, (texts[message_id], content["text"])))
    question, answer = texts[question_id], texts[run.answer_id]
    lengths = {"question_length": len(question), "answer_length": len(answer)}
    return {**lengths, "question": question, "answer": answer} if shows_texts else lengths
