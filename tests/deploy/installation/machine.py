"""A fresh Debian 12 that systemd has booted, without a network, in which a page of docs/ is played line by line."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.deploy.installation.image import CACHE_DIR, INDEX_FILES, debian
from tests.support.system.product import wait_for
from tests.system.next_version import copy_code
from tools.embedded.layout import ROOT

PACKAGES = ("systemd", "systemd-sysv", "dbus", "ca-certificates")
# systemd-nspawn wants the one hierarchy of cgroups; where the machine has the old ones, the new one is put over them for it alone.
NSPAWN = """
set -e
mount --make-rprivate /
if [ ! -f /sys/fs/cgroup/cgroup.controllers ]; then
    umount -Rl /sys/fs/cgroup
    mount -t cgroup2 none /sys/fs/cgroup
fi
exec systemd-nspawn --quiet --keep-unit --register=no --machine=parley-deploy --console=pipe "$@"
"""


def block(page: str, name: str) -> list[str]:
    """Return the commands of the block after `<!-- name -->`, each with its continued lines."""
    match = re.search(rf"<!-- {name} -->\n```\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)
    assert match is not None, name
    return re.sub(r"\\\n\s*", "", match[1]).strip().splitlines()


def fresh_machine() -> Path:
    """Return the root of a new machine, with this code in /opt/parley and what pip and npm need here to reach their indexes."""
    tar, root = debian(CACHE_DIR / "machine.tar", "minbase", *PACKAGES), CACHE_DIR / "machine"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    subprocess.run(["tar", "--extract", "--file", tar, "--directory", root], check=True)
    copy_code(root / "opt" / "parley")
    for path in INDEX_FILES:
        if path.exists():
            subprocess.run(["cp", "-rL", "--remove-destination", path, root / path.relative_to("/").parent], check=True)
    return root


def run_before_boot(root: Path, script: str, log: Path) -> None:
    """Run the script in the machine, which has this one's network. Raises AssertionError with the end of its log."""
    command = ["unshare", "--mount", "bash", "-c", NSPAWN, "nspawn", "--directory", str(root)]
    environment = ["--setenv=PIP_CERT=/etc/ssl/certs/ca-certificates.crt", "--setenv=DEBIAN_FRONTEND=noninteractive"]
    _run([*command, *environment, "bash", "-euxc", script], log, timeout_s=1500)


class Machine:
    """A booted machine. It has a loopback of its own and no other network."""

    def __init__(self, leader: int, root: Path) -> None:
        self.leader, self.root = leader, root

    def run(self, script: str, log: Path) -> None:
        """Run the script in a shell there, as root. Raises AssertionError with the end of its log."""
        inside = ["nsenter", "--target", str(self.leader), "--mount", "--pid", "--net", "--ipc", "--uts"]
        clean = ["/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"]
        _run([*inside, *clean, "bash", "-euxo", "pipefail", "-c", f"cd /opt/parley\n{script}"], log, timeout_s=600)

    def beside(self, *arguments: str) -> list[str]:
        """Return the command of a Python program of this repository that has the machine's network."""
        return ["nsenter", "--target", str(self.leader), "--net", sys.executable, *arguments]


@contextmanager
def running_machine(root: Path, log: Path) -> Iterator[Machine]:
    command = ["unshare", "--mount", "bash", "-c", NSPAWN, "nspawn", "--directory", str(root), "--private-network", "--boot"]
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        machine = Machine(wait_for(lambda: _first_process(process.pid), "the machine was there"), root)
        machine.run("until systemctl is-system-running --wait; do sleep 0.2; done", log.with_suffix(".boot"))
        yield machine
    finally:
        for child in psutil.Process(process.pid).children(recursive=True):
            child.kill()  # the first process of its namespace takes all others along
        process.kill()
        process.wait(60)


def _first_process(nspawn: int) -> int:
    """Return the machine's systemd, as this machine numbers it; 0 before it has its root."""
    pids = [child.pid for child in psutil.Process(nspawn).children(recursive=True) if child.name() == "systemd"]
    return pids[0] if pids and Path(f"/proc/{pids[0]}/root/opt/parley").is_dir() else 0


def _run(command: list[str], log: Path, timeout_s: float) -> None:
    with log.open("ab") as output:
        code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=timeout_s).returncode
    assert code == 0, log.read_text(errors="replace")[-4000:]
