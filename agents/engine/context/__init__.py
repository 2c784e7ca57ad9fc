"""The model's context: which entries of a conversation a request carries, made to fit the model's window (SPEC 3.7, 3.8).

Called by agents.engine.loop through `model_context` and `cached_context`. agents.runtime.call_snapshots and chat
rebuild contexts through `model_context`; agents.providers use `turns` and `cached_context`.

- `turns` groups entries into turns; `branch` decides which entries of a growing branch are sent.
- `model_context` is the view that a run works with; `cached_context` shares it between the runs of a branch.
- `compaction` shortens older turns; `tokens` estimates token counts.
"""
