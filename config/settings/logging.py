"""Logging settings: structured logs on standard error, for people (LOG_FORMAT=console) or a log collector (json).

With json each line is one object with `time`, `level`, `event`, and where they are known `request_id`, `organization_id`, `run_id`,
`trace_id` and `span_id` (docs/operations.md, "Logs").
"""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from typing import Any

import structlog
from opentelemetry.trace import format_span_id, format_trace_id, get_current_span
from structlog.processors import ExceptionRenderer, JSONRenderer

from config.settings.environment import ENV
from security.logged_errors import error_rows, error_text, hide_error_texts
from security.redaction import redact_processor


def add_trace_ids(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """structlog processor: the ids of the current span, as OpenTelemetry writes them."""
    span = get_current_span().get_span_context()
    if span.is_valid:
        event["trace_id"], event["span_id"] = format_trace_id(span.trace_id), format_span_id(span.span_id)
    return event


_IS_JSON = ENV.log_format == "json"
_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,  # request_id, organization_id, run_id
    *([add_trace_ids] if ENV.otel_exporter_otlp_endpoint else []),
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="time" if _IS_JSON else "timestamp"),
]
# No local variables, which hold chats and keys, and no errors' texts. Redaction comes after tracebacks, to cover them (SECURITY 12).
_JSON: list[Any] = [ExceptionRenderer(error_rows), redact_processor, JSONRenderer()]
_CONSOLE: list[Any] = [
    ExceptionRenderer(error_text),
    redact_processor,
    structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
]
# Libraries print what they send and receive at DEBUG, and some each request's URL at INFO (PROTOCOLS f.13).
_LEAST_OF_LIBRARIES = "INFO" if ENV.log_level == "DEBUG" else ENV.log_level
_CLIENTS = ("anthropic", "google_genai", "httpcore", "httpcore2", "httpx", "httpx2", "openai")
_OWN = (
    *("accounts", "admin_config", "agents", "artifacts", "chat", "config", "embed", "evaluations", "files", "gallery", "limits"),
    *("retention", "security", "sharing", "telemetry", "tenants", "usage"),
)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "structured": {
            "()": "structlog.stdlib.ProcessorFormatter",
            "foreign_pre_chain": [hide_error_texts, *_SHARED],
            "pass_foreign_args": True,
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *(_JSON if _IS_JSON else _CONSOLE),
            ],
        }
    },
    "handlers": {"standard_error": {"class": "logging.StreamHandler", "formatter": "structured"}},
    "root": {"handlers": ["standard_error"], "level": _LEAST_OF_LIBRARIES},
    "loggers": {
        **{name: {"level": ENV.log_level} for name in _OWN},
        **{name: {"level": "WARNING"} for name in _CLIENTS},
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
        "daphne": {"level": "WARNING"},  # serves `runserver`
        # uvicorn's own handlers would write plain lines. Its access log has whole URLs; config.web.request_log has a line for each request.
        "uvicorn": {"handlers": [], "level": "WARNING", "propagate": True},
        "uvicorn.error": {"handlers": [], "level": "WARNING", "propagate": True},
        "uvicorn.access": {"handlers": [], "level": "ERROR", "propagate": True},
        # Its lines about tasks have arguments and results; telemetry.celery_tasks has a line for each task.
        "celery": {"level": "WARNING"},
        # It logs session ids, and a stack trace for every server that is down; agents.tools.mcp logs both in one line.
        "mcp": {"level": "CRITICAL"},
    },
}

logging.captureWarnings(_IS_JSON)
structlog.configure(
    processors=[
        structlog.stdlib.filter_by_level,
        *_SHARED,
        structlog.processors.StackInfoRenderer(),
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
    cache_logger_on_first_use=True,
)
