"""The engine: runs an agent's steps until the run ends or pauses (docs/engine.md).

Knows neither Django nor a provider's SDK (import-linter checks this); what it needs from outside comes in through
`ports`. `loop.run_agent` runs an agent: chat.runs calls it for the chat agent, agents.tools.sources for sub-agents, and
agents.artifact_agents for artifact agents. The data types in `messages`, `agent`, `ports`, `lifecycle` and `errors` are
used throughout agents and chat.

- `loop`: the run itself; `history` reads a run's progress from its entries, `nested_runs` holds runs inside a run.
- `tools`: checks and executes the tool calls of a step.
- `context`: selects what a model is sent of a conversation.
- `codec`: entries as JSON.
"""
