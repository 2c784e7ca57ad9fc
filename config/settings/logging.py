"""Logging settings: structured logs on standard error, for people (LOG_FORMAT=console) or a log collector (json)."""

from __future__ import annotations

from typing import Any

import structlog
from structlog.processors import ExceptionRenderer, JSONRenderer
from structlog.tracebacks import ExceptionDictTransformer

from config.settings.environment import ENV
from security.redaction import redact_processor

_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,  # request_id, organization_id, run_id
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
# Tracebacks leave out local variables, which hold chats and keys. Redaction comes after tracebacks, to cover their messages (SECURITY 12).
_JSON: list[Any] = [ExceptionRenderer(ExceptionDictTransformer(show_locals=False)), redact_processor, JSONRenderer()]
_CONSOLE: list[Any] = [
    structlog.processors.format_exc_info,
    redact_processor,
    structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
]

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "structured": {
            "()": "structlog.stdlib.ProcessorFormatter",
            "foreign_pre_chain": _SHARED,
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *(_JSON if ENV.log_format == "json" else _CONSOLE),
            ],
        }
    },
    "handlers": {"standard_error": {"class": "logging.StreamHandler", "formatter": "structured"}},
    "root": {"handlers": ["standard_error"], "level": ENV.log_level},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
        "daphne": {"level": "WARNING"},  # serves `runserver`
        # They log one line per request, with its URL (PROTOCOLS f.13).
        "httpx2": {"level": "WARNING"},
        "google_genai": {"level": "WARNING"},
        # It logs session ids, and a stack trace for every server that is down; agents.tools.mcp logs both in one line.
        "mcp": {"level": "CRITICAL"},
    },
}

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
