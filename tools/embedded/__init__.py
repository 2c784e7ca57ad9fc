"""Everything on one machine: PostgreSQL and Valkey from wheels, and Parley's own processes, under one supervisor.

`python -m tools.embedded run` is what `make run` starts. It never imports Django, so that the parent stays small and
starts at once. Why it is built this way: docs/decisions/0003-embedded-servers-and-bootstrap.md.
"""
