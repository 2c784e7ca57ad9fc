"""Supervisor: starts the children in order, restarts those that die, and stops them in order."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from tools.embedded import database_setup, orphans, preflight, run_state
from tools.embedded.children import Child
from tools.embedded.environment import REDIS_VARIABLES
from tools.embedded.output import StartError, say, tail
from tools.embedded.stack import Stack

WATCH_INTERVAL_S = 0.3
EXIT_KILLED_BY_USER = 130


class StopRequestedError(Exception):
    """A signal arrived while the children were still starting."""


class Supervisor:
    """Runs a stack until a signal.

    Children are started from the main thread only, because their parent-death signal is tied to the thread that forked them.
    """

    def __init__(self, stack: Stack, on_ready: Callable[[], None]) -> None:
        self.stack = stack
        self.on_ready = on_ready
        self.children: list[Child] = []
        self.stopping = threading.Event()
        self.signal_count = 0
        self.waiting = False

    def run(self) -> None:
        """Run until a signal. Raises StartError when a child can't start at first, after stopping all children."""
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(signum, self.on_signal)
        try:
            self.start()
            self.on_ready()
            while not self.stopping.wait(WATCH_INTERVAL_S):
                self.watch()
        except StopRequestedError:
            pass
        finally:
            self.stop()

    def on_signal(self, _signum: int, _frame: object) -> None:
        self.signal_count += 1
        self.stopping.set()
        if self.signal_count > 1:
            for child in self.children:
                child.send(child.kill_signal)
            os._exit(EXIT_KILLED_BY_USER)
        if self.waiting:
            raise StopRequestedError

    @contextlib.contextmanager
    def interruptible(self) -> Iterator[None]:
        """Let a signal end the block's long wait at once instead of after it."""
        self.check_stopping()
        self.waiting = True
        try:
            yield
        finally:
            self.waiting = False

    def start(self) -> None:
        stack = self.stack
        if names := orphans.stop_orphans(stack.layout):
            say(f"Stopped what a killed start had left: {', '.join(names)}.")
        if stack.postgres:
            stack.postgres.drop_stale_locks()
        env = stack.environment()
        self.check_servers(env)
        self.launch(stack.demo_provider(env))
        self.start_servers()
        self.prepare_database(env)
        self.launch(stack.programs(env))
        self.wait_ready(self.children)

    def check_servers(self, env: dict[str, str]) -> None:
        if not self.stack.valkey:
            preflight.check_redis("REDIS_URL", env["REDIS_URL"])
        for variable in REDIS_VARIABLES:
            if url := env.get(variable):
                preflight.check_redis(variable, url)
        if not self.stack.postgres:
            preflight.check_database()

    def start_servers(self) -> None:
        servers = {child.name: child for child in self.stack.servers()}
        if valkey := servers.get("valkey"):
            self.launch([valkey])
        if self.stack.postgres:
            with self.interruptible():
                self.stack.postgres.initialise()  # meanwhile Valkey and the demo provider start
            self.launch([servers["postgres"]])
        self.wait_ready(list(servers.values()))

    def prepare_database(self, env: dict[str, str]) -> None:
        """Migrate, then open or close the demo. A database of the user is checked at each start, ours only when code or choice changed."""
        layout, demo, postgres = self.stack.layout, self.stack.options.demo, self.stack.postgres
        if postgres and database_setup.is_prepared(layout, demo=demo):
            return
        say("Preparing the database ...")
        if postgres:
            database_setup.clear_prepared(layout)
            postgres.create_roles()
        with self.interruptible():
            database_setup.migrate(env, layout.logs)
            (database_setup.seed_demo if demo else database_setup.close_demo)(env, layout.logs)
        if postgres:
            database_setup.mark_prepared(layout, demo=demo)

    def launch(self, children: Sequence[Child]) -> None:
        self.check_stopping()
        for child in children:
            self.children.append(child)
            child.launch()
        self.save_state()

    def wait_ready(self, children: Sequence[Child]) -> None:
        for child in children:
            with self.interruptible():
                child.ready()

    def check_stopping(self) -> None:
        if self.stopping.is_set():
            raise StopRequestedError

    def save_state(self) -> None:
        """Record what runs. A full disk must not end what it records."""
        try:
            run_state.write(self.stack.layout, url=self.stack.url, children=self.children)
        except OSError as error:
            say(f"What runs could not be recorded: {error}. After kill -9 the next start may find processes of this one.")

    def watch(self) -> None:
        for child in self.children:
            if child.is_alive or self.stopping.is_set():
                continue
            if child.restart_at is None:
                self.plan_restart(child)
            elif time.monotonic() >= child.restart_at:
                self.restart(child)

    def plan_restart(self, child: Child) -> None:
        code = child.process.returncode if child.process else None
        is_bad, pause_s = child.keeps_stopping, child.plan_restart()
        how = "keeps stopping" if is_bad else "stopped"
        say(f"{child.name} {how} (exit code {code}); starting it again in {pause_s:.1f} s. Log: {child.log}")
        if is_bad:
            say(tail(child.log))

    def restart(self, child: Child) -> None:
        try:
            if child.clean_up:
                child.clean_up()
            child.launch()
            self.save_state()
            self.wait_ready([child])
            say(f"{child.name} serves again.")
        except (StartError, OSError) as error:  # it died again, or a full disk kept it from starting; the next check plans a longer pause
            say(str(error))

    def stop(self) -> None:
        if not self.children:
            return
        began = time.monotonic()
        say("Stopping ...")
        for rank in sorted({child.stop_rank for child in self.children}):
            stop_children([child for child in self.children if child.stop_rank == rank])
        self.stack.layout.state.unlink(missing_ok=True)
        self.stack.layout.remove_sockets_dir()
        say(f"Stopped in {time.monotonic() - began:.1f} s.")


def stop_children(children: Sequence[Child]) -> None:
    """Signal all children, wait for each within its grace period, then kill those that are left."""
    start = time.monotonic()
    for child in children:
        child.send(child.stop_signal)
    for child in children:
        if child.process is None:
            continue
        try:
            child.process.wait(max(0.1, start + child.grace_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            say(f"{child.name} did not stop within {child.grace_s:.0f} s; killing it.")
            child.send(child.kill_signal)
            child.process.wait()
