"""The names of keys: agents, assistants, members, projects and tokens, also of those that are gone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from typing import TYPE_CHECKING, Final

from django.db.models import Model, QuerySet
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy

from admin_config.models import AgentConfig, Assistant
from chat.models import Project
from tenants.localization.language import date_in_words
from tenants.models import ApiToken, Membership
from usage.call_sums import KINDS
from usage.reading.query import DAY, IDS, NONE, TIMES

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

NOTHING: Final[Mapping[str, StrOrPromise]] = {
    "assistant": gettext_lazy("Chat without an assistant"),
    "project": gettext_lazy("No project"),
    "token": gettext_lazy("In the browser"),
    "provider": gettext_lazy("Unknown"),
}
GONE_LABELS: Final[Mapping[str, StrOrPromise]] = {
    "member": gettext_lazy("Former member"),
    "project": gettext_lazy("Deleted project"),
    "token": gettext_lazy("Deleted token"),
}


def labels_of(dimension: str, keys: Collection[str]) -> dict[str, str]:
    """Return what people call each of these keys. At most one statement."""
    real_keys = [key for key in keys if key != NONE]
    names = _names(dimension, real_keys) if real_keys else {}
    return {key: str(NOTHING.get(dimension, NONE) if key == NONE else names.get(key) or GONE_LABELS.get(dimension) or key) for key in keys}


def _names(dimension: str, keys: Collection[str]) -> dict[str, str]:
    if dimension == "kind":
        return {kind: str(label) for kind, label in KINDS.items()}
    if dimension == "agent":
        return {agent.key: str(agent) for agent in AgentConfig.objects.filter(key__in=keys)}
    if dimension == "assistant":
        return {assistant.agent.key: assistant.title for assistant in Assistant.objects.filter(agent__key__in=keys).select_related("agent")}
    if dimension in TIMES:
        return {key: _days(dimension, date.fromisoformat(key)) for key in keys}
    if dimension not in IDS:
        return {}
    rows: Mapping[str, QuerySet[Model]] = {
        "member": Membership.objects.select_related("user"),
        "project": Project.objects.select_related("owner__user"),
        "token": ApiToken.objects.all(),
    }
    return {str(row.pk): _name(row) for row in rows[dimension].filter(pk__in=keys)}


def _days(dimension: str, first: date) -> str:
    if dimension == "month":
        return date_format(first, "F Y")
    day = date_in_words(first, "j M Y")
    if dimension == "day":
        return day
    return gettext("%(first)s to %(last)s") % {"first": day, "last": date_in_words(first + 6 * DAY, "j M Y")}


def _name(row: Model) -> str:
    if isinstance(row, Membership):
        return row.user.get_full_name() or row.user.email
    if isinstance(row, Project):
        return gettext("A project of %(user)s") % {"user": row.owner.user.get_full_name()}  # its name is the member's own text
    return str(getattr(row, "name", row.pk))
