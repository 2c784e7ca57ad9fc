"""Agents: everything that builds, runs and records agents and their model calls.

- `messages`: the data types of a conversation; `errors`: how a run or a model call fails.
- `context`: what a model is sent of a conversation.
- `engine`: the agent loop. These four know neither Django nor an SDK.
- `coercion`: arguments of tool calls corrected to fit a JSON schema.
- `providers`: one language model adapter per provider API, with retries and failover.
- `artifact_agents`: agents that write documents, programs and diagrams.
- `runtime`: what connects the engine to Parley: keys, models, files, masking and the call log.
- `plugins`: plugins that take part in a run through hooks.
- `tools`: tool sources and the tools that they provide.
- `entry_codec`: entries as JSON and back.
- `api`: the REST views.

The entry points are the top-level modules `orchestrator`, `pass_through`, `selection_edit`, `title_operation` and `judging`.
`assistants`, `prompts` and `run_context` are what they share. The import layers are checked by import-linter (pyproject.toml, "Floors of agents").
"""
