"""Admin page of retention: the rules, and what they would delete before they are switched on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.contrib import messages
from django.db import OperationalError, transaction
from django.db.models import Max, Min, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from admin_config.admin.base import ReadOnly, TenantModelAdmin
from admin_config.admin.sites import organization_site
from admin_config.services.selectors import deleted_kept_days
from embed.models import EmbedSite
from retention.expired_rows import expired_calls, expired_conversations, expired_files
from retention.models import RetentionRule
from retention.rules import Days, days_check, rule_read, rule_set
from security.audit.policy import AuditPolicy
from tenants.admin import actor_of
from tenants.errors import BadRequest
from tenants.localization.figures import figure
from tenants.models import Organization

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

PAGE: Final = "admin:retention_retentionrule_changelist"
MAX_COUNTED: Final = 10_000  # rows; a page must not count for long
LABELS: Final = {
    "conversations": (gettext_lazy("Conversations"), gettext_lazy("Days since anybody changed the conversation or a document in it.")),
    "files": (
        gettext_lazy("Files in conversations"),
        gettext_lazy("Days since the file was attached or made. Its conversation stays and says that it was removed."),
    ),
    "calls": (
        gettext_lazy("Content of model calls"),
        gettext_lazy("Days since the call. What was sent goes from the run's page; tokens, times and cost stay."),
    ),
}
DUE: Final = {"conversations": expired_conversations, "files": expired_files, "calls": expired_calls}


@dataclass(frozen=True, slots=True)
class RuleField:
    """A field of the form. `due_text`: what the rule would delete now, as words; "": not asked."""

    name: str
    label: StrOrPromise
    help: StrOrPromise
    days: int | None
    due_text: str


class RetentionAdmin(ReadOnly, TenantModelAdmin):
    """How long the organization keeps what."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("", view(self.page_view), name="retention_retentionrule_changelist"),
            path("rules/", view(self.rules_view), name="retention_retentionrule_rules"),
        ]

    def page_view(self, request: HttpRequest) -> HttpResponse:
        return self._page(request, Days.of(rule_read()))

    def rules_view(self, request: HttpRequest) -> HttpResponse:
        """Count what new rules would delete; a second POST, with these same numbers, switches them on."""
        if request.method != "POST":
            return redirect(PAGE)
        try:
            days = _days_of(request)
            days_check(days)
        except BadRequest as error:
            messages.error(request, error.message)
            return self._page(request, Days.of(rule_read()), entries={name: request.POST.get(name, "") for name in LABELS})
        if request.POST.get("shown") != _mark(days):
            return self._page(request, days, is_asked=True)
        rule_set(actor=actor_of(request), days=days)
        messages.success(request, gettext("Saved."))
        return redirect(PAGE)

    def _page(self, request: HttpRequest, days: Days, *, is_asked: bool = False, entries: dict[str, str] | None = None) -> HttpResponse:
        organization_id, row = actor_of(request).organization_id, rule_read()
        counts = due_texts(organization_id, days) if is_asked else {}
        values = {**asdict(days), **(entries or {})}
        fields = [RuleField(name, *texts, values[name], counts.get(name, "")) for name, texts in LABELS.items()]
        organization = Organization.objects.get(pk=organization_id)
        context = {
            "fields": fields,
            "is_asked": is_asked,
            "mark": _mark(days) if is_asked else "",
            "row": row,
            "waits": row is not None
            and row.begins_at is not None
            and row.begins_at > timezone.now()
            and any(asdict(Days.of(row).in_effect).values()),
            "deleted_days": deleted_kept_days(),
            "audit_days": AuditPolicy.of(organization).days,
            "visitors": EmbedSite.objects.aggregate(least=Min("keep_days"), most=Max("keep_days")),
            "in_effect": days.in_effect if days.in_effect != days else None,
        }
        site_context = {**self.admin_site.each_context(request), "opts": self.opts, "title": gettext("Retention")}
        return TemplateResponse(request, "admin/organization/retention.html", {**site_context, **context})


def due_texts(organization_id: UUID, days: Days) -> dict[str, str]:
    """Return what the rules would delete now, as words, by field. One query for each."""
    numbers = {name: number for name, number in asdict(days.in_effect).items() if number is not None}
    return {name: _count(DUE[name](organization_id, number, using="default")) for name, number in numbers.items()}


def _count(rows: QuerySet[Any]) -> str:
    """Return the number as a word. Counting stops at MAX_COUNTED, and at the role's time limit of a statement."""
    try:
        with transaction.atomic():
            count = rows[: MAX_COUNTED + 1].count()
    except OperationalError:
        return gettext("very many")
    return gettext("more than %(max_counted)s") % {"max_counted": figure(MAX_COUNTED)} if count > MAX_COUNTED else figure(count)


def _days_of(request: HttpRequest) -> Days:
    """Raises BadRequest."""
    texts = {name: request.POST.get(name, "").strip() for name in LABELS}
    if any(text and not (text.isascii() and text.isdigit() and len(text) < 6) for text in texts.values()):
        raise BadRequest(gettext("Enter whole numbers of days, or leave a field empty."))
    return Days(**{name: int(text) if text else None for name, text in texts.items()})


def _mark(days: Days) -> str:
    return ",".join("" if number is None else str(number) for number in asdict(days).values())


organization_site.register(RetentionRule, RetentionAdmin)
