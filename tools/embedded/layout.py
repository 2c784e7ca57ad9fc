"""Paths of the data directory and of the sockets.

Sockets are never in the data directory: a socket path is limited to 104 (macOS) or 108 (Linux) bytes, and several URL parsers fail on
spaces. They are in a short private directory whose name contains a hash of the data directory.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tools.embedded.output import StartError

APP = "parley"
ROOT = Path(__file__).resolve().parents[2]
MAX_SOCKET_PATH_BYTES = 100
LONGEST_SOCKET = "/pg/.s.PGSQL.5432.lock"


@dataclass(frozen=True)
class Layout:
    """The paths of one data directory."""

    data: Path

    @property
    def pgdata(self) -> Path:
        return self.data / "pg18"  # includes the major version, because another one must not open it

    @property
    def valkey(self) -> Path:
        return self.data / "valkey"

    @property
    def valkey_password(self) -> Path:
        return self.data / "valkey.conf"

    @property
    def logs(self) -> Path:
        return self.data / "log"

    @property
    def lock(self) -> Path:
        return self.data / "run.lock"

    @property
    def state(self) -> Path:
        return self.data / "run.json"

    @property
    def secrets(self) -> Path:
        return self.data / "secrets.json"

    @property
    def prepared(self) -> Path:
        return self.data / "prepared.json"

    @property
    def demo_port(self) -> Path:
        return self.data / "demo-port"

    @property
    def sockets(self) -> Path:
        key = hashlib.sha256(os.fsencode(self.data)).hexdigest()[:10]
        for base in (os.environ.get("XDG_RUNTIME_DIR"), "/tmp", tempfile.gettempdir()):  # noqa: S108 make_sockets_dir checks the owner
            if base and " " not in base and os.path.isdir(base) and os.access(base, os.W_OK):
                path = Path(base) / f"{APP}-{os.geteuid()}-{key}"
                if len(os.fsencode(path)) + len(LONGEST_SOCKET) < MAX_SOCKET_PATH_BYTES:
                    return path
        raise StartError("There is no short writable directory for sockets; set XDG_RUNTIME_DIR.")

    @property
    def valkey_socket(self) -> Path:
        return self.sockets / "valkey.sock"

    def make(self) -> None:
        """Create the directories with access for this user only. Raises StartError when the data directory belongs to somebody else."""
        try:
            self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            for path in (self.valkey, self.logs):
                path.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise StartError(f"Cannot create {error.filename}: {error.strerror}. Name another place with --data-dir.") from error
        if self.data.stat().st_uid != os.geteuid():
            raise StartError(
                f"The data directory {self.data} belongs to another user. Start as that user or name another one with --data-dir."
            )
        for path in (self.data, self.valkey, self.logs):
            path.chmod(0o700)  # also directories that an older version made
        self.make_sockets_dir()

    def make_sockets_dir(self) -> None:
        path = self.sockets
        path.mkdir(mode=0o700, exist_ok=True)
        status = path.lstat()  # /tmp is shared, so refuse somebody else's directory or a symlink
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            raise StartError(f"{path} is not ours; remove it or set XDG_RUNTIME_DIR.")
        path.chmod(0o700)

    def remove_sockets_dir(self) -> None:
        """Remove the sockets directory, which is empty after an orderly stop."""
        with contextlib.suppress(OSError):
            self.sockets.rmdir()


def default_data_dir() -> Path:
    return Path(os.environ.get("PARLEY_DATA_DIR") or ROOT / ".data").expanduser().resolve()
