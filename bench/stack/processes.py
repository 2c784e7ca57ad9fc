"""Parley as `make run` starts it, in a temporary directory, with the double as its model. Nothing is left at the end."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import httpx2
import psutil

from bench.stack.cores import Cores, reserved_core, running_on
from bench.stack.lean_relay import RunningLeanRelay, running_lean_relay
from bench.stack.seed import PASSWORD, SLUG, email_of
from tools.embedded import database_setup, environment, ports
from tools.embedded.children import Child
from tools.embedded.layout import ROOT, Layout
from tools.embedded.options import Options
from tools.embedded.postgres import Postgres
from tools.embedded.privileges import postgres_privileges, wrap_command
from tools.embedded.programs import Program
from tools.embedded.stack import PROVIDER, SERVERS, WEB, WORKER, Stack, postgres_child, valkey_child
from tools.embedded.supervisor import stop_children
from tools.embedded.valkey import Valkey

SESSION_COOKIE = "parley_session"
_CSRF_FIELD = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


@dataclass(frozen=True)
class BenchStack:
    """What a measurement needs to know of the running stack. URLs have no trailing slash."""

    url: str
    origin: str
    double_url: str
    relay_url: str
    cookies: tuple[str, ...]  # one for each signed-in member
    env: dict[str, str]
    web: psutil.Process
    relay: psutil.Process
    double: psutil.Process
    valkey: psutil.Process
    postgres: psutil.Process
    background: dict[str, psutil.Process]  # the worker, if the whole stack runs
    idle_mb: float  # resident megabytes of the web process after the first sign-in; many sign-ins need memory for password hashes
    cores: Cores
    second_web: Callable[[], AbstractContextManager[BenchStack]] = field(repr=False)
    lean_relay: Callable[[], AbstractContextManager[RunningLeanRelay]] = field(repr=False)  # on the core of the web process

    @property
    def socket_url(self) -> str:
        return f"{self.url.replace('http', 'ws', 1)}/o/{SLUG}/ws/chat/"

    @property
    def processes(self) -> dict[str, psutil.Process]:
        """All processes of Parley by name."""
        return {"web": self.web, "PostgreSQL": self.postgres, "Valkey": self.valkey, **self.background}

    def run_module(self, *arguments: str) -> bytes:
        """Return what `python -m ...` prints, run like one of Parley's processes. Raises CalledProcessError."""
        command = wrap_command([sys.executable, "-m", *arguments], signal.SIGTERM)
        return subprocess.run(command, cwd=ROOT, env=self.env, stdout=subprocess.PIPE, check=True, start_new_session=True).stdout


@contextmanager
def running_stack(*, members: int, pinned: bool = True, whole: bool = False) -> Iterator[BenchStack]:
    """Start everything, yield the stack, and stop everything. Raises StartError.

    `pinned`: the web process gets its own core, where possible. The bare relay runs on the same core, in its turns.
    `whole`: this core is that of the whole of Parley, worker and beat included.
    """
    layout = Layout(Path(tempfile.mkdtemp(prefix="parley-bench-")).resolve())
    children: list[Child] = []
    try:
        layout.make()
        with reserved_core(pinned=pinned) as cores:
            yield _start(layout, members, children, cores, whole=whole)
    finally:
        for signum in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signum, signal.SIG_IGN)  # a second Ctrl-C must not leave processes running
        for rank in (WEB, WORKER, PROVIDER, SERVERS):
            stop_children([child for child in children if child.stop_rank == rank])
        shutil.rmtree(layout.sockets, ignore_errors=True)
        shutil.rmtree(layout.data, ignore_errors=True)


