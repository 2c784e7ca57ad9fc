"""Replays: recorded runs, run again with recorded results of tools (SPEC 3.16, docs/decisions/0064).

evaluations and chat.storage say what is replayed; agents.tools.loading puts recorded results in the place of a run's tools.

- `recorded_calls`: results of tools by name and arguments. `recorded_model`: recorded answers in the place of the models.
- `settled_calls`: how a replay goes on that stopped at a call which was not recorded.
"""
