"""The organization's settings: one row for each organization."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from admin_config.defaults.platform import DEFAULT_PROVIDER, PROVIDER_CHOICES
from admin_config.models.releases import Release
from admin_config.validation.text_lists import check_hosts
from tenants.models import TenantForeignKey, TenantModel

APPROVAL_DAYS = 7  # SECURITY 28
DELETED_KEPT_DAYS = 30
REFUSALS_ALERT = 20  # of one limit, within an hour


def _quota(label: str, help_text: str | Promise) -> models.PositiveIntegerField[int | None, int | None]:
    return models.PositiveIntegerField(
        label,
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=format_lazy("{} {}", help_text, gettext_lazy("Blank: the platform's limit. Takes effect immediately.")),
    )


class AppSettings(TenantModel):
    """The organization's settings; exactly one row for each organization."""

    active_provider = models.CharField(
        max_length=20,
        choices=PROVIDER_CHOICES,
        default=DEFAULT_PROVIDER,
        help_text=gettext_lazy("Used when a user has not chosen a model."),
    )
    offered_providers = models.JSONField(
        "other providers",
        default=list,
        blank=True,
        help_text=gettext_lazy(
            "Users may choose models of these providers too, in any conversation. Each needs an enabled endpoint and chat agent."
        ),
    )
    publish_on_save = models.BooleanField(
        default=True,
        help_text=gettext_lazy("On: every save goes live at once. Off: changes are collected in a draft that you publish."),
    )
    own_keys_allowed = models.BooleanField(
        "members' own keys",
        default=False,
        help_text=gettext_lazy(
            "On: members may use API keys of their own, before the organization's. Off: saved keys are kept but not used. Takes effect immediately."
        ),
    )
    approval_days = models.PositiveSmallIntegerField(
        "approval time-out (days)",
        default=APPROVAL_DAYS,
        db_default=APPROVAL_DAYS,
        validators=[MinValueValidator(1), MaxValueValidator(90)],
        help_text=gettext_lazy(
            "How long a question waits for an answer; then it counts as refused. Takes effect immediately for new questions."
        ),
    )
    retention_days = models.PositiveSmallIntegerField(
        "days to keep deleted data",
        default=DELETED_KEPT_DAYS,
        db_default=DELETED_KEPT_DAYS,
        validators=[MinValueValidator(1), MaxValueValidator(3650)],
        help_text=gettext_lazy(
            "Deleted conversations, documents and files are erased for good after so many days. Takes effect immediately."
        ),
    )
    refusals_alert = models.PositiveSmallIntegerField(
        "tell owners of refusals",
        default=REFUSALS_ALERT,
        db_default=REFUSALS_ALERT,
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=gettext_lazy(
            "Owners get a mail, once a day, about a limit or budget that refused so often within an hour. Blank: never. "
            "Takes effect immediately."
        ),
    )
    never_hosts = models.TextField(
        "hosts that are never called",
        blank=True,
        default="",
        db_default="",
        validators=[check_hosts],
        help_text=gettext_lazy(
            "No tool calls these hosts, whatever anybody allows. One on each line, such as example.com or *.example.com. "
            "Takes effect immediately."
        ),
    )
    member_storage_mb = _quota("member's storage (MB)", gettext_lazy("The files that one member may have stored."))
    member_files = _quota("member's files", gettext_lazy("How many files one member may have stored."))
    organization_storage_mb = _quota("organization's storage (MB)", gettext_lazy("All files together, with knowledge files."))
    organization_files = _quota("organization's files", gettext_lazy("How many files all members together may have stored."))
    # The platform's release that was brought to the organization last (admin_config.services.platform.rollout).
    platform_number = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    live_release = TenantForeignKey(Release, models.PROTECT, null=True, editable=False, related_name="+")
    published_values = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)  # drafts.draft_hashes

    class Meta(TenantModel.Meta):
        verbose_name = verbose_name_plural = gettext_lazy("settings")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization"], name="settings_once"),
        ]

    def __str__(self) -> str:
        return gettext("Settings")
