"""Plugins: stateless values that take part in runs through hooks (SPEC 3.15).

agents.orchestrator builds the plugins of a run through `building`, and agents.apps registers them with admin_config
through `registry`. chat.runs implements `plugin.PluginActions`.

- `plugin`: the base class and its context. `registry`: all available plugins; a new one is added there.
- `building`, `hooks`, `plugin_runner`: build a run's plugins and call them, guarded and with time limits.
- `lifecycle`: base of the plugins `log` and `webhook`. `title` and `suggestions` act after an answer.
- `statelessness`: checks that a plugin class can't keep state.
"""
