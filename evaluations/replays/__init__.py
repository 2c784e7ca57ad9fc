"""Recorded runs, run again (docs/decisions/0064): what is changed, the work, the comparison with the original, the check of requests.

Its pages are in evaluations.admin, which calls `starting.py`, `unrecorded_calls.py`, `comparison.py` and `check.py`; `tasks.py` calls
`work.py`.

- `changes`: the release that it runs with. `work`: runs begun, waited for and compared.
- `comparison`, with `steps` and `outcomes`: a run beside its original; `summary`: many of them.
- `check`, with `memory_journal` and `recorded_answers`: the same run again without a change, in memory.
"""
