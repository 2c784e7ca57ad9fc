"""Services of evaluations: what admins change, and the work of experiments.

- `experiments`: begun, stopped, compared; `work`: what a worker does for them, by `leases`; `content`: what they depend on.
- `cases`: files in and out; `from_runs`: cases made of what members asked.
- `answers`, `written_artifacts`, `judge`: what graders are given; `calibration`: how well models judge. `matrix`: what the pages show.
"""
