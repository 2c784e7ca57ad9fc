"""The lanes, and which task goes into which.

A worker gives each lane that it serves threads of its own, so no lane waits for another one's jobs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

ORGANIZATION: Final = "parley_organization"  # header of a message: whose job it is


@dataclass(frozen=True)
class Lane:
    """`slots`: jobs at once in one worker, and so the lane's weight beside the others."""

    name: str
    slots: int


DEFAULT: Final = "upkeep"  # of tasks that TASKS does not name
LANES: Final[Mapping[str, Lane]] = {
    lane.name: lane
    for lane in (
        Lane("interactive", slots=12),  # somebody waits for it: titles, mails
        Lane("takeover", slots=4),  # answers whose process is gone
        Lane("files", slots=os.cpu_count() or 1),  # documents to read, each in a process of its own
        Lane("evaluation", slots=4),
        Lane("export", slots=2),
        Lane(DEFAULT, slots=6),
    )
}
TASKS: Final[Mapping[str, str]] = {
    "accounts.tasks.mail_send": "interactive",
    "accounts.tasks.mails_send": "interactive",
    "accounts.tasks.personal_export_make": "export",
    "chat.tasks.conversation_title_generate": "interactive",
    "chat.tasks.run_take_over": "takeover",
    "evaluations.tasks.experiment_work": "evaluation",
    "evaluations.tasks.replay_work": "evaluation",
    "files.tasks.file_text_read": "files",
    "files.tasks.knowledge_text_read": "files",
    "security.tasks.audit_export_make": "export",
}
# Their first argument is an organization's id. Jobs of all others take turns as one more organization, the platform.
OF_ORGANIZATIONS: Final = frozenset({
    "accounts.tasks.personal_export_make",
    "admin_config.tasks.organization_models_update",
    "admin_config.tasks.organization_defaults_roll_out",
    "chat.tasks.conversation_title_generate",
    "evaluations.tasks.experiment_work",
    "evaluations.tasks.replay_work",
    "files.tasks.file_text_read",
    "files.tasks.knowledge_text_read",
    "security.tasks.audit_export_make",
    "security.tasks.audit_webhook_deliver",
    "usage.tasks.usage_reprice",
})  # fmt: skip


def task_routes() -> dict[str, dict[str, str]]:
    """Return Celery's routes by task name; the pattern for all others comes last."""
    return {task: {"queue": lane} for task, lane in {**TASKS, "*": DEFAULT}.items()}


def slots_of(lanes: Iterable[str]) -> int:
    """Return how many threads a worker of these lanes needs."""
    return sum(LANES[lane].slots for lane in lanes)


def organization_of(task: str, arguments: Sequence[object]) -> str:
    """Return the id of the organization whose job this is; "" for the platform's."""
    return str(arguments[0]) if task in OF_ORGANIZATIONS and arguments else ""
