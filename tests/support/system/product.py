"""The real product for a test: web, worker and beat as `make run` starts them, against a double of the test's own process.

It has its own database and its own Redis keys on the servers of the test session, so that a test may kill its processes and wipe its Redis.
"""

from __future__ import annotations

import os
import secrets
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit
from uuid import UUID

import psycopg
import redis
from psycopg.rows import class_row, scalar_row

from config.processes import web_arguments, worker_arguments
from doubles.demo import DemoScript, DemoServer
from tests.support.agents.gemini import ServedGemini, serve
from tests.support.system.product_servers import WAIT_S, WIPE_KEYS, end, own_servers, restart, shared_servers
from tools.embedded import ports
from tools.embedded.children import Child
from tools.embedded.layout import ROOT, Layout
from tools.embedded.options import Options
from tools.embedded.programs import Program
from tools.embedded.stack import Stack

Value = TypeVar("Value")

POLL_S = 0.02
# All in one process: most of each is its start.
PREPARE = """
import django
from django.core.management import call_command
django.setup()
call_command("migrate", database="owner", verbosity=0)
call_command("demo_seed")
"""
# SQL: how a row of the call log says that the call ended. One that had ended when its owner was lost before it stored the answer is booked
# as it ended, without its request, and the next owner asks again. Both were paid (tests/chat/runs/test_lost_attempts.py).
CALL_END = "case when error_code = '' and prompt_hash = '' then 'owner_lost' else error_code end"


def wait_for(condition: Callable[[], Value], what: str, *, timeout_s: float = WAIT_S, poll_s: float = POLL_S) -> Value:
    """The first true value of `condition`, which is about another process. Raises TimeoutError that says `what`."""
    end = time.monotonic() + timeout_s
    while not (value := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"Within {timeout_s:.0f} s it did not happen that {what}.")
        time.sleep(poll_s)
    return value


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as the database has it now."""

    id: UUID
    status: str
    epoch: int
    takeovers: int  # from owners that died; one that hands its run over is none
    lease_owner: str
    finished: bool


@dataclass(frozen=True)
class Web:
    """One more web process and where it listens."""

    child: Child
    url: str


class Product:
    """`web` and `worker` can be killed and started again; `double` is the demo provider of the seeded organizations.

    On other wires than Gemini's the demo's own script answers. `servers`: PostgreSQL and Valkey, when they are the product's own.
    """

    def __init__(self, stack: Stack, env: dict[str, str], double: ServedGemini, servers: Sequence[Child] = ()) -> None:
        self.stack, self.env, self.double = stack, env, double
        self.web, self.worker = stack.programs(env)
        self._servers = servers
        self._more: list[Child] = []

    @property
    def valkey(self) -> Child:
        return self._servers[0]

    @property
    def postgres(self) -> Child:
        return self._servers[1]

    @property
    def url(self) -> str:
        return self.stack.url.rstrip("/")

    @property
    def children(self) -> tuple[Child, ...]:
        return self.web, self.worker

    def start(self, more: str = "") -> None:
        """`more`: what else is put into its database, as Python."""
        Program("prepare", ["-c", PREPARE + more], self.env, self.stack.layout.logs).run()
        for child in self.children:
            child.launch()
        self.web.ready()

    def stop(self) -> None:
        for child in (*self.children, *self._more):
            child.send(signal.SIGCONT)
            end(child, signal.SIGKILL)

    def restart_stopped(self) -> None:
        """Let go on and start again what a test stopped or ended: its servers first."""
        for child in (*self._servers[::-1], *self.children):
            child.send(signal.SIGCONT)
            if not child.is_alive:
                restart(child)
        self._wait_for_worker()

    def _wait_for_worker(self) -> None:
        """Wait until the worker looks for lost runs. Start it again, as the supervisor does, when it found no database at its start."""

        def has_swept() -> bool:
            if not self.worker.is_alive:
                self.worker.launch()
            return bool(client.exists(swept))

        swept = f"{self.env['REDIS_PREFIX']}:recovery:swept"
        with self._redis() as client:
            client.delete(swept)
            wait_for(has_swept, "the worker looked for lost runs")

    def start_web(self, *, code: Path = ROOT, **env: str) -> Web:
        """Start one more web process, on a port of its own; browsers still name the first one's origin. `code`: another version's."""
        port = ports.free_port()
        return self._start_web(port, web_arguments("--host", "127.0.0.1", "--port", str(port)), env, code)

    def start_worker(self, *, code: Path = ROOT, **env: str) -> Child:
        """Start one more worker."""
        program = Program(f"worker-{len(self._more)}", worker_arguments(), {**self.env, **env}, self.stack.layout.logs, code=code)
        return self._start(Child(program.name, program.start, program.wait_ready, program.log, stop_rank=0, grace_s=10))

    def start_development_web(self) -> Web:
        """Start `manage.py runserver` as a developer does, on a port of its own."""
        port = ports.free_port()
        return self._start_web(port, ["manage.py", "runserver", "--noreload", f"127.0.0.1:{port}"], {"DEBUG": "1"})

    def _start_web(self, port: int, command: Sequence[str], env: Mapping[str, str], code: Path = ROOT) -> Web:
        program = Program(f"web-{port}", [*command], {**self.env, **env}, self.stack.layout.logs, ("127.0.0.1", port), code)
        child = Child(program.name, program.start, program.wait_ready, program.log, stop_rank=0, grace_s=10)
        return Web(self._start(child), f"http://127.0.0.1:{port}")

    def _start(self, child: Child) -> Child:
        self._more.append(child)
        restart(child)
        return child

    def runs(self, conversation_id: str) -> list[RunRow]:
        """The conversation's runs, oldest first."""
        query = (
            "select id, status, epoch, takeovers, lease_owner, finished_at is not null as finished from chat_run where conversation_id = %s"
        )
        with psycopg.connect(self.env["DATABASE_SYSTEM_URL"], row_factory=class_row(RunRow)) as connection:
            return connection.execute(f"{query} order by created_at", [conversation_id]).fetchall()

    def run(self, conversation_id: str) -> RunRow:
        """The conversation's only run."""
        [run] = self.runs(conversation_id)
        return run

    def call_errors(self, conversation_id: str) -> list[str]:
        """How the chat agent's model calls of the conversation's runs ended, oldest first: see CALL_END."""
        query = f"select {CALL_END} from chat_modelcall where kind = 'step' and run_id = %s order by created_at, error_code desc"
        with psycopg.connect(self.env["DATABASE_SYSTEM_URL"]) as connection:
            return [error for run in self.runs(conversation_id) for (error,) in connection.execute(query, [run.id])]

    def noted_calls(self) -> list[str]:
        """What heartbeats noted of open model calls, as JSON, with epoch and number: why a call of a dead owner is booked, or not."""
        with psycopg.connect(self.env["DATABASE_SYSTEM_URL"]) as connection:
            query = "select run_id::text || ' ' || epoch || '.' || number || ' ' || calls::text from chat_opentext"
            return [row for (row,) in connection.execute(query)]

    def finished(self, *conversation_ids: str, timeout_s: float = WAIT_S) -> list[RunRow]:
        """Wait until the only run of each conversation is over; return them."""

        def over() -> list[RunRow] | None:
            runs = [self.run(conversation_id) for conversation_id in conversation_ids]
            return runs if all(run.finished for run in runs) else None

        return wait_for(over, "all runs ended", timeout_s=timeout_s) or []

    def lease_expiry(self, conversation_id: str) -> datetime:
        """When the lease of the conversation's only run ends, by the database's clock."""
        query = "select lease_expires_at from chat_run where conversation_id = %s"
        with psycopg.connect(self.env["DATABASE_SYSTEM_URL"], row_factory=scalar_row) as connection:
            expiry = connection.execute(query, [conversation_id]).fetchone()
        assert isinstance(expiry, datetime)
        return expiry

    def is_owned_by(self, child: Child, conversation_id: str) -> bool:
        assert child.process is not None
        return f"-{child.process.pid}-" in self.run(conversation_id).lease_owner

    def log_text(self, conversation_id: str) -> str:
        """The event log of the conversation's run as it is in Redis; empty when there is none."""
        with self._redis() as client:
            [*names] = client.keys(f"{self.env['REDIS_PREFIX']}:run:*:{self.run(conversation_id).id}:log")
            entries = client.xrange(names[0]) if names else []
        return "".join(fields[b"c"].decode() for _, fields in entries)

    def wipe_redis(self) -> None:
        """All of this product's keys at once, as after a restart of a Redis without files."""
        with self._redis() as client:
            client.eval(WIPE_KEYS, 0, f"{self.env['REDIS_PREFIX']}:*")

    def _redis(self) -> redis.Redis:
        return redis.Redis.from_url(self.env["REDIS_URL"])


