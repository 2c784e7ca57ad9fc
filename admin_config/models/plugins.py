"""Model of an agent's plugins."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext, gettext_lazy

from admin_config.extension_kinds import plugin_kinds
from admin_config.models.agents import AgentConfig
from security.egress import origin_of
from tenants.models import TenantForeignKey, TenantModel


class AgentPlugin(TenantModel):
    """A plugin of an agent."""

    agent = TenantForeignKey(AgentConfig, models.CASCADE, related_name="plugins")
    name = models.CharField(max_length=40, editable=False)
    is_enabled = models.BooleanField("enabled", default=False)
    position = models.PositiveSmallIntegerField("order", default=1, help_text=gettext_lazy("Lower ones come first."))
    settings = models.JSONField(default=dict, blank=True, editable=False)  # what differs from the plugin's defaults, as JSON
    # bound to the address in the settings
    secret = TenantForeignKey("security.Secret", models.SET_NULL, null=True, blank=True, editable=False, related_name="+")

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("plugin")
        ordering = ("position", "name", "id")

    def __str__(self) -> str:
        kind = plugin_kinds().get(self.name)
        return gettext(kind.label) if kind else self.name

    def has_secret_for(self, url: str) -> bool:
        """Return whether its secret was entered for the origin of `url`."""
        return self.secret is not None and self.secret.bound_origin == origin_of(url)
