"""The Django project: settings, URLs, the ASGI and Celery applications, and process-wide middleware.

No app imports this package; use `django.conf.settings`. Only `manage.py` and the servers' entry points load it.

- `settings`: Django's settings, one module per third-party package.
- `env`: the environment variables, parsed and checked.
- `__main__`, `processes`: the command `python -m config` and how each process is started.
- `beat`: Celery's beat, of which one sends and the others wait.
- `asgi`, `celery`: the applications of web processes and workers.
- `web`: what stands around each request of a web process.
- `start_checks`: what a process checks before it serves.
- `urls`, `home`, `health`, `sign_in`: the root URLs and the pages that belong to no app.
- `api`: the OpenAPI schema, its page and the JSON error responses.
- `allocator`: memory settings of the C library.
- `management`: the `demo_seed` command, and Django's `migrate`, one at a time.
"""
