"""Admin page of an organization's audit policy and of the webhooks that get its events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from security.audit.policy import ADDRESSES, AuditPolicy, audit_policy_set
from security.audit.webhooks import webhook_create, webhook_remove, webhook_switch
from security.audit_sql import MIN_DAYS
from security.egress import EgressRefused
from security.models import AuditDelivery, AuditWebhook
from tenants.admin import actor_of
from tenants.errors import BadRequest, NotFound
from tenants.models import Organization

PAGE = "admin:security_auditevent_settings"


@dataclass(frozen=True, slots=True)
class WebhookState:
    """A webhook and how its deliveries go."""

    webhook: AuditWebhook
    waiting: int

    @property
    def state(self) -> str:
        if not self.webhook.is_enabled:
            return gettext("Off")
        if self.webhook.failures:
            return gettext("Failing")
        return gettext("Delivering") if self.webhook.last_delivered_at else gettext("Nothing sent yet")

    @property
    def is_failing(self) -> bool:
        return self.webhook.is_enabled and bool(self.webhook.failures)

    @property
    def pauses(self) -> bool:
        return self.webhook.is_enabled and bool(self.webhook.failures) and self.webhook.next_try_at > timezone.now()


def webhook_states() -> list[WebhookState]:
    """Return the organization's webhooks. Two queries."""
    delivery_counts = dict(AuditDelivery.objects.values_list("webhook_id").annotate(count=Count("pk")))
    return [WebhookState(webhook, delivery_counts.get(webhook.pk, 0)) for webhook in AuditWebhook.objects.order_by("created_at")]


def settings_page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Show policy and webhooks; a POST saves the policy."""
    actor = actor_of(request)
    organization = Organization.objects.get(pk=actor.organization_id)
    policy, problem = AuditPolicy.of(organization), ""
    if request.method == "POST":
        days, addresses = request.POST.get("days", ""), request.POST.get("addresses", "")
        try:
            policy = AuditPolicy(int(days) if days.isdecimal() and len(days) < 6 else 0, addresses)
            audit_policy_set(actor=actor, policy=policy)
        except BadRequest as error:
            problem = str(error)
        else:
            messages.success(request, gettext("Saved."))
            return redirect(reverse(PAGE))
    return _page(request, context, policy=policy, policy_problem=problem)


def webhook_add_page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Make a webhook and show its secret, once."""
    if request.method != "POST":
        raise Http404
    actor, url = actor_of(request), request.POST.get("url", "")
    policy = AuditPolicy.of(Organization.objects.get(pk=actor.organization_id))
    try:
        webhook, secret = webhook_create(actor=actor, url=url)
    except (BadRequest, EgressRefused) as error:
        return _page(request, context, policy=policy, url=url, url_problem=str(error))
    return _page(request, context, policy=policy, made=webhook, secret=secret)


def webhook_change(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    """Switch a webhook on or off, or remove it."""
    actor, action = actor_of(request), request.POST.get("do", "")
    if request.method != "POST" or action not in {"enable", "disable", "remove"}:
        raise Http404
    try:
        if action == "remove":
            webhook_remove(actor=actor, webhook_id=webhook_id)
        else:
            webhook_switch(actor=actor, webhook_id=webhook_id, is_enabled=action == "enable")
    except NotFound as error:
        raise Http404 from error
    return redirect(reverse(PAGE))


def _page(request: HttpRequest, context: dict[str, Any], **own: Any) -> HttpResponse:
    page_context = {
        "addresses": ADDRESSES.items(),
        "min_days": MIN_DAYS,
        "webhooks": webhook_states(),
        "title": gettext("Audit log settings"),
    }
    return TemplateResponse(request, "admin/organization/audit_settings.html", {**context, **page_context, **own})
