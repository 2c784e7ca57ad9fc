"""How many answers of one member may be written at once."""

from __future__ import annotations

from typing import Any

from chat.errors import TooManyRuns
from chat.models import Run
from tenants.access import Actor
from tenants.postgres.prepared_select import BoundSelect, PreparedSelect

MAX_ACTIVE_RUNS = 10


def check_run_limit(actor: Actor) -> None:
    """Raises TooManyRuns. The membership is locked, so that parallel sends are counted one after the other (SECURITY 26)."""
    if len(_ACTIVE.rows(owner_id=actor.membership_id)) >= MAX_ACTIVE_RUNS:
        raise TooManyRuns


def run_limit_select(actor: Actor) -> BoundSelect[Any]:
    """What `check_run_limit` asks the database."""
    return _ACTIVE.bind(owner_id=actor.membership_id)


_ACTIVE = PreparedSelect(
    lambda *, owner_id: Run.objects.filter(conversation__owner_id=owner_id, status__in=Run.ACTIVE).values_list("pk")  # few: the limit holds
)
