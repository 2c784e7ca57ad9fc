"""Counts what one send costs before and after its first token: SQL statements and CPU, inside a process that runs Parley's code.

    python -m bench.send_cost COUNT COOKIE [--statements]      # prints JSON; needs the web process's environment

It runs the whole ASGI application without a server. The handshake is not counted.
"""

from __future__ import annotations

import asyncio
import os
import re
import statistics
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import uuid4

import django
import orjson
from channels.testing import WebsocketCommunicator

from bench.stack.seed import SLUG

TIMEOUT_S = 15.0
_RUN_TASK = re.compile(r"run-[0-9a-f]{8}-")  # the names that chat.runs.supervisor gives to tasks of runs
TRANSACTION_START = "select current_setting('app.org'"


@dataclass(frozen=True, slots=True)
class Statement:
    """One SQL statement of a send."""

    sql: str
    at_ms: float  # since the send
    took_ms: float  # in the database driver
    before_first_token: bool  # whether the user waited for it


@dataclass(slots=True)
class SendRecord:
    """One send. Filled from the loop and the database threads."""

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
    """Records every statement of this process, whatever its thread and connection."""

    def __init__(self) -> None:
        self.record = SendRecord()
        self._lock = threading.Lock()

    def listen(self) -> None:
        from django.db.backends.signals import connection_created

        connection_created.connect(self._on_connect, weak=False)

    def _on_connect(self, connection: Any, **_: Any) -> None:
        if self._execute not in connection.execute_wrappers:
            connection.execute_wrappers.append(self._execute)

    def _execute(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        began = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            if context["connection"].alias == "default":  # not lease renewals, which use another connection once a second for all runs
                self._note(sql, began, time.perf_counter())

    def _note(self, sql: str, start_s: float, end_s: float) -> None:
        record = self.record
        at_ms = (start_s - record.began_s) * 1000
        with self._lock:
            record.statements.append(Statement(sql, at_ms, (end_s - start_s) * 1000, record.first_token_ms == 0.0))


async def one_send(socket: WebsocketCommunicator, counter: StatementCounter) -> SendRecord:
    """Send a message into a new conversation and wait for the whole answer and the end of the run's work."""
    message = {"id": uuid4().hex, "role": "user", "parts": [{"type": "text", "text": "What does a send cost?"}]}
    frame = {"type": "send", "requestId": "r1", "id": str(uuid4()), "trigger": "submit-message", "messages": [message]}
    record = counter.record = SendRecord()
    await socket.send_to(text_data=orjson.dumps(frame).decode())
    while (answer := orjson.loads(await socket.receive_from(timeout=TIMEOUT_S)))["type"] != "end":
        if answer["type"] == "error" or answer.get("chunk", {}).get("type") == "error":
            raise RuntimeError(f"The send failed: {answer}")
        if record.first_token_ms == 0.0 and answer.get("chunk", {}).get("type") == "text-delta":
            record.first_token()
    await asyncio.gather(*(task for task in asyncio.all_tasks() if _RUN_TASK.match(task.get_name())))
    record.finished()
    return record


def summary(records: list[SendRecord], *, statements: bool) -> dict[str, Any]:
    """Return medians over the sends. `statements`: also the statements of the middle send."""
    middle = sorted(records, key=lambda record: record.first_token_ms)[len(records) // 2]
    early = [[s for s in record.statements if s.before_first_token] for record in records]
    result = {
        "sends": len(records),
        "statements_before_first_token": statistics.median(map(len, early)),
        "statements": statistics.median(len(record.statements) for record in records),
        "transactions_before_first_token": statistics.median(map(_transactions, early)),
        "transactions": statistics.median(_transactions(record.statements) for record in records),
        "sql_ms_before_first_token": statistics.median(sum(s.took_ms for s in group) for group in early),
        "cpu_ms_before_first_token": statistics.median(record.first_token_cpu_ms for record in records),
        "cpu_ms": statistics.median(record.cpu_ms for record in records),
    }
    return result | ({"middle_send": [asdict(statement) for statement in middle.statements]} if statements else {})


def _transactions(statements: list[Statement]) -> int:
    return sum(statement.sql.startswith(TRANSACTION_START) for statement in statements)


async def main(count: int, cookie: str, *, statements: bool) -> None:
    from django.conf import settings

    from config.asgi import application

    counter = StatementCounter()
    counter.listen()
    headers = [(b"cookie", cookie.encode()), (b"origin", settings.PUBLIC_URL.encode())]
    socket = WebsocketCommunicator(application, f"/o/{SLUG}/ws/chat/", headers=headers)
    is_connected, _ = await socket.connect(timeout=TIMEOUT_S)
    if not is_connected:
        raise RuntimeError("The socket was refused.")
    records = [await one_send(socket, counter) for _ in range(count + 3)][
        3:
    ]  # three more, because the first ones open connections and load the release
    await socket.disconnect(timeout=TIMEOUT_S)
    sys.stdout.buffer.write(orjson.dumps(summary(records, statements=statements)))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], statements="--statements" in sys.argv))
