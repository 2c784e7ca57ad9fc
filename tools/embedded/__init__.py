"""Everything on one machine: PostgreSQL and Valkey from wheels, and Parley's own processes, under one supervisor.

`python -m tools.embedded run` is what `make run` starts; `testing` is the pytest plugin, and bench.stack.processes reuses the parts. It never imports
Django, so that the parent process stays small and starts at once. Design: docs/decisions/0003-embedded-servers-and-bootstrap.md.

- `supervisor` starts, restarts and stops the `stack` of `children`: `postgres` (with `privileges`), `valkey`, and Parley's own
  processes (`programs`). `nsexec` is how each is executed.
- Before that: `options` (command line), `environment` (variables), `layout` (paths), `ports`, `preflight` (servers that the user named),
  `database_setup` (migrations, demo data).
- `run_state` and `orphans`: one Parley for each data directory, also after a crash. `output`: terminal and log files.
"""
