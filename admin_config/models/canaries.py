"""Releases that some members get before everybody else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy

from admin_config.models.releases import Release
from tenants.localization.figures import FORMS, figure, figure_as_it_is, signed
from tenants.models import MemberGroup, TenantForeignKey, TenantModel


class Canary(TenantModel):
    """A release that goes to a share or a group of members, while the others stay on the live one. An organization has one at a time."""

    class Outcome(models.TextChoices):
        PROMOTED = "promoted", gettext_lazy("Promoted")
        TAKEN_BACK = "taken_back", gettext_lazy("Taken back")

    release = TenantForeignKey(Release, models.PROTECT, editable=False, related_name="+")
    base = TenantForeignKey(Release, models.PROTECT, editable=False, related_name="+")  # the live one, with which it is compared
    percent = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(99)]
    )  # of the members; None: those of the group
    group = TenantForeignKey(MemberGroup, models.SET_NULL, null=True, blank=True, related_name="+")
    rules = models.JSONField(default=dict)  # evaluations.canary.rules
    started_at = models.DateTimeField(auto_now_add=True)
    looked_at = models.DateTimeField(null=True, editable=False)  # when its rules were last applied
    asked_at = models.DateTimeField(null=True, editable=False)  # when admins were told that it can't decide by itself
    ended_at = models.DateTimeField(null=True, editable=False)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True, default="", editable=False)
    by_itself = models.BooleanField(default=False, editable=False)  # the rules ended it
    reason = models.CharField(max_length=300, blank=True, default="", editable=False)  # why it ended; of the rules, marked for translation
    reason_values = models.JSONField(default=dict, editable=False)  # in it; an admin's own words have none
    notice = models.JSONField(default=dict, editable=False)  # what the rules decided, until the mails about it are written
    figures = models.JSONField(default=list, editable=False)  # the measures at its end (evaluations.canary.measures)

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("canary")
        verbose_name_plural = gettext_lazy("canaries")
        ordering: ClassVar[list[str]] = ["-started_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization"], condition=Q(ended_at=None), name="canary_one_open"),
            models.UniqueConstraint(fields=["organization", "release"], name="canary_once"),
        ]

    def __str__(self) -> str:
        return gettext("release %(number)s") % {"number": self.release.number}

    @property
    def why(self) -> str:
        return reason_text(self.reason, self.reason_values)

    @property
    def is_open(self) -> bool:
        return self.ended_at is None

    @property
    def audience(self) -> str:
        """Who gets it, for people: "10 % of members"."""
        if self.percent is not None:
            return gettext("%(percent)s %% of members") % {"percent": self.percent}
        return gettext("the group %(group)s") % {"group": self.group} if self.group else gettext("a group that was deleted")

    @property
    def state(self) -> str:
        """How it stands, in a few words."""
        if self.is_open:
            return gettext("Canary")
        return (gettext("%(outcome)s by itself") if self.by_itself else "%(outcome)s") % {"outcome": self.get_outcome_display()}


def reason_text(reason: str, values: Mapping[str, str | float]) -> str:
    """Return why a canary ended in the reader's language. Without values these are an admin's own words, and stand as they are."""
    if not values:
        return reason
    return gettext(reason) % {name: _value_text(name, value, values) for name, value in values.items()}


def _value_text(name: str, value: str | float, values: Mapping[str, str | float]) -> str:
    """Return a value as the reader's language writes it. `canary` and `live` are written as `form` says."""
    if isinstance(value, str):
        return gettext(value) if name in ("measure", "unit") else value
    match name:
        case "canary" | "live":
            return FORMS[str(values["form"])](value)
        case "difference":
            return signed(value)
        case "limit":
            return figure_as_it_is(value)
    return figure(value)
