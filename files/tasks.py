"""Celery tasks of files. Each takes ids, calls one service and is idempotent (SECURITY 32)."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from files.extraction.reading_lane import ReadingLane
from files.extraction.text import file_text_read as read
from files.knowledge.services import knowledge_files_overdue_fail, knowledge_text_read as knowledge_read
from files.services import files_forget as forget
from tenants.models import Organization
from tenants.rounds import organizations_round


@shared_task(name="files.tasks.file_text_read")
def file_text_read(organization_id: str, file_id: str) -> None:
    """Read the text of a pending file, in this worker's lane."""
    ReadingLane.current().read(read, UUID(organization_id), UUID(file_id))


@shared_task(name="files.tasks.knowledge_text_read")
def knowledge_text_read(organization_id: str, file_id: str) -> None:
    """Read the text of a pending knowledge file, in this worker's lane."""
    ReadingLane.current().read(knowledge_read, UUID(organization_id), UUID(file_id))


@shared_task(name="files.tasks.knowledge_texts_overdue", expires=3600)
def knowledge_texts_overdue() -> int:
    """Fail the knowledge files of all organizations whose reading was lost; return how many."""
    return organizations_round(
        lambda pk: knowledge_files_overdue_fail(organization_id=pk),
        failure="knowledge_files_not_failed",
        organizations=Organization.objects.using("system").all(),
    )


@shared_task(name="files.tasks.files_forget", expires=3600)
def files_forget() -> int:
    """Delete the old files of all organizations that no message includes; return how many."""
    organizations = Organization.objects.using("system").all()
    return organizations_round(lambda pk: forget(organization_id=pk), failure="files_not_forgotten", organizations=organizations)
