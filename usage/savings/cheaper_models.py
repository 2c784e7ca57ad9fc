"""Finds models that pass the same data set as the one in use, and cost less."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connections

from admin_config.defaults.prices import Price
from admin_config.models import AgentConfig
from tenants.context import current_alias, current_organization_id
from usage.reading.sums import Sums
from usage.savings.agent_months import Month, Prices
from usage.savings.hints import Hint

FRESH: Final = timedelta(days=90)  # older answers say nothing of a model of today
MAX_EXPERIMENTS: Final = 60
MIN_ANSWERS: Final = 10  # fewer could be luck

# One row for each experiment and the model that answered in it, the newest experiments first.
_TRIALS: Final = """\
with newest as (
    select id, data_set_id, revision, judge, agent_key, created_at from evaluations_experiment
    where organization_id = %(organization)s and status = 'done' and created_at >= %(since)s order by created_at desc limit %(most)s
)
select n.data_set_id, d.name, n.revision || n.judge, n.agent_key, m.provider, m.model, count(*), count(*) filter (where r.passed)
from newest n
join evaluations_dataset d on d.organization_id = %(organization)s and d.id = n.data_set_id
join evaluations_caseresult r on r.organization_id = %(organization)s and r.experiment_id = n.id
cross join lateral (
    select c.provider, c.model from chat_modelcall c
    where c.organization_id = %(organization)s and c.run_id = r.run_id and c.kind = 'step' order by c.created_at desc limit 1
) m
group by n.id, n.created_at, 1, 2, 3, 4, 5, 6 order by n.created_at desc"""


@dataclass(frozen=True, slots=True)
class Trial:
    """How one model did in one experiment."""

    data_set_id: UUID
    data_set: str
    revision: str  # of the cases and of who judges them: only equal ones can be compared
    agent: str
    provider: str
    model: str
    answers: int
    passed: int


def model_hints(months: Mapping[str, Month], agents: Mapping[str, AgentConfig], prices: Prices, *, now: datetime) -> list[Hint]:
    """Return for each agent the model that would save most. One statement."""
    trials = _trials(now)
    candidates = [list(_hints(month, agents, trials, prices)) for month in months.values()]
    return [max(hints, key=lambda hint: hint.usd) for hints in candidates if hints]


def _trials(now: datetime) -> list[Trial]:
    values: dict[str, Any] = {"organization": current_organization_id(), "since": now - FRESH, "most": MAX_EXPERIMENTS}
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_TRIALS, values)
        return [Trial(*row) for row in cursor.fetchall()]


def _hints(month: Month, agents: Mapping[str, AgentConfig], trials: Sequence[Trial], prices: Prices) -> Iterator[Hint]:
    for other in trials:
        in_use = _in_use(month, other, trials)
        price = prices.get((other.provider, other.model))
        is_alike = other.agent in agents and month.agent in agents and agents[other.agent].kind == agents[month.agent].kind
        if in_use is None or price is None or not is_alike or not _does_as_well(other, in_use):
            continue
        usd = _cost(month.model_sums, month.price) - _cost(month.model_sums, price)
        if usd > 0:
            figures = {"cheaper_passed": other.passed, "answers": other.answers, "passed": in_use.passed, "own_answers": in_use.answers}
            names = {"agent": str(agents[month.agent]), "cheaper": other.model, "model": month.model, "data_set": other.data_set}
            yield Hint("model", usd, {**names, **figures}, row=str(other.data_set_id))


def _in_use(month: Month, other: Trial, trials: Sequence[Trial]) -> Trial | None:
    """Return how the agent's own model last did with the same cases, if the other is another model."""
    place, own = (other.data_set_id, other.revision), (month.agent, month.provider, month.model)
    if (other.provider, other.model) == own[1:]:
        return None
    alike = (trial for trial in trials if (trial.data_set_id, trial.revision) == place)
    return next((trial for trial in alike if (trial.agent, trial.provider, trial.model) == own), None)


def _does_as_well(other: Trial, in_use: Trial) -> bool:
    return other.answers >= in_use.answers >= MIN_ANSWERS and other.passed * in_use.answers >= in_use.passed * other.answers > 0


def _cost(sums: Sums, price: Price) -> float:
    """Return what these tokens cost by a price, all as in prompts of usual length."""
    cost = price.cost_usd(
        fresh_input=sums.input_tokens - sums.cached_tokens - sums.cache_write_tokens,
        cached_input=sums.cached_tokens,
        cache_write=sums.cache_write_tokens,
        output=sums.output_tokens,
        thinking=sums.thinking_tokens,
    )
    return cost or 0.0
