"""Inputs that a run's owner has not appended yet: read, and marked as delivered.

chat.runs.run_inputs (messages and decisions, with the limit on how many wait) and chat.runs.client_outputs write them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models.functions import Now

from agents.messages import ApprovalResponse, ClientOutput, Entry, UserMessage
from chat.models import RunInput
from tenants.context import current_organization_id
from tenants.postgres.prepared_statements import Rows, read_rows


class InputsPending(Exception):
    """The run has inputs that it has not read yet, so it can neither end nor pause."""


class StopPending(Exception):
    """A stop of the run was requested, so it must not pause."""


@dataclass(frozen=True, slots=True)
class PendingInput:
    """An input that no run has appended yet."""

    id: UUID
    is_message: bool
    entry: Entry


def pending_inputs(run_id: UUID) -> tuple[PendingInput, ...]:
    """Return the run's pending inputs, oldest first. One query."""
    return pending_from_rows(read_rows(*pending_select(run_id)))


def pending_select(run_id: UUID) -> tuple[str, dict[str, Any]]:
    """Return the select of `pending_inputs`, for `pending_from_rows`."""
    return _PENDING, {"organization": current_organization_id(), "run": run_id}


def pending_from_rows(rows: Rows) -> tuple[PendingInput, ...]:
    """Return the rows of `pending_select` as pending inputs."""
    return tuple(
        PendingInput(input_id, kind == RunInput.Kind.MESSAGE, _entry(kind, json.loads(content), client_id))
        for input_id, kind, content, client_id in rows
    )


# Plain SQL, because each run reads them before it ends.
_PENDING = """\
SELECT id, kind, content::text, client_id FROM chat_runinput
WHERE organization_id = %(organization)s AND run_id = %(run)s AND delivered_at IS NULL
ORDER BY created_at, id
"""


def inputs_mark_delivered(input_ids: Iterable[UUID]) -> None:
    RunInput.objects.filter(pk__in=list(input_ids)).update(delivered_at=Now())


def _entry(kind: str, content: dict[str, Any], client_id: str) -> Entry:
    match kind:
        case RunInput.Kind.MESSAGE:
            return UserMessage(content["text"], client_id)
        case RunInput.Kind.OUTPUT:
            return ClientOutput(**content)
        case _:
            return ApprovalResponse(**content)
