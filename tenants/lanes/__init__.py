"""Lanes: the queues of background jobs, in which organizations take turns (docs/decisions/0074).

- `table`: the lanes, and which task goes into which; Celery's settings and the workers' command line are made from it.
- `turns`: the jobs that wait, in Redis, and whose turn it is; called by config.broker, which is between Celery and Redis.
- `waiting_jobs`: how many wait in each lane, for how long and for whom; for metrics and pages.
"""
