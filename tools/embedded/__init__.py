"""Everything on one machine: PostgreSQL and Valkey from wheels, and Parley's own processes, under one supervisor.

`python -m tools.embedded run` is what `make run` starts; `testing` is the pytest plugin, and bench.stack.processes reuses the parts. It never imports
Django, so that the parent process stays small and starts at once. Design: docs/decisions/0003-embedded-servers-and-bootstrap.md.
"""
