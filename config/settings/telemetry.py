"""Settings of metrics and traces (docs/metrics.md)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from config.settings.environment import ENV

METRICS_ADDRESS = ENV.metrics_address
METRICS_PORT = ENV.metrics_port  # 0: metrics stay in the process
METRICS_ORGANIZATIONS = ENV.metrics_organizations == "1"
# Values of the processes that share the port. Not in the data directory, which containers may share: process ids must tell them apart.
METRICS_DIR = Path(tempfile.gettempdir()) / f"parley-metrics-{os.getuid()}" / str(METRICS_PORT)
OTLP_ENDPOINT = ENV.otel_exporter_otlp_endpoint  # empty: no traces

if METRICS_PORT:
    METRICS_DIR.parent.mkdir(mode=0o700, exist_ok=True)
    if METRICS_DIR.parent.stat().st_uid != os.getuid():
        raise PermissionError(f"{METRICS_DIR.parent} belongs to somebody else. Remove it, or set TMPDIR to a directory of your own.")
    METRICS_DIR.mkdir(mode=0o700, exist_ok=True)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(METRICS_DIR)  # prometheus_client reads it when it is imported
