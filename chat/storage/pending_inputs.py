"""Inputs that a run's owner has not appended yet. chat.runs.run_inputs and chat.runs.client_outputs write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models.functions import Now

from agents.engine.messages import ApprovalResponse, ClientOutput, Entry, UserMessage
from chat.models import RunInput
from tenants.postgres.prepared_select import PreparedSelect


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
    return pending_from_rows(PENDING_INPUTS.rows(run_id=run_id))


def pending_from_rows(rows: Sequence[RunInput]) -> tuple[PendingInput, ...]:
    """Return the rows of PENDING_INPUTS as pending inputs."""
    return tuple(PendingInput(row.pk, row.kind == RunInput.Kind.MESSAGE, _entry(row.kind, row.content, row.client_id)) for row in rows)


PENDING_INPUTS = PreparedSelect(lambda *, run_id: RunInput.objects.filter(run_id=run_id, delivered_at=None).order_by("created_at", "id"))


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
