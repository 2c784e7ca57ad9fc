"""Model of releases, which never change."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext

from tenants.models import TenantModel

MAX_NOTE_CHARS = 200


class Release(TenantModel):
    """A published configuration, or the draft as it was when somebody tried it. Rows are only inserted: the app role may not change them."""

    number = models.PositiveIntegerField(editable=False)  # of a trial: that of the release it was based on
    is_trial = models.BooleanField(default=False, db_default=False, editable=False)  # never live (admin_config.services.trials)
    content = models.JSONField(editable=False)  # the JSON of a ReleaseSnapshot
    content_hash = models.CharField(max_length=64, editable=False)
    # PROTECT, because clearing the author would be an update. Accounts with releases are deactivated instead.
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, editable=False, related_name="+")
    note = models.CharField(max_length=MAX_NOTE_CHARS, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        ordering = ("-number",)
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["organization", "content_hash"], condition=Q(is_trial=True), name="release_trial"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "number"], condition=Q(is_trial=False), name="release_number_once"),
        ]

    def __str__(self) -> str:
        return (
            gettext("Trial of release %(number)s") % {"number": self.number}
            if self.is_trial
            else gettext("Release %(number)s") % {"number": self.number}
        )
