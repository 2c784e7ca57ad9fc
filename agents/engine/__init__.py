"""The engine: runs an agent's steps until the run ends or pauses (docs/engine.md).

Knows neither Django nor a provider's SDK (import-linter checks this); what it needs from outside comes in through
`ports`. `loop.run_agent` runs an agent: chat.runs calls it for the chat agent, agents.tools.sources for sub-agents, and
agents.artifact_agents for artifact agents. chat.runs and chat.storage settle the calls of runs that are over with
`open_calls`. The data types in `messages`, `agent`, `ports`, `lifecycle` and `errors` are used throughout agents and
chat.

Read it in this order:

- `messages`, `agent`, `ports`: the data, the agent, and what a run is connected to. How entries are
  stored is not the engine's concern (agents.entry_codec).
- `loop`: the run itself. `lifecycle`: its states, ends and hooks. `history`: what it reads from its entries.
- `answers`: one answer of the model, shown while it streams.
- `step_tools`: the calls of a step; `call_runner`: those that run; `toolset`: one call; `open_calls`: what becomes of a
  call without a result;
  `taint`: which calls ask because of what was read, which hosts need no question, and which of the provider's own tools are off.
- `context`: what a model is sent. `pruning`: which entries. `compaction`: turns, and how older ones become lines.
  `result_limits`: how much of a tool's result. `tokens`: estimates.
- `nested_runs`: runs inside a run. `prefix_cache`: what was made of a branch's beginning, for the next run.
"""
