"""Starts what operators see of a process: metrics with their port, traces, and the samples of what nobody else counts.

`process.py` is called by `config/lifespan.py` in web processes and by `config/celery.py` in workers and beat; `samples.py` looks at stores,
pools and queues in a thread; `probes.py` answers /livez, /startedz and /readyz on the metrics' port.
"""
