"""What a model is sent of a conversation: chosen by rules, never reworded (docs/engine.md).

Knows entries and a policy, and neither runs nor agents; pure like the engine, which stands on it. Two modules are the way in:

- `view`: the context of a branch, while it grows (`ContextView`, for agents.engine.loop) and afterwards
  (`build_context`, for what is shown and replayed of recorded calls).
- `tokens`: estimates, for whoever needs to know how much a text or a prompt takes.

The others are called by `view`:

- `policy`: how much is sent. agents.runtime.specs makes it from an agent's settings.
- `pruning`: which entries are left out. `compaction`: turns, and how older ones become lines.
- `result_limits`: how much of a tool's result is sent.
"""
