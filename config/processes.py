"""How Parley's processes are started: the arguments of uvicorn and Celery, in one place for `make run`, images and units."""

from __future__ import annotations

import sys

from tenants.lanes.table import LANES, slots_of

# Half-open requests end, a frame that is far too long is not read to its end, small frames are not worth compressing, pings stay below the
# minute after which proxies close what is silent, and streams that are still open two seconds after the process was drained are ended.
WEB_OPTIONS = (
    *("--http", "config.web.http_deadlines:DeadlineProtocol"),
    *("--ws-max-size", str(2 * 1024 * 1024)),
    *("--ws-per-message-deflate", "false"),
    *("--ws-ping-interval", "45", "--ws-ping-timeout", "45"),
    *("--timeout-graceful-shutdown", "2"),
    *("--log-level", "warning"),
)
CELERY = ("-m", "celery", "-q", "-A", "config")  # -q: no banner, which is no line of a log


def web_arguments(*options: str) -> list[str]:
    """Return Python's arguments for one web process. `options`: uvicorn's, such as `--port 8000`."""
    return ["-m", "uvicorn", "config.asgi:application", *WEB_OPTIONS, *options]


def worker_arguments(*options: str) -> list[str]:
    """Return Python's arguments for one worker. `options`: Celery's, after `--lanes files,export` where it does not serve all lanes."""
    lanes, others = _split_lanes(*options)
    lane_options = ["-Q", ",".join(lanes), "-c", str(slots_of(lanes))]
    return [*CELERY, "worker", "-P", "threads", *lane_options, "--without-gossip", "--without-mingle", "--without-heartbeat", *others]


def _split_lanes(*options: str) -> tuple[list[str], list[str]]:
    """Return the named lanes and the other options. Ends the process when there is no such lane."""
    if options[:1] != ("--lanes",):
        return [*LANES], [*options]
    lanes = "".join(options[1:2]).split(",")
    if unknown := [lane for lane in lanes if lane not in LANES]:
        sys.exit(f"There is no lane {unknown[0]!r}. Lanes: {', '.join(LANES)}.")
    return lanes, [*options[2:]]


def beat_arguments(*options: str) -> list[str]:
    """Return Python's arguments for beat, which has no file of its own."""
    return [*CELERY, "beat", "--pidfile=", *options]