def _start(layout: Layout, members: int, children: list[Child], cores: Cores, *, whole: bool) -> BenchStack:
    postgres, valkey = Postgres(layout, postgres_privileges()), Valkey(layout)
    stack = Stack(layout, Options(layout.data, demo=False), ports.free_port(), None, postgres, valkey)
    double_port = ports.free_port()
    double_url = f"http://127.0.0.1:{double_port}"
    env = _environment(stack, postgres, valkey, f"127.0.0.1:{double_port}")
    double = stack.program(
        "double", ["-m", "bench.model.server", str(double_port)], env, stop_rank=PROVIDER, grace_s=5, address=("127.0.0.1", double_port)
    )
    relay_port = ports.free_port()
    relay_url = f"http://127.0.0.1:{relay_port}"
    arguments = ["-m", "bench.model.relay", double_url, str(relay_port)]
    relay = stack.program("relay", arguments, env, stop_rank=PROVIDER, grace_s=5, address=("127.0.0.1", relay_port))
    postgres.initialise()
    servers = [valkey_child(valkey), postgres_child(postgres)]
    _launch([double], children)
    with running_on(cores.web if whole else None):
        _launch(servers, children)
    postgres.create_roles()
    database_setup.migrate(env, layout.logs)
    Program("seed", ["-m", "bench.stack.seed", double_url, str(members)], env, layout.logs).run()
    web = _web(stack, env)
    background = [child for child in stack.programs(env) if child.name == "worker"] if whole else []
    with running_on(cores.web):
        _launch([web, relay, *background], children)
    url = stack.url.rstrip("/")
    first = sign_in(url, email_of(0))
    idle_mb = resident_mb(_process(web))
    cookies = (first, *(sign_in(url, email_of(number)) for number in range(1, members)))

    @contextmanager
    def second_web() -> Iterator[BenchStack]:
        """Run a second web process on another port and on the cores of everything else. The public URL stays that of the first."""
        other = replace(stack, port=ports.free_port())
        process = _web(other, env)
        _launch([process], children)
        try:
            yield replace(bench_stack, url=other.url.rstrip("/"), web=_process(process))
        finally:
            children.remove(process)
            stop_children([process])

    bench_stack = BenchStack(
        url=url,
        origin=url,
        double_url=double_url,
        relay_url=relay_url,
        cookies=cookies,
        env=env,
        web=_process(web),
        relay=_process(relay),
        double=_process(double),
        valkey=_process(servers[0]),
        postgres=_process(servers[1]),
        background={child.name: _process(child) for child in background},
        idle_mb=idle_mb,
        cores=cores,
        second_web=second_web,
        lean_relay=partial(running_lean_relay, env["DATABASE_OWNER_URL"], double_url, layout.logs, database="lean_relay", cores=cores.web),
    )
    return bench_stack


def _environment(stack: Stack, postgres: Postgres, valkey: Valkey, double_address: str) -> dict[str, str]:
    """Return the environment: the benchmark's own servers, whatever the caller's environment names, and the product's defaults otherwise."""
    return {
        **stack.environment(),
        **environment.database_urls(postgres),
        "REDIS_URL": valkey.url,
        "REDIS_PREFIX": "bench",
        "PUBLIC_URL": stack.url.rstrip("/"),
        "PARLEY_DATA_DIR": str(stack.layout.data),
        "DEMO_PROVIDER_URL": "",
        "EGRESS_ALLOW": double_address,
        "RUN_EXECUTOR": "inline",
        "DEBUG": "0",
    }


def _web(stack: Stack, env: dict[str, str]) -> Child:
    return next(child for child in stack.programs(env) if child.name == "web")


def _launch(new: list[Child], children: list[Child]) -> None:
    children += new  # before they start, so that an interrupted start stops them too
    for child in new:
        child.launch()
    for child in new:
        child.ready()


def _process(child: Child) -> psutil.Process:
    assert child.process, "it was launched"
    return psutil.Process(child.process.pid)


def resident_mb(process: psutil.Process) -> float:
    return float(process.memory_info().rss) / 1e6


def sign_in(url: str, email: str) -> str:
    """Return the Cookie header of a member, signed in through the login page."""
    with httpx2.Client(base_url=url, trust_env=False) as browser:
        field = _CSRF_FIELD.search(browser.get("/login/").raise_for_status().text)
        assert field, "the sign-in form carries a token"
        form = {"username": email, "password": PASSWORD, "csrfmiddlewaretoken": field[1]}
        answer = browser.post("/login/", data=form, headers={"Origin": url, "Referer": f"{url}/login/"})
        assert answer.status_code == 302, f"signing in gave {answer.status_code}"
        return f"{SESSION_COOKIE}={browser.cookies[SESSION_COOKIE]}"
