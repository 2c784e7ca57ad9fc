"""What the platform's text was when an organization put its own in its place."""

from __future__ import annotations

from django.db import models

from admin_config.models.agents import AgentConfig
from tenants.models import TenantForeignKey, TenantModel


class CustomizedText(TenantModel):
    """The platform's default of an agent's text that has an own one: as it was when that was first published, or when an admin kept the own one.

    A later version of the platform may have another default, which the agent's page then says (admin_config.services.agents.changed_defaults).
    """

    agent = TenantForeignKey(AgentConfig, on_delete=models.CASCADE, related_name="customized_texts")
    part = models.CharField(max_length=40, blank=True)  # the section or operation; blank: the agent itself
    field = models.CharField(max_length=40)
    default_text = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "agent", "part", "field"], name="customized_text_once"),
        ]

    def __str__(self) -> str:
        return f"{self.part} {self.field}".strip()
