"""Celery tasks: each takes ids, calls one service and is idempotent (SECURITY 32)."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from files.extraction import file_text_read as read
from files.knowledge import knowledge_text_read as knowledge_read


@shared_task(name="files.tasks.file_text_read")
def file_text_read(organization_id: str, file_id: str) -> None:
    """Read the text of a pending file."""
    read(organization_id=UUID(organization_id), file_id=UUID(file_id))


@shared_task(name="files.tasks.knowledge_text_read")
def knowledge_text_read(organization_id: str, file_id: str) -> None:
    """Read the text of a pending knowledge file."""
    knowledge_read(organization_id=UUID(organization_id), file_id=UUID(file_id))
