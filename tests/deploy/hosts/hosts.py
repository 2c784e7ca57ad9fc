"""Hosts on one machine: network namespaces at a bridge, each with an address of its own, which can be cut off. Needs root."""

from __future__ import annotations

import ctypes
import os
import random
import secrets
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

CLONE_NEWNET = 0x40000000
PREFIX = 24
_libc = ctypes.CDLL(None, use_errno=True)


class Host:
    """One namespace with a cable to the bridge."""

    def __init__(self, name: str, cable: str, address: str) -> None:
        self.name, self.address = name, address
        self._cable = cable

    @contextmanager
    def inside(self) -> Iterator[None]:
        """This thread is on the host meanwhile, and so is what it starts and what it connects to."""
        with Path("/proc/thread-self/ns/net").open() as before, Path("/run/netns", self.name).open() as there:
            _enter(there.fileno())
            try:
                yield
            finally:
                _enter(before.fileno())

    def cut_off(self) -> None:
        """Pull the cable: packets are lost, and nobody is told."""
        run("ip", "link", "set", self._cable, "down")

    def reconnect(self) -> None:
        run("ip", "link", "set", self._cable, "up")


class Network:
    """A bridge, at which this machine has `address`."""

    def __init__(self) -> None:
        self._token = secrets.token_hex(3)
        self._bridge, self._base = f"plb{self._token}", f"10.213.{random.randrange(256)}"
        self.address = f"{self._base}.1"
        self.addresses = f"{self._base}.0/{PREFIX}"
        self._hosts = list[Host]()
        run("ip", "link", "add", self._bridge, "type", "bridge")
        run("ip", "addr", "add", f"{self.address}/{PREFIX}", "dev", self._bridge)
        run("ip", "link", "set", self._bridge, "up")

    def host(self, name: str) -> Host:
        """Add a host."""
        number = len(self._hosts) + 2
        host = Host(f"parley-{self._token}-{name}", f"plc{self._token}{number}", f"{self._base}.{number}")
        run("ip", "netns", "add", host.name)
        self._hosts.append(host)
        run("ip", "link", "add", host._cable, "type", "veth", "peer", "name", "eth0", "netns", host.name)
        run("ip", "link", "set", host._cable, "master", self._bridge, "up")
        run("ip", "-n", host.name, "addr", "add", f"{host.address}/{PREFIX}", "dev", "eth0")
        for device in ("lo", "eth0"):
            run("ip", "-n", host.name, "link", "set", device, "up")
        return host

    def remove(self) -> None:
        """Remove all of it, and kill what still runs in the namespaces."""
        for host in self._hosts:
            for pid in subprocess.run(["ip", "netns", "pids", host.name], capture_output=True, text=True).stdout.split():
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            subprocess.run(["ip", "netns", "del", host.name])
        subprocess.run(["ip", "link", "del", self._bridge])


@contextmanager
def running_network() -> Iterator[Network]:
    network = Network()
    try:
        yield network
    finally:
        network.remove()


def run(*command: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, f"{' '.join(command)}: {result.stderr}"


def _enter(namespace: int) -> None:
    if _libc.setns(namespace, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns failed")
