"""`make run` as a user meets it: real processes, real servers, one data directory whose path has spaces.

A start costs ten seconds of CPU, so each test uses the Parley that the one before it left running. A test that finds none starts one.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.embedded.running import Parley, answers, can_sign_in, start_to_end
from tests.support.system.product import wait_for
from tools.embedded.__main__ import DEMO_LOGINS
from tools.embedded.children import MAX_QUICK_RESTARTS
from tools.embedded.layout import Layout
from tools.embedded.postgres import APP, DATABASE, OWNER, Postgres
from tools.embedded.privileges import postgres_privileges
from tools.embedded.stack import DEMO_APPLICATION


class Starts:
    """Starts in one data directory, one after the other."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.latest: Parley | None = None

    def start(self, *arguments: str) -> Parley:
        self.latest = Parley(self.data, *arguments)
        return self.latest

    def running(self, *arguments: str) -> Parley:
        """The latest start if it still runs, otherwise a new one with these arguments."""
        if self.latest is None or self.latest.process.poll() is not None:
            return self.start(*arguments)
        return self.latest


@pytest.fixture(scope="module")
def starts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starts]:
    """The directory is kept for the module, so that only the first start pays for initdb and migrations."""
    module_starts = Starts(tmp_path_factory.mktemp("with a space") / "Daten für Parley")
    yield module_starts
    if module_starts.latest is not None and module_starts.latest.process.poll() is None:
        module_starts.latest.stop()  # after a test that failed


@pytest.fixture
def data(starts: Starts) -> Path:
    return starts.data


@pytest.fixture
def parley(starts: Starts) -> Parley:
    return starts.running()


def test_a_start_serves_and_prints_logins_that_work(parley: Parley) -> None:
    assert answers(f"{parley.url}livez")
    assert "demo@parley.local" in parley.output
    assert sign_ins(parley) == [True, True]


def test_a_second_start_names_the_first_and_leaves_it_alone(parley: Parley, data: Path) -> None:
    second = start_to_end(data)
    assert second.returncode == 0
    assert second.stdout.strip() == f"Parley is already running: {parley.url}"
    assert answers(f"{parley.url}livez")


def test_what_people_write_is_in_no_log_of_the_database(parley: Parley, data: Path) -> None:
    postgres = Postgres(Layout(data), postgres_privileges())
    with psycopg.connect(postgres.url(APP), autocommit=True) as connection:
        connection.execute("create temporary table notes (body text primary key)")
        with pytest.raises(psycopg.errors.DivisionByZero):
            connection.execute("select 'Bobs Geheimnis', 1 / 0")
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("insert into notes values ('Bobs Geheimnis'), ('Bobs Geheimnis')")
    log = (Layout(data).logs / "postgres.log").read_text()
    assert "division by zero" in log
    assert "duplicate key value" in log
    assert "Geheimnis" not in log


def test_the_servers_own_template_is_left_alone(parley: Parley, data: Path) -> None:
    postgres = Postgres(Layout(data), postgres_privileges())
    with psycopg.connect(postgres.url(OWNER).replace(f"/{DATABASE}?", "/template1?")) as template:
        assert template.execute("select count(*) from pg_default_acl").fetchall() == [(0,)]


def test_logs_and_data_are_for_this_user_alone(parley: Parley, data: Path) -> None:
    layout = Layout(data)
    files = [layout.logs, layout.valkey, layout.secrets, *layout.logs.iterdir(), *layout.valkey.rglob("*")]
    assert len(files) > 8
    assert not [path for path in files if path.stat().st_mode & 0o077]


def test_a_dead_web_process_and_a_dead_database_come_back(parley: Parley) -> None:
    parley.child("web").kill()
    parley.wait_for("web stopped")
    parley.child("postgres").kill()
    parley.wait_for("postgres stopped")
    parley.wait_for("web serves again")
    parley.wait_for("postgres serves again")
    assert answers(f"{parley.url}livez")


def test_a_full_disk_and_a_worker_that_keeps_dying_do_not_end_the_chat(parley: Parley, data: Path) -> None:
    """/dev/full takes no byte, as a full disk: neither those of the record of what runs nor those of web's log."""
    layout, web = Layout(data), parley.child("web")
    record = layout.state.with_suffix(".tmp")
    record.symlink_to("/dev/full")
    web_log = layout.logs / "web.log"
    web_log.rename(layout.logs / "web.before.log")
    web_log.symlink_to("/dev/full")
    web.kill()
    parley.wait_for("What runs could not be recorded: [Errno 28] No space left on device")
    wait_for(lambda: is_up(parley), "web serves again")
    for _ in range(MAX_QUICK_RESTARTS + 1):
        kill_worker(parley)
    parley.wait_for("worker keeps stopping")
    assert answers(f"{parley.url}livez")
    assert can_sign_in(parley.url, *DEMO_LOGINS[0][:2])
    parley.wait_for("takes no lines")
    for path in (record, web_log):
        path.unlink()
    next(process for process in parley.descendants() if DEMO_APPLICATION in process.cmdline()).kill()
    parley.wait_for("demo-provider serves again")
    assert parley.child("demo-provider").is_running()


def is_up(parley: Parley) -> bool:
    try:
        return answers(f"{parley.url}livez")
    except OSError:
        return False


def kill_worker(parley: Parley) -> None:
    """Wait until it is there, and end it."""
    worker = wait_for(lambda: [process for process in parley.descendants() if is_worker(process)], "a worker runs")[0]
    worker.kill()
    psutil.wait_procs([worker], timeout=60)


def is_worker(process: psutil.Process) -> bool:
    try:
        return "worker" in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_after_kill_9_nothing_is_left_and_the_next_start_works(parley: Parley, starts: Starts) -> None:
    orphans = parley.descendants()
    parley.process.kill()
    _, alive = psutil.wait_procs(orphans, timeout=60)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
    parley.wait_stopped()
    assert answers(f"{starts.start('--no-demo').url}livez")


def test_without_the_demo_its_accounts_are_closed(starts: Starts) -> None:
    assert sign_ins(starts.running("--no-demo")) == [False, False]


def test_ctrl_c_stops_everything(parley: Parley) -> None:
    processes = parley.descendants()
    assert parley.stop() == 0
    assert "Stopped in" in parley.output
    assert not [process for process in processes if process.is_running()]


def test_a_start_with_the_demo_opens_its_accounts_again(starts: Starts) -> None:
    assert sign_ins(starts.running("--demo")) == [True, True]


def test_a_second_ctrl_c_does_not_wait(parley: Parley) -> None:
    parley.child("worker").send_signal(signal.SIGSTOP)  # a child that does not react
    parley.press_ctrl_c()
    parley.wait_for("Stopping")
    parley.press_ctrl_c()
    assert parley.wait_stopped() == 130


def sign_ins(parley: Parley) -> list[bool]:
    """Whether each of the demo's people can sign in."""
    return [can_sign_in(parley.url, email, password) for email, password, _ in DEMO_LOGINS]
