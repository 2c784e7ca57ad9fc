"""Inputs of runs as their owner reads them (chat.runs.inputs writes them)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models.functions import Now

from agents.engine.messages import ApprovalResponse, ClientOutput, Entry, UserMessage
from chat.models import RunInput
from tenants.postgres.prepared import PreparedSelect


class InputsWaiting(Exception):
    """Somebody sent something into the run that it has not heard yet: it can neither end nor pause."""


class StopWaiting(Exception):
    """Somebody asked the run to stop: it does not pause."""


@dataclass(frozen=True, slots=True)
class WaitingInput:
    """An input that no run has appended yet."""

    id: UUID
    is_message: bool
    entry: Entry


def waiting_inputs(run_id: UUID) -> tuple[WaitingInput, ...]:
    """The run's inputs that wait, oldest first. One query."""
    return waiting_of(INPUTS.rows(run_id=run_id))


def waiting_of(rows: Sequence[RunInput]) -> tuple[WaitingInput, ...]:
    """The rows of INPUTS as what waits."""
    return tuple(WaitingInput(row.pk, row.kind == RunInput.Kind.MESSAGE, _entry(row.kind, row.content, row.client_id)) for row in rows)


INPUTS = PreparedSelect(lambda *, run_id: RunInput.objects.filter(run_id=run_id, delivered_at=None).order_by("created_at", "id"))


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
