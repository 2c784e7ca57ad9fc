"""What one send costs before and after its first token: SQL statements and CPU, counted inside a process that runs Parley's own code.

    python -m bench.sends COUNT [--statements]      prints JSON; the environment is the web process's

The same path as a socket's: `request_post`, then the run's stream; without the socket and the sign-in.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import django
import orjson

from bench.seed import EMAIL, SLUG

if TYPE_CHECKING:
    from tenants.access import Actor

TRANSACTION_START = "select current_setting('app.org'"


@dataclass(frozen=True, slots=True)
class Statement:
    """`at_ms`: since the send; `took_ms`: in the database's driver; `before_first_token`: whether the user waited for it."""

    sql: str
    at_ms: float
    took_ms: float
    before_first_token: bool


@dataclass(slots=True)
class SendRecord:
    """One send; filled from the loop and the database threads."""

    began_s: float = field(default_factory=time.perf_counter)
    began_cpu_s: float = field(default_factory=time.process_time)
    statements: list[Statement] = field(default_factory=list)
    first_token_ms: float = 0.0
    first_token_cpu_ms: float = 0.0
    cpu_ms: float = 0.0

    def first_token(self) -> None:
        self.first_token_ms = (time.perf_counter() - self.began_s) * 1000
        self.first_token_cpu_ms = (time.process_time() - self.began_cpu_s) * 1000

    def finished(self) -> None:
        self.cpu_ms = (time.process_time() - self.began_cpu_s) * 1000


class StatementCounter:
    """Sees every statement of this process, whatever thread and connection it goes through."""

    def __init__(self) -> None:
        self.record = SendRecord()
        self._lock = threading.Lock()

    def listen(self) -> None:
        from django.db.backends.signals import connection_created

        connection_created.connect(self._connected, weak=False)

    def _connected(self, connection: Any, **_: Any) -> None:
        if self._execute not in connection.execute_wrappers:
            connection.execute_wrappers.append(self._execute)

    def _execute(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        began = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            if context["connection"].alias == "default":  # the process renews its leases on another one, once a second for all runs
                self._note(sql, began, time.perf_counter())

    def _note(self, sql: str, began: float, ended: float) -> None:
        record = self.record
        at_ms = (began - record.began_s) * 1000
        with self._lock:
            record.statements.append(Statement(sql, at_ms, (ended - began) * 1000, record.first_token_ms == 0.0))


async def one_send(actor: Actor, counter: StatementCounter) -> SendRecord:
    """A message in a new conversation and its whole answer."""
    from chat.attach import request_post
    from chat.frames import ChatRequest
    from chat.hub import Hub

    message = {"id": uuid4().hex, "role": "user", "parts": [{"type": "text", "text": "What does a send cost?"}]}
    request = ChatRequest.model_validate({"id": str(uuid4()), "messages": [message]})
    record = counter.record = SendRecord()
    run_id = await request_post(actor, request)
    async for batch in Hub.current().follow(run_id):
        if record.first_token_ms == 0.0 and any(b'"text-delta"' in chunk for chunk in batch):
            record.first_token()
    await asyncio.gather(*(task for task in asyncio.all_tasks() if task.get_name() == f"run-{run_id}"))
    record.finished()
    return record


def summary(records: list[SendRecord], *, statements: bool) -> dict[str, Any]:
    """Medians over the sends; `statements`: the middle send's statements too."""
    middle = sorted(records, key=lambda record: record.first_token_ms)[len(records) // 2]
    early = [[s for s in record.statements if s.before_first_token] for record in records]
    result = {
        "sends": len(records),
        "statements_before_first_token": statistics.median(map(len, early)),
        "statements": statistics.median(len(record.statements) for record in records),
        "transactions_before_first_token": statistics.median(map(_transactions, early)),
        "transactions": statistics.median(_transactions(record.statements) for record in records),
        "sql_ms_before_first_token": statistics.median(sum(s.took_ms for s in found) for found in early),
        "cpu_ms_before_first_token": statistics.median(record.first_token_cpu_ms for record in records),
        "cpu_ms": statistics.median(record.cpu_ms for record in records),
    }
    return result | ({"middle_send": [asdict(statement) for statement in middle.statements]} if statements else {})


def _transactions(statements: list[Statement]) -> int:
    return sum(statement.sql.startswith(TRANSACTION_START) for statement in statements)


async def main(count: int, *, statements: bool) -> None:
    from chat.hub import Hub
    from chat.redis import close_redis
    from chat.runner import RunSupervisor
    from security.egress import aclose_clients
    from tenants.access import actor_for
    from tenants.db import in_db
    from tenants.models import User

    counter = StatementCounter()
    counter.listen()
    user = await in_db(User.objects.get, email=EMAIL)
    actor = await in_db(actor_for, user_id=user.pk, slug=SLUG)
    records = [await one_send(actor, counter) for _ in range(count + 3)][3:]  # the first ones open connections and load the release
    await Hub.current().close()
    await RunSupervisor.current().close()
    await aclose_clients()
    await close_redis()
    sys.stdout.buffer.write(orjson.dumps(summary(records, statements=statements)))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    asyncio.run(main(int(sys.argv[1]), statements="--statements" in sys.argv))
