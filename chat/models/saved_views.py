"""Filters of the list of runs that admins keep under a name."""

from __future__ import annotations

from typing import Final

from django.db import models

from tenants.models import TenantForeignKey, TenantModel

MAX_VIEW_NAME_CHARS: Final = 60


class RunView(TenantModel):
    """Filters of the list of runs under a name. It goes with what its owner has; without an owner it is all admins'."""

    owner = TenantForeignKey("tenants.Membership", on_delete=models.CASCADE, null=True, blank=True, related_name="+", db_index=False)
    name = models.CharField(max_length=MAX_VIEW_NAME_CHARS)
    query = models.TextField()  # as the page's address has it (chat.explorer.filters.RunFilters.query)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "owner", "name"], name="run_view_name_once", nulls_distinct=False),
        ]

    def __str__(self) -> str:
        return self.name
