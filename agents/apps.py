from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "agents"

    def ready(self) -> None:
        """The admin pages stand below the agents, so they are told what plugins there are."""
        from admin_config.plugin_kinds import plugin_kinds_set
        from agents.plugins.registry import PLUGINS

        plugin_kinds_set(PLUGINS)
