"""Celery settings: JSON arguments, no results, every task idempotent (SECURITY 32)."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

from celery.schedules import crontab
from kombu import Queue

from config.settings.environment import ENV
from tenants.lanes.table import DEFAULT, LANES, task_routes
from tenants.redis.addresses import redis_address
from tenants.redis.connections import sentinel_options


def broker_url(redis_url: str) -> str:
    """Return the broker URL for a Redis URL. Celery has its own schemes for Unix sockets and Sentinels, each of which it wants as a URL."""
    address = redis_address(redis_url)
    url = urlsplit(address.url)
    if address.mode == "sentinel":
        login, at, _ = url.netloc.rpartition("@")
        hosts = [f"[{host}]" if ":" in host else host for host, _ in address.nodes]
        return ";".join(f"sentinel://{login}{at}{host}:{port}{url.path}" for host, (_, port) in zip(hosts, address.nodes, strict=True))
    if url.scheme != "unix":
        return redis_url
    database = parse_qs(url.query).get("db", ["0"])[0]
    return f"redis+socket://{url.netloc}{url.path}?virtual_host={database}"


def sentinel_transport(redis_url: str) -> dict[str, Any]:
    """Return the transport options for a primary that Sentinels name; else none."""
    address = redis_address(redis_url)
    return {"master_name": address.primary, "sentinel_kwargs": sentinel_options(address)} if address.mode == "sentinel" else {}


def broker_tls(redis_url: str) -> dict[str, str]:
    """Return the options of TLS; none without. Without them Celery would take any certificate."""
    address = redis_address(redis_url)
    return {"ssl_cert_reqs": "required", **address.tls_options} if address.is_tls else {}


_URL = ENV.redis_broker_url or ENV.redis_url
CELERY_BROKER_URL = broker_url(_URL)
CELERY_BROKER_USE_SSL = broker_tls(_URL)
CELERY_BROKER_TRANSPORT_OPTIONS = {
    **sentinel_transport(_URL),
    "global_keyprefix": f"{ENV.redis_prefix}:celery:",
    "visibility_timeout": 3600,
    "socket_timeout": 5,  # a Redis that hangs must not block a sender for ever; a worker's blocking read polls each second
    "socket_connect_timeout": 5,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CHANNEL_ERROR_RETRY = True  # a Redis that is read-only or full answers with errors: a worker waits instead of ending
CELERY_TASK_QUEUES = [Queue(lane, routing_key=lane) for lane in LANES]
CELERY_TASK_DEFAULT_QUEUE = DEFAULT
CELERY_TASK_ROUTES = task_routes()
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True  # a task of a killed worker is delivered again
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_TIME_LIMIT = 1500  # under half the visibility timeout, so that no running task is delivered twice
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "config.beat:SharedScheduler"
CELERY_BEAT_SCHEDULE = {
    "send-mails": {"task": "accounts.tasks.mails_send", "schedule": 60.0, "options": {"expires": 60}},
    "end-sessions": {"task": "accounts.tasks.sessions_end_by_policy", "schedule": 60.0, "options": {"expires": 60}},
    "forget-mails": {"task": "accounts.tasks.mails_forget", "schedule": crontab(hour=3, minute=29), "options": {"expires": 3600}},
    "expire-approvals": {"task": "chat.tasks.approvals_expire", "schedule": 60.0, "options": {"expires": 60}},
    "expire-session-keys": {"task": "security.tasks.session_keys_expire", "schedule": 60.0, "options": {"expires": 60}},
    "write-audit-counts": {"task": "security.tasks.audit_counts_write", "schedule": 60.0, "options": {"expires": 60}},
    "deliver-audit-webhooks": {"task": "security.tasks.audit_webhooks_deliver", "schedule": 10.0, "options": {"expires": 60}},
    "retain-audit-events": {"task": "security.tasks.audit_retain", "schedule": crontab(hour=3, minute=43), "options": {"expires": 3600}},
    "make-overdue-audit-exports": {"task": "security.tasks.audit_exports_overdue", "schedule": 600.0, "options": {"expires": 600}},
    "save-live-texts": {"task": "artifacts.tasks.live_versions_save", "schedule": 30.0, "options": {"expires": 30}},
    "settle-holds": {"task": "chat.tasks.holds_settle", "schedule": 60.0, "options": {"expires": 60}},
    "index-texts": {"task": "chat.tasks.texts_index", "schedule": 10.0, "options": {"expires": 60}},
    "continue-evaluations": {"task": "evaluations.tasks.evaluations_continue", "schedule": 20.0, "options": {"expires": 20}},
    "publish-scheduled-releases": {"task": "evaluations.tasks.schedules_publish", "schedule": 60.0, "options": {"expires": 60}},
    "decide-canaries": {"task": "evaluations.tasks.canaries_decide", "schedule": 60.0, "options": {"expires": 60}},
    "sum-figures": {"task": "chat.tasks.figures_sum", "schedule": 600.0, "options": {"expires": 600}},
    "count-storage": {"task": "usage.tasks.storage_count", "schedule": 600.0, "options": {"expires": 300}},
    "sum-usage": {"task": "usage.tasks.usage_sum", "schedule": 300.0, "options": {"expires": 300}},
    "expire-answers": {"task": "tenants.tasks.idempotent_answers_expire", "schedule": crontab(minute=17), "options": {"expires": 3600}},
    "clear-sessions": {"task": "tenants.tasks.sessions_clear", "schedule": crontab(hour=3, minute=37), "options": {"expires": 3600}},
    "keep-partitions": {"task": "tenants.tasks.partitions_keep", "schedule": crontab(hour=3, minute=19), "options": {"expires": 3600}},
    "purge-deleted": {"task": "chat.tasks.deleted_purge", "schedule": crontab(minute=47), "options": {"expires": 3000}},
    "apply-retention": {"task": "retention.tasks.retention_apply", "schedule": crontab(minute=7), "options": {"expires": 3000}},
    "forget-visitors": {"task": "embed.tasks.visitors_forget", "schedule": crontab(hour=4, minute=23), "options": {"expires": 3600}},
    "forget-files": {"task": "files.tasks.files_forget", "schedule": crontab(hour=3, minute=41), "options": {"expires": 3600}},
    "settle-knowledge": {"task": "files.tasks.knowledge_texts_overdue", "schedule": crontab(minute=27), "options": {"expires": 3600}},
    "forget-data-exports": {"task": "accounts.tasks.personal_exports_forget", "schedule": crontab(minute=37), "options": {"expires": 3600}},
    "purge-removed-members": {
        "task": "accounts.tasks.removed_members_purge",
        "schedule": crontab(hour=3, minute=43),
        "options": {"expires": 3600},
    },
    "check-domains": {"task": "accounts.tasks.domains_check", "schedule": crontab(hour=4, minute=11), "options": {"expires": 3600}},
    "remind-of-secrets": {"task": "accounts.tasks.secrets_remind", "schedule": crontab(minute=21), "options": {"expires": 3600}},
    "roll-out-platform-defaults": {
        "task": "admin_config.tasks.platform_defaults_roll_out",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "apply-plans": {"task": "limits.tasks.plans_apply", "schedule": 60.0, "options": {"expires": 60}},
    "tell-of-budgets": {"task": "accounts.tasks.budgets_alert", "schedule": 300.0, "options": {"expires": 300}},
    "warn-of-refusals": {"task": "accounts.tasks.refusals_warn", "schedule": 300.0, "options": {"expires": 300}},
    "check-mail-server": {"task": "accounts.tasks.mail_server_check", "schedule": 600.0, "options": {"expires": 60}},
    "delete-due": {"task": "accounts.tasks.deletions_due", "schedule": crontab(minute=47), "options": {"expires": 3600}},
    "update-models": {
        "task": "admin_config.tasks.model_catalogue_update",
        "schedule": crontab(hour=3, minute=40),
        "options": {"expires": 3600},
    },
}
