"""Starts what operators see of a process: metrics with their port, traces, and the samples of what nobody else counts.

`process.py` is called by `config/web/lifespan.py` in web processes and by `config/celery.py` in workers and beat. `metrics_port.py` joins what a
process with METRICS_PORT has: `samples.py` looks at stores, pools and lanes in a thread, `probes.py` answers /livez, /startedz and /readyz.
`fatal_errors.py` is what a process says when it ends by an error, called by `config/start_checks.py` and the settings.
"""
