"""Django app configuration of `agents`."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "agents"

    def ready(self) -> None:
        """Register the available plugins and tool source kinds with admin_config, which is a lower layer and may not import agents."""
        from admin_config.endpoint_models import list_models_set
        from admin_config.extension_kinds import plugin_kinds_set, tool_kinds_set
        from agents.plugins.registry import PLUGINS
        from agents.runtime.endpoint_models import endpoint_models
        from agents.tools.registry import SOURCE_KINDS

        tool_kinds_set(SOURCE_KINDS)
        plugin_kinds_set(PLUGINS)
        list_models_set(endpoint_models)
