"""Orphans: processes that a killed start left behind. On Linux they die with their parent; elsewhere the next start stops them."""

from __future__ import annotations

import signal
import time

import psutil

from tools.embedded import run_state
from tools.embedded.layout import Layout

GRACE_S = 10.0
SERVERS = ("valkey", "postgres")  # stopped after the programs that use them


def stop_orphans(layout: Layout) -> list[str]:
    """Stop the orphans, programs first, and return their names. The caller must hold the run lock."""
    processes = recorded_processes(layout)
    pids = {process.pid for _, process in processes}
    processes += [("postgres", process) for process in postgres_processes(layout) if process.pid not in pids]
    stop([pair for pair in processes if pair[0] not in SERVERS])
    stop([pair for pair in processes if pair[0] in SERVERS])
    return sorted({name for name, _ in processes})


def recorded_processes(layout: Layout) -> list[tuple[str, psutil.Process]]:
    processes = []
    for name, (pid, created) in run_state.read(layout).children.items():
        try:
            process = psutil.Process(pid)
            if abs(process.create_time() - created) < 0.05 and not is_dead(process):
                processes.append((name, process))
        except psutil.NoSuchProcess:
            continue
    return processes


def postgres_processes(layout: Layout) -> list[psutil.Process]:
    """Return PostgreSQL and its backends. They change into their data directory, so they are found without a pid file."""
    processes = []
    for process in psutil.process_iter(["name"]):
        try:
            if process.info["name"] == "postgres" and process.cwd() == str(layout.pgdata) and not is_dead(process):
                processes.append(process)
        except (psutil.Error, OSError):
            continue
    return processes


def wait_for_backends(layout: Layout) -> None:
    """Wait for the backends of a crashed server, which notice it within moments, then kill the rest."""
    end = time.monotonic() + GRACE_S
    while (left := postgres_processes(layout)) and time.monotonic() < end:
        time.sleep(0.05)
    for process in left:
        process.kill()


def stop(processes: list[tuple[str, psutil.Process]]) -> None:
    for name, process in processes:
        send(process, signal.SIGINT if name == "postgres" else signal.SIGTERM)
    end = time.monotonic() + GRACE_S
    for _, process in processes:
        # Not process.wait(): a zombie that init does not reap would look alive until the timeout.
        while not is_dead(process) and time.monotonic() < end:
            time.sleep(0.02)
        if not is_dead(process):
            send(process, signal.SIGKILL)


def send(process: psutil.Process, signum: signal.Signals) -> None:
    try:
        process.send_signal(signum)
    except psutil.NoSuchProcess:
        return


def is_dead(process: psutil.Process) -> bool:
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
