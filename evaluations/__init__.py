"""Evaluations (SPEC 8.4): cases with expected results, experiments that run an agent on them, and what came of it.

`models/` has the rows; `graders/` judges an answer and reads no rows; `statistics.py` compares two experiments; `interchange/` reads
and writes files; `services/` runs experiments; `gate/` and `canary/` decide about publishing, and `schedules.py` publishes at a set time.
`replays/` runs recorded runs again. `tasks.py` works on experiments and replays, lets canaries decide and publishes what is due. `admin/`
are the pages, `management/` the commands. `translation.py` gives texts to modules without Django. Everything
is of one organization and for its admins alone.
"""
