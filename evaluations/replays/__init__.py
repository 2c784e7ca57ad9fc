"""Recorded runs, run again (docs/decisions/0064): what is changed, the work, the comparison with the original, the check of requests.

Its pages are in evaluations.admin, which calls `starting.py`, `unrecorded_calls.py`, `comparison.py` and `check.py`; `tasks.py` calls `work.py`.
"""
