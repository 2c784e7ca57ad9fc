"""Admin page of a canary: how it does beside the live release, its rules, and the buttons that end it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext
from pydantic import ValidationError

from admin_config.admin.base import ReadOnly, TenantModelAdmin
from admin_config.admin.publish_page import audience_of, live_message
from admin_config.models import Canary
from admin_config.services.canary.lifecycle import canary_change, canary_promote, canary_take_back, member_counts
from evaluations.canary.curves import curves_of, points_of, rows_of
from evaluations.canary.looks import look_at
from evaluations.canary.measures import Measure
from evaluations.canary.rules import LIMITS, NUMBERS, Rules, fields_of
from tenants.admin import actor_of
from tenants.errors import BadRequest, ParleyError
from tenants.models import MemberGroup

PAGE = "admin:admin_config_canary_change"
MAX_REASON_CHARS = 300
WIDTH = 200  # of the drawing of an interval, in its own units


@dataclass(frozen=True, slots=True)
class Drawing:
    """Where the marks of an interval stand."""

    zero: float
    limit: float | None
    low: float
    high: float
    at: float


class CanaryAdmin(ReadOnly, TenantModelAdmin):
    """Canaries, which are listed among the releases."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<uuid:object_id>/promote/", view(self.promote_view), name="admin_config_canary_promote"),
            path("<uuid:object_id>/take-back/", view(self.take_back_view), name="admin_config_canary_take_back"),
            path("<uuid:object_id>/rules/", view(self.rules_view), name="admin_config_canary_rules"),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return redirect("admin:admin_config_release_changelist")

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        canary = self.get_object(request, object_id)
        if request.method != "GET" or canary is None:
            raise Http404
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": str(canary.release),
            "can_change": actor_of(request).can_administer,
            **_canary_context(canary),
        }
        return TemplateResponse(request, "admin/releases/canary.html", context)

    def promote_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        return self._end(request, object_id, promotes=True)

    def take_back_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        return self._end(request, object_id, promotes=False)

    def rules_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Give it to another share or group, with other rules."""
        canary = self._canary(request, object_id)
        try:
            audience = audience_of(request, rules_from(request))
            canary_change(canary_id=canary.pk, audience=audience, author_id=actor_of(request).user_id)
        except ParleyError as error:
            messages.error(request, gettext("Not changed. %(error)s") % {"error": error})
        else:
            messages.success(request, gettext("Changed."))
        return redirect(PAGE, canary.pk)

    def _end(self, request: HttpRequest, object_id: UUID, *, promotes: bool) -> HttpResponse:
        canary = self._canary(request, object_id)
        reason = request.POST.get("reason", "").strip()[:MAX_REASON_CHARS]
        try:
            if not reason:
                raise BadRequest(gettext("Write why first."))
            end = look_at(canary).end(reason, actor_of(request).user_id)
            result = (canary_promote if promotes else canary_take_back)(canary_id=canary.pk, end=end)
        except ParleyError as error:
            messages.error(request, gettext("Nothing was done. %(error)s") % {"error": error})
            return redirect(PAGE, canary.pk)
        taken_back = gettext("Release %(number)d is taken back. Its changes are still in the draft.") % {"number": result.release.number}
        messages.success(request, live_message(result.release) if promotes else taken_back)
        return redirect(PAGE, canary.pk)

    def _canary(self, request: HttpRequest, object_id: UUID) -> Canary:
        canary: Canary | None = self.get_object(request, str(object_id))
        if canary is None or request.method != "POST" or not actor_of(request).can_administer:
            raise Http404
        return canary


def rules_from(request: HttpRequest) -> dict[str, Any]:
    """Return the rules that a form holds; those that it lacks as they are at first. Raises BadRequest."""
    form = request.POST
    if "has_rules" not in form:
        return Rules().model_dump()
    values: dict[str, Any] = {name: form.get(name, "").strip() or None for name in LIMITS}
    values |= {name: form.get(name, "").strip() for name in NUMBERS}
    try:
        return Rules.model_validate({**values, "is_automatic": "is_automatic" in form}).model_dump()
    except ValidationError as error:
        wrong = Rules.model_fields[str(error.errors()[0]["loc"][0])].title
        raise BadRequest(f"{wrong}: {error.errors()[0]['msg'].lower()}.") from error


def rules_part(request: HttpRequest, draft: object) -> dict[str, Any]:
    """Return the rules of a new canary, for the publish page: as they were typed if they were, also when they are wrong."""
    form = request.POST if request.method == "POST" else request.GET
    fields = fields_of(Rules())
    if "has_rules" not in form:
        return {"rules": Rules(), "rule_fields": fields}
    typed_fields = [{**field, "value": form.get(field["name"], "")} for field in fields]
    is_automatic = "is_automatic" in form
    is_changed = not is_automatic or any(str(field["value"]) != one["value"] for field, one in zip(fields, typed_fields, strict=True))
    return {"rules": {"is_automatic": is_automatic}, "rule_fields": typed_fields, "are_rules_typed": is_changed}


def _canary_context(canary: Canary) -> dict[str, Any]:
    """Return how the canary does; of one that has ended, what was kept of its end. At most five queries."""
    look = look_at(canary)
    measures = look.measures if canary.is_open or not canary.figures else [Measure(**figures) for figures in canary.figures]
    inside, members = member_counts(canary) if canary.is_open else (0, 0)
    points = points_of(look, measures)
    return {
        "canary": canary,
        "look": look,
        "curves": curves_of(points),
        "points": rows_of(points) if len(points) > 1 else [],
        "lines": [(measure, drawing_of(measure)) for measure in measures],
        "inside": inside,
        "members": members,
        "rules": look.rules,
        "rule_fields": fields_of(look.rules),
        "member_groups": MemberGroup.objects.all() if canary.is_open else [],
        "verdict": verdict(look.rules, look.canary_runs, measures),
    }


def verdict(rules: Rules, canary_runs: int, measures: Sequence[Measure]) -> str:
    """Return what can be said of a canary that is under way."""
    states = {measure.state for measure in measures if measure.limit is not None}
    if "harm" in states:
        return gettext("Harm found")
    return gettext("Not enough yet") if canary_runs < rules.min_runs or states <= {"few"} else gettext("No harm found so far")


def drawing_of(measure: Measure) -> Drawing | None:
    """Return the marks of the measure's interval, cut off at three times its limit; None when there is none."""
    if measure.difference is None or measure.low is None or measure.high is None:
        return None
    reach = 3 * max(measure.limit or 0, 5.0)

    def place(value: float) -> float:
        return round(WIDTH * (min(max(value, -reach), reach) + reach) / (2 * reach), 1)

    limit = None if measure.limit is None else place(measure.limit)
    return Drawing(place(0), limit, place(measure.low), place(measure.high), place(measure.difference))
