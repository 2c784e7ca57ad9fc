"""The Celery app of workers, of beat, and of web processes that send tasks."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("parley")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def check_row_security(**kwargs: Any) -> None:
    from tenants.postgres.row_security_checks import require_row_security

    require_row_security()