@contextmanager
def product(
    data: Path,
    *,
    has_own_servers: bool = False,
    allowed: Sequence[str] = (),
    through: Callable[[dict[str, str]], dict[str, str]] = dict,
    more: str = "",
    **env: str,
) -> Iterator[Product]:
    """A started product; logs are in `data`/log.

    `has_own_servers`: PostgreSQL and Valkey that the test may end too. `allowed`: more servers that it may call. `through`: gives the
    variables that lead to its servers by another way, such as a pooler. `more`: Python that puts more into its database. `env`: more variables.
    """
    name = f"system_{secrets.token_hex(4)}"
    double = ServedGemini(keys=None, models=None)
    demo = DemoServer(DemoScript(pace=0), gemini=double)
    layout = Layout(data)
    layout.make()
    with serve(demo) as double.base_url, own_servers(layout) if has_own_servers else shared_servers(name) as (addresses, servers):
        stack = Stack(layout, Options(data), ports.free_port(), demo_port=None, postgres=None, valkey=None)
        variables = {
            **through(addresses),
            "REDIS_PREFIX": name,
            "PUBLIC_URL": stack.url.rstrip("/"),
            "FILES_URL": stack.files_url,
            "PARLEY_DATA_DIR": str(data),
            "DEMO_PROVIDER_URL": double.base_url,
            "EGRESS_ALLOW": ",".join([urlsplit(double.base_url).netloc, *allowed]),
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PYTHONUNBUFFERED": "1",
            "BEAT_IN_WORKERS": "1",  # as with `make run`
            "DRAIN_S": "5",  # as with `make run`; what never ends in a test is waited for so long
            "API_CHATS_PER_MINUTE": "0",  # one member says more in a trial than people do
            **env,
        }
        running = Product(stack, {**os.environ, **variables}, double, servers)
        try:
            running.start(more)
            yield running
        finally:
            running.stop()
    layout.remove_sockets_dir()
