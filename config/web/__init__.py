"""What stands around each request of a web process: ASGI applications, Django's middleware, uvicorn's protocol.

`config/asgi.py` puts the ASGI side together, `config/settings/django.py` names the middleware, and `config/processes.py` names
uvicorn's protocol. Nobody else calls it.

- `migration_gate`, `body_limit`, `probe_host`, `socket_middleware`, `lifespan`, `handler`: around Django, from the outermost; `refusal` is what they answer.
- `request_log`, `static_files`, `compression`: middleware of Django.
- `http_deadlines`: uvicorn's protocol with time limits.
"""
