"""All metrics, in the order of docs/metrics.md, whose table a test compares with this module.

Labels have few values: what people can name freely goes through `bounded_labels`. With several processes behind one port, counters and
histograms are sums; what becomes of gauges is named by their mode.
"""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY: Final = CollectorRegistry()  # of this process, where no port is set; else its values are in files (telemetry.exposition)

_SHORT_S: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
_LONG_S: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0)
_TOKEN_S: Final = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0)


def _counter(name: str, text: str, *labels: str) -> Counter:
    return Counter(name, text, labels, registry=REGISTRY)


def _histogram(name: str, text: str, *labels: str, buckets: tuple[float, ...]) -> Histogram:
    return Histogram(name, text, labels, registry=REGISTRY, buckets=buckets)


def _sum(name: str, text: str, *labels: str) -> Gauge:
    """Return a gauge that is summed up over the processes that live."""
    return Gauge(name, text, labels, registry=REGISTRY, multiprocess_mode="livesum")


def _newest(name: str, text: str, *labels: str) -> Gauge:
    """Return a gauge about the whole installation, which the process that looked last is right about."""
    return Gauge(name, text, labels, registry=REGISTRY, multiprocess_mode="livemostrecent")


# Processes
PROCESSES: Final = _sum("parley_processes", "Processes that live.", "part")
RESIDENT_BYTES: Final = _sum("parley_process_resident_bytes", "Memory in RAM.", "part")
CPU_SECONDS: Final = _counter("parley_process_cpu_seconds", "CPU time, user and system.", "part")
LOOP_LAG: Final = _histogram(
    "parley_event_loop_lag_seconds", "How late the event loop runs a timer; one look each half second.", buckets=_SHORT_S
)
DISK_FREE: Final = Gauge(
    "parley_disk_free_bytes", "Free space where data and files are kept.", ["place"], registry=REGISTRY, multiprocess_mode="livemin"
)

# Requests and sockets
REQUESTS: Final = _counter("parley_requests", "HTTP requests, by route and class of the status.", "method", "route", "status")
REQUEST_SECONDS: Final = _histogram(
    "parley_request_seconds", "Time until the response began, without static files.", "surface", buckets=_LONG_S
)
SOCKETS: Final = _sum("parley_sockets", "Open WebSockets and event streams of members.", "kind")

# Runs
LIVE_RUNS: Final = _sum("parley_live_runs", "Runs that these processes work on: the live chats.")
RUNS: Final = _newest("parley_runs", "Runs of the whole installation that are under way or wait for their page.", "state")
OWNERLESS_RUNS: Final = _newest("parley_runs_without_owner", "Runs of the whole installation whose lease has ended.")
OLDEST_OWNERLESS: Final = _newest("parley_run_without_owner_oldest_seconds", "How long ago the first of those leases ended.")
RUN_STARTS: Final = _counter("parley_run_starts", "Times that a process began to work on a run.", "kind")
RUN_ENDS: Final = _counter("parley_run_ends", "Times that a process ended its work on a run.", "outcome", "error")
RUN_SECONDS: Final = _histogram("parley_run_seconds", "How long one process worked on a run.", "outcome", buckets=_LONG_S)
TAKEOVERS: Final = _counter("parley_takeovers", "Runs that another process went on with.", "cause")
FIRST_TOKEN: Final = _histogram(
    "parley_first_token_seconds", "From the stored question to the model's first token, first owners only.", buckets=_TOKEN_S
)
TOKEN_AGE: Final = _histogram(
    "parley_token_age_seconds", "Age of the oldest text of a flush when it was handed to the viewers of its process.", buckets=_SHORT_S
)
FLUSH_SECONDS: Final = _histogram("parley_event_log_flush_seconds", "Time of one flush of the event log to Redis.", buckets=_SHORT_S)

# Model calls
MODEL_CALLS: Final = _counter("parley_model_calls", "Calls to endpoints, by how they ended.", "provider", "model", "outcome")
MODEL_SECONDS: Final = _histogram("parley_model_call_seconds", "Time of a whole call.", "provider", buckets=_LONG_S)
MODEL_FIRST_TOKEN: Final = _histogram(
    "parley_model_first_token_seconds", "From the request to the provider's first event.", "provider", buckets=_TOKEN_S
)
TOKENS: Final = _counter("parley_model_tokens", "Tokens, as providers count them.", "provider", "model", "kind")
COST: Final = _counter("parley_model_cost_dollars", "Cost in US dollars, of models with a price.", "provider", "model")
BREAKERS_OPENED: Final = _counter("parley_breaker_openings", "Pauses that circuit breakers began.")
BREAKERS_OPEN: Final = _newest("parley_breakers_open", "Circuit breakers of the whole installation that are open.")

# Errors
ERRORS: Final = _counter("parley_errors", "What failed, by the error's code or class.", "where", "error")

# Tasks
TASKS: Final = _counter("parley_tasks", "Celery tasks that ended.", "task", "outcome")
TASK_SECONDS: Final = _histogram("parley_task_seconds", "Time of a Celery task.", "task", buckets=_LONG_S)
TASK_WAIT: Final = _histogram("parley_task_wait_seconds", "From the sending of a task to its beginning.", "lane", buckets=_LONG_S)
QUEUE_DEPTH: Final = _newest("parley_queue_depth", "Tasks that wait in a lane.", "lane")
QUEUE_OLDEST: Final = _newest("parley_queue_oldest_seconds", "How long the oldest task of a lane has waited.", "lane")
LANE_SLOTS: Final = _newest("parley_lane_slots", "Slots of a lane in all workers: those in use (held), and all.", "lane", "state")
LANE_ORGANIZATIONS: Final = _newest("parley_lane_organizations", "Organizations of which tasks wait in a lane.", "lane")

# Stores
STORE_UP: Final = Gauge(
    "parley_store_up",
    "1: the store answered the last probe of each process; 0: not.",
    ["store"],
    registry=REGISTRY,
    multiprocess_mode="livemin",
)
ROUND_TRIP: Final = _histogram("parley_round_trip_seconds", "The shortest question to a store and its answer.", "store", buckets=_SHORT_S)
DB_WAIT: Final = _histogram(
    "parley_database_wait_seconds", "How long work of async code waited for a thread with a connection.", "role", buckets=_SHORT_S
)
DB_CONNECTIONS: Final = _sum("parley_database_connections", "Connections of the pools; `waiting`: who waits for one.", "role", "state")
DB_CONNECTIONS_MAX: Final = _sum("parley_database_connections_max", "How many connections the pools may have.", "role")
PARTITION_MONTHS: Final = _newest(
    "parley_partition_months_ahead", "How many months after this one have a partition; -1: this one has none.", "table"
)

# Organizations: only with METRICS_ORGANIZATIONS=1
ORGANIZATION_RUNS: Final = _counter("parley_organization_run_ends", "Ended work on runs of an organization.", "organization", "outcome")
ORGANIZATION_TOKENS: Final = _counter("parley_organization_tokens", "Tokens of an organization's runs, of all kinds.", "organization")
ORGANIZATION_COST: Final = _counter("parley_organization_cost_dollars", "Cost of an organization's runs in US dollars.", "organization")
