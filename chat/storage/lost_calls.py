"""The model calls of an owner that died: the next one books them by the last heartbeat (docs/decisions/0022)."""

from __future__ import annotations

from collections import defaultdict
from typing import Any
from uuid import UUID

from django.db.models import F

from agents.messages import Usage
from agents.runtime.call_recording import OWNER_LOST
from chat.models import ModelCall, OpenText, Run
from chat.storage.search_columns import cost_of
from chat.stream.event_log import LeaseLost
from limits.budget_accounts import SettledCall, holds_settle
from limits.budgets import NO_BUDGETS, Budgets
from limits.counters import charge_on_commit


def lost_calls_book(*, run_id: UUID, epoch: int, usage: Usage, budgets: Budgets = NO_BUDGETS) -> tuple[Usage, int]:
    """Add the calls that former owners had open to the call log and to the run's `usage`. Return the new usage and the last logged step.

    A call that is in the log already is not added again. What budgets held for them is settled, and limits are charged.
    Call it in the organization's transaction. Raises LeaseLost.
    """
    marks = _marks(run_id)
    steps_by_call = dict(ModelCall.objects.filter(run_id=run_id).values_list("id", "step"))
    lost_calls = [
        ModelCall(id=call_id, run_id=run_id, **_lost_call_fields(mark)) for call_id, mark in marks.items() if call_id not in steps_by_call
    ]
    if lost_calls:
        usage = sum((Usage(**call.usage) for call in lost_calls), usage)
        cost = F("cost_usd") + cost_of(lost_calls)
        if not Run.objects.filter(pk=run_id, epoch=epoch, status__in=Run.ACTIVE).update(usage=usage.as_dict(), cost_usd=cost):
            raise LeaseLost
        ModelCall.objects.bulk_create(lost_calls)
        holds_settle(SettledCall(call.id, call.cost_usd, call.is_estimated) for call in lost_calls)
        for call in lost_calls:
            charge_on_commit(budgets.charges_of(call.agent_key), Usage(**call.usage).total_tokens, call.cost_usd)
    return usage, max([*steps_by_call.values(), *(call.step for call in lost_calls)], default=0)


def _marks(run_id: UUID) -> dict[UUID, dict[str, Any]]:
    """Return what heartbeats noted of open calls, by the call's id."""
    marks_by_call: defaultdict[UUID, dict[str, Any]] = defaultdict(dict)
    for marks in OpenText.objects.filter(run_id=run_id).order_by("epoch", "number").values_list("calls", flat=True):
        for mark in marks:
            marks_by_call[UUID(mark["id"])] |= {name: value for name, value in mark.items() if name != "id"}
    return {call_id: mark for call_id, mark in marks_by_call.items() if "model" in mark}


def _lost_call_fields(mark: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the call's row. A call that had ended is booked as it ended."""
    outcome = mark["finish_reason"] or mark["error_code"]
    return {**mark, "prompt_hash": "", "entry_count": 0, "settings": {}} | ({} if outcome else {"error_code": OWNER_LOST})
