"""What operators see of Parley: metrics and traces. Nothing here knows what the product does.

Every room may import it; it imports none of them, and the engine imports nothing of it. What is counted stands in `families.py`, and
docs/metrics.md is written from there. `exposition.py` gives the metrics to Prometheus, `celery_tasks.py` measures tasks, `loop_lag.py`
event loops; `bounded_labels.py` bounds labels that people choose. `spans.py` has the kinds of spans, `conventions.py` their names, and
`tracing.py` sends them away; `error_reports.py` does so with errors. `config/monitoring/` starts all this in each process.

Nothing is counted for each token: the paths of tokens count once for each batch or flush.
"""

from django.conf import settings

_ = settings.METRICS_DIR  # loads the settings, which name the directory of the values: prometheus_client reads it when it is imported
