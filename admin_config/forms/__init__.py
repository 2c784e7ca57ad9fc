"""Forms of the configuration pages. Used by admin_config.admin; the admin forms of the apps above are made of `base` and
`row_sets`.

- `agents`, `agent_providers`, `sub_agents`, `plugins`, `inheritance`: an agent's page. `assistants`: an assistant's.
- `endpoints`, `model_configs`, `tools`, `platform`: one page each.
- `base`, `typed_settings`, `shown_values`, `row_sets`: what they share. `fields`: form fields of our own.
"""
