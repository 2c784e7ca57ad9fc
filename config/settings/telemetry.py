"""Settings of metrics and traces (docs/metrics.md)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from config.settings.environment import ENV


def _values_directory() -> Path:
    """Return a directory of this user alone for the values of the processes that share the port; made if need be.

    Not in the data directory, which containers may share: process ids must tell the files apart.
    """
    parent = Path(os.environ.get("RUNTIME_DIRECTORY") or tempfile.gettempdir()) / f"parley-metrics-{os.getuid()}"
    parent.mkdir(mode=0o700, exist_ok=True)
    if parent.stat().st_uid != os.getuid() or parent.is_symlink():
        raise PermissionError(f"{parent} belongs to somebody else. Remove it, or set TMPDIR to a directory of your own.")
    directory = parent / str(ENV.metrics_port)
    directory.mkdir(mode=0o700, exist_ok=True)
    for gauge in directory.glob(f"gauge_*_{os.getpid()}.db"):  # of a process that had this id before: in a container each has 1
        gauge.unlink(missing_ok=True)
    return directory


METRICS_ADDRESS = ENV.metrics_address
METRICS_PORT = ENV.metrics_port  # 0: metrics stay in the process
METRICS_ORGANIZATIONS = ENV.metrics_organizations == "1"
METRICS_DIR = _values_directory() if METRICS_PORT else None
SENTRY_DSN = ENV.sentry_dsn  # empty: errors are not reported
OTLP_ENDPOINT = ENV.otel_exporter_otlp_endpoint  # empty: no traces

if METRICS_DIR:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(METRICS_DIR)  # prometheus_client reads it when it is imported
