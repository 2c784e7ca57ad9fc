"""Choice of TCP ports to listen on."""

from __future__ import annotations

import contextlib
import errno
import socket
from pathlib import Path

from tools.embedded.output import StartError

DEFAULT_PORT = 8000
MAX_PORTS_TRIED = 50


def web_port(host: str, fixed_port: int | None) -> int:
    """Return `fixed_port` if given, else the first free port from 8000. Raises StartError when no port is free."""
    if fixed_port is not None:
        if not is_free(host, fixed_port):
            raise StartError(f"Port {fixed_port} on {host} is taken. Stop what uses it, or name another one with --port.")
        return fixed_port
    for port in range(DEFAULT_PORT, DEFAULT_PORT + MAX_PORTS_TRIED):
        if is_free(host, port):
            return port
    raise StartError(f"Ports {DEFAULT_PORT} to {DEFAULT_PORT + MAX_PORTS_TRIED - 1} on {host} are taken; name another one with --port.")


def free_port() -> int:
    """Return a free port on the loopback address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def persistent_port(place: Path) -> int:
    """Return the port stored in this file if it is still free, else a new one, which is stored for the next start.

    So configuration that an admin made with this address still works after a restart.
    """
    with contextlib.suppress(OSError, ValueError, StartError):
        if is_free("127.0.0.1", port := int(place.read_text())):
            return port
    port = free_port()
    place.write_text(str(port))
    return port


def is_free(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
            raise StartError(f"Cannot listen on {host}:{port}: {error.strerror}.") from error
        except OverflowError as error:
            raise StartError(f"{port} is not a port; use 1 to 65535.") from error
    return True
