"""How PostgreSQL runs for this user: unchanged, in a user namespace, or (root only) as `nobody`."""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
import sys
from pathlib import Path

from tools.embedded.output import StartError

NSEXEC = str(Path(__file__).with_name("nsexec.py"))


def wrap_command(command: list[str], stop_signal: signal.Signals, privileges: list[str] | None = None) -> list[str]:
    """Return `command` run by the exec helper, with `privileges`, and with `stop_signal` when its parent dies (Linux)."""
    options = list(privileges or [])
    if sys.platform == "linux":
        options += ["--pdeathsig", str(int(stop_signal))]
    return [sys.executable, "-IS", NSEXEC, *options, "--", *command] if options else command


def postgres_privileges() -> list[str]:
    """Return the exec helper's options for PostgreSQL, which refuses root and a uid without a passwd entry.

    Raises StartError when PostgreSQL can't run as this user.
    """
    is_root = os.geteuid() == 0
    if not is_root and has_passwd_entry():
        return []
    if sys.platform == "linux" and user_namespaces_work():
        return ["--map-user", str(nobody())]
    if is_root:
        return ["--setuid", str(nobody())]
    raise StartError("PostgreSQL cannot run as this user: it has no passwd entry and user namespaces are closed. Set DATABASE_URL.")


def has_passwd_entry() -> bool:
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return True


def nobody() -> int:
    return pwd.getpwnam("nobody").pw_uid


def user_namespaces_work() -> bool:
    trial = [sys.executable, "-IS", NSEXEC, "--map-user", str(nobody()), "--", sys.executable, "-IS", "-c", ""]
    return subprocess.run(trial, capture_output=True).returncode == 0


def check_reachable(*paths: Path) -> None:
    """Raise StartError unless `nobody` can reach the data and the binaries. Parent directories are never chmod-ed silently."""
    for path in paths:
        probe = [sys.executable, "-IS", NSEXEC, "--setuid", str(nobody()), "--", "/usr/bin/test", "-x", str(path)]
        if subprocess.run(probe, capture_output=True).returncode:
            raise StartError(
                f"The user nobody, who runs the database here, cannot reach {path}. Use a world-readable place or a normal user."
            )
