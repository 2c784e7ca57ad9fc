"""Transactions of several organizations through a pooler, in threads, a tenth of them rolled back, and selects without one: prints JSON.

`python -m tests.deploy.stores.pooled_transactions`, with the environment of the product.
"""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import django

django.setup()

from django.db import connection, connections, transaction  # noqa: E402

from admin_config.models import AgentConfig  # noqa: E402
from admin_config.services.configuration import organization_seed  # noqa: E402
from tenants.context import database_alias, tenant_tx  # noqa: E402
from tenants.models import Organization  # noqa: E402
from tenants.postgres.prepared_statements import read_committed  # noqa: E402

ORGANIZATIONS = 4
THREADS = 8
TRANSACTIONS = 150  # of a thread
ROLLED_BACK = 0.1


class Undone(Exception):
    """Ends a transaction that is to be rolled back."""


def main() -> None:
    organizations = [_organization(number) for number in range(ORGANIZATIONS)]
    with ThreadPoolExecutor(THREADS) as pool:
        results = [each for thread in pool.map(_transactions, range(THREADS), [organizations] * THREADS) for each in thread]
    limits = {alias: _limits(alias) for alias in ("default", "auth", "system")}
    print(json.dumps({"checked": len(results), "wrong": [each for each in results if each], "limits": limits}))


def _organization(number: int) -> UUID:
    with transaction.atomic(using="auth"), database_alias("auth"):
        organization = Organization.objects.create(slug=f"pooled{number}", name=f"Pooled {number}")
    with tenant_tx(organization.pk):
        organization_seed(organization_id=organization.pk)
    return organization.pk


def _transactions(seed: int, organizations: list[UUID]) -> list[str]:
    """What was wrong in each transaction of a thread; empty where nothing was."""
    rng = random.Random(seed)
    return [_transaction(rng.choice(organizations), is_undone=rng.random() < ROLLED_BACK) for _ in range(TRANSACTIONS)]


def _transaction(organization_id: UUID, *, is_undone: bool) -> str:
    visible_ids = set[UUID]()
    try:
        with tenant_tx(organization_id):
            visible_ids = {*AgentConfig.unscoped.values_list("organization_id", flat=True)}
            AgentConfig.unscoped.filter(organization_id=organization_id).update(name="Pooled")
            if is_undone:
                raise Undone
    except Undone:
        pass
    finally:
        leftover = _setting("app.org") or ""  # in a transaction of its own, on whichever connection is free
        alone = {row[0] for row in read_committed(organization_id, "SELECT organization_id FROM admin_config_agentconfig", [])}
        connections.close_all()
    problems = [f"saw {rows}" for rows in (visible_ids, alone) if rows != {organization_id}]
    return ", ".join([*problems, *([f"left {leftover}"] if leftover else [])])


def _setting(name: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute("select current_setting(%s, true)", [name])
        [value] = cursor.fetchone() or [None]
    return value


def _limits(alias: str) -> list[str]:
    with connections[alias].cursor() as cursor:
        cursor.execute("select current_setting('statement_timeout'), current_setting('lock_timeout')")
        return [*(cursor.fetchone() or ())]


if __name__ == "__main__":
    main()
