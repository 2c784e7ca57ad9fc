"""Hints on how to save, each drawn from figures of the last 30 days with what it would save (SPEC 8.6).

- `analysis.py`: `hints_refresh`, which a worker calls; it looks at prompts, tool results and step limits, and at `cheaper_models.py`.
  `agent_months.py` is what each agent used.
- `hints.py`: a hint as it is stored, and its words in the reader's language; `usage/pages/overview.py` shows them.
"""
