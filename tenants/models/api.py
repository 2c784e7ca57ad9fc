"""Rows of the APIs: personal tokens, and first answers to requests that may be repeated."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext, gettext_lazy

from tenants.models.base import TenantForeignKey, TenantModel
from tenants.models.organizations import Membership

MAX_PATH_CHARS = 500


class ApiToken(TenantModel):
    """A member's personal token for the APIs (SPEC 1.5), which has the membership's current rights, limited to `scopes` (tenants.authentication.tokens).

    Revoked tokens are kept for the member's list.
    """

    membership = TenantForeignKey(Membership, models.CASCADE, editable=False, related_name="+")
    name = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, editable=False)  # SHA-256 of the text, which is shown only once, when it is made
    last_four = models.CharField(max_length=4, editable=False)
    scopes = models.JSONField(editable=False)
    networks = models.JSONField(default=list, editable=False)  # CIDR texts from which it works; empty: from everywhere
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, editable=False)
    last_used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("API token")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "digest"], name="api_token_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["membership", "-created_at"], name="api_token_newest_first")]

    def __str__(self) -> str:
        return gettext("%(name)s (ends in %(last_four)s)") % {"name": self.name, "last_four": self.last_four}


class IdempotentAnswer(TenantModel):
    """The first answer to a POST with an Idempotency-Key, kept for a day (tenants.rest.idempotency)."""

    membership = TenantForeignKey(Membership, models.CASCADE, editable=False, related_name="+")
    path = models.CharField(max_length=MAX_PATH_CHARS, editable=False)
    key = models.CharField(max_length=255, editable=False)
    request_hash = models.CharField(max_length=64, editable=False)  # tells a repeated request from another one with the same key
    status = models.PositiveSmallIntegerField(null=True, editable=False)  # HTTP status; None while the request is being worked on
    content = models.TextField(blank=True, default="", editable=False)  # the answer's JSON
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "membership", "path", "key"], name="idempotent_answer_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["created_at"], name="idempotent_answer_expiry")]

    def __str__(self) -> str:
        return f"{self.key} {self.status or 'open'}"
