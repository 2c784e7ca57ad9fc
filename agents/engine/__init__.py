"""The engine: runs an agent's steps until the run ends or pauses (docs/engine.md).

Knows neither Django nor a provider's SDK (import-linter checks this); what it needs from outside comes in through
`ports`. `loop.run_agent` runs an agent: chat.runs calls it for the chat agent, agents.tools.sources for sub-agents,
agents.artifact_agents for artifact agents, and evaluations.replays for replays. chat.runs and chat.storage settle the
calls of runs that are over with `open_calls`. The data types in `agent`, `ports` and `lifecycle` are used throughout
agents and chat. What a model is sent of a conversation is the subject of agents.context, on which the engine stands.

Read it in this order:

- `agent`, `ports`: the agent, and what a run is connected to. Entries are in agents.messages; how they are stored is not
  the engine's concern (agents.entry_codec).
- `loop`: the run itself. `lifecycle`: its states, ends and hooks. `run_progress`: how far it is, read from its entries.
- `step_model`: the model call of a step; `answers`: its answer, shown while it streams.
- `step_tools`: the calls of a step; `call_runner`: those that run; `toolset`: one call; `open_calls`: what becomes of a
  call without a result; `taint`: which calls ask because of what was read, which hosts
  need no question, and which of the provider's own tools are off.
- `nested_runs`: runs inside a run.
"""
