"""Platform defaults: what an organization's blank fields mean (SPEC 4.1).

`platform` gathers providers, agent kinds and tools, and most callers import from it. `wires` is the table of the APIs that providers
speak. `options`, `provider_settings` and `compatible_options` are typed settings that forms and releases use; `prices` says what a price
is; the amounts come from admin_config.services.price_list. The prompt modules hold texts only; `github`, `sub_agents` and `artifact_agents` have the defaults of single agents. No module
here reads the database.
"""
