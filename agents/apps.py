from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "agents"

    def ready(self) -> None:
        """The admin pages stand below the agents, so they are told what plugins and sources of tools there are."""
        from admin_config.extension_kinds import plugin_kinds_set, tool_kinds_set
        from agents.plugins.registry import PLUGINS
        from agents.tools.registry import SOURCE_KINDS

        tool_kinds_set(SOURCE_KINDS)
        plugin_kinds_set(PLUGINS)
