"""Benchmark: measures what Parley adds to a model's answer (docs/performance.md).

`python -m bench` starts a stack and runs the plan; `python -m bench.engine` measures the engine alone, and
`python -m bench.egress` the reading of streams.

- `plan`, `measure`, `recorder`, `costs`: what is measured, and how.
- `systems`, `clients`: the systems that are compared, and their clients.
- `stack`: the processes under test, with their data and their CPU cores.
- `model`: the model's double and the bare relay.
- `lean_relay`: the least with a database that a developer would write, beside the whole stack.
- `many_rows`: commands that measure pages over a great many rows.
- `live_writers`, `lanes` (with `lane_jobs`), `telemetry`, `whole_stack`: commands of their own: many writers in one document, many jobs,
  what telemetry adds, what a send costs all processes.
- `send_cost`, `long_histories`: counts inside a process without a server.
- `report`, `goals`, `profiling`: tables, goals and py-spy samples.
"""
