"""Queues and workers, for the operator: what waits and for whom, and who works."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from uuid import UUID

from tenants.models import Organization
from tenants.redis.clients import REDIS_ERRORS
from tenants.redis.queues import QueueState, Worker, queue_states, workers_alive


@dataclass(frozen=True, slots=True)
class QueueLine:
    """A queue with the organizations and tasks that have most in it."""

    queue: QueueState
    organizations: list[tuple[str, int]]
    tasks: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Queues:
    lines: list[QueueLine]
    workers: list[Worker]

    @property
    def tasks_per_minute(self) -> float:
        return sum(worker.tasks_per_minute for worker in self.workers)


def queues_with_workers() -> Queues | None:
    """Return the queues of the whole installation; None while Redis is away. One statement."""
    try:
        queues, workers = queue_states(looks_inside=True), workers_alive()
    except REDIS_ERRORS:
        return None
    total: Counter[UUID] = sum((queue.organizations for queue in queues), Counter())
    names = dict(Organization.objects.using("system").filter(pk__in=[pk for pk, _ in total.most_common(50)]).values_list("pk", "name"))
    return Queues([_line(queue, names) for queue in queues], workers)


def own_waiting(organization_id: UUID) -> tuple[int, bool] | None:
    """Return how many of the oldest waiting tasks are the organization's, and whether any worker lives; None while Redis is away."""
    try:
        return sum(queue.organizations[organization_id] for queue in queue_states(looks_inside=True)), bool(workers_alive())
    except REDIS_ERRORS:
        return None


def _line(queue: QueueState, names: dict[UUID, str]) -> QueueLine:
    of = [(names[pk], count) for pk, count in queue.organizations.most_common(5) if pk in names]
    return QueueLine(queue, of, queue.tasks.most_common(5))
