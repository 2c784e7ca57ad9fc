"""The runtime: what connects the engine to Parley's configuration, keys, files and call log.

Called by the entry points in agents (`orchestrator`, `pass_through`, `selection_edit`, `title_operation`), by agents.tools and
by agents.plugins. chat uses `key_lookup`, `call_recording`, `call_snapshots`, `request_overrides`, `page_state`,
`masking`, `connections`, `message_tool` and `files`; agents.api uses `member_keys`, `key_lookup` and `masking`.

- `model_factory`: the models of an agent, over all endpoints of its provider. `model_stream`: one call of one of them: masks, failover,
  keys. `budget_holds` holds its cost in budgets. `single_answer`: a call beside a conversation.
- `connections`, `key_lookup`, `member_keys`: endpoints and the keys for them.
- `specs`, `provider_options`, `request_overrides`: from configuration to the engine's data.
- `call_recording`, `call_snapshots`: the call log. `traced_tools`: spans of steps and tools.
- `masking`, `placeholders`: registered secrets. `files`: attached and generated files.
- `message_tool`, `page_state`: built-in tools.
- `replay`: recorded runs, run again. `endpoint_models`: which models an endpoint has.
"""
