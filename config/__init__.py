"""The Django project: settings, URLs, the ASGI and Celery applications, and process-wide middleware.

No app imports this package; use `django.conf.settings`. Only `manage.py` and the servers' entry points load it.

- `settings`: Django's settings, one module per third-party package. `env`, `env_values`: the environment variables, parsed and checked.
- `__main__`, `processes`: the command `python -m config` and how each process is started. `allocator`: memory settings of the C library.
- `asgi`, `celery`: the applications of web processes and workers. `broker`, `worker_heartbeat`: between Celery and tenants.lanes.
- `beat`: Celery's beat, of which one sends and the others wait.
- `start_checks`: what a process checks before it serves, with `redis_mode_check`. `doctor`: what an operator checks.
- `web`: what stands around each request of a web process. `monitoring`: what operators see of a process.
- `urls`, `pages`: the root URLs and the pages that belong to no app. `form_renderer`: fields of every form.
- `api`: the OpenAPI schema, its page and the JSON error responses.
- `backup`: backups of database and files. `organization_export`: what an organization made, as a ZIP.
- `demo_assistants`: what `demo_seed` makes besides.
- `management`: the commands of the whole product, and Django's own `check` and `migrate` with additions.
"""

import gc

GC_THRESHOLD = 10_000  # new objects between collections; a single ORM query creates Python's default of 700

# Before anything else is loaded: what is imported stays, and looking for garbage in it took an eighth of each process's start.
# Runs and sockets are parts of reference cycles, and an answer outlives the young generations: with rare collections of the oldest one,
# a busy web process grew by 120 MB and then stood still while it freed them all.
gc.set_threshold(GC_THRESHOLD, 5, 5)
