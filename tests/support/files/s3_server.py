"""A real S3 server for tests: rclone's, which keeps objects as files of a directory and takes signed requests alone."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from tests.support.system.product import wait_for
from tools.embedded.ports import free_port

BUCKET, ACCESS_KEY, SECRET_KEY = "parley-files", "parley", "of-the-tests-alone"


@dataclass(frozen=True)
class S3Server:
    """A server with one empty bucket."""

    folder: Path
    endpoint: str

    def environment(self, **more: str) -> dict[str, Any]:
        own = {"BUCKET": BUCKET, "ENDPOINT": self.endpoint, "ACCESS_KEY": ACCESS_KEY, "SECRET_KEY": SECRET_KEY, **more}
        return {f"FILES_S3_{name}": value for name, value in own.items()}

    def storages(self, before: Mapping[str, Any], **more: str) -> dict[str, Any]:
        """Return STORAGES with files in the bucket."""
        options = {"bucket": BUCKET, "endpoint": self.endpoint, "region": "us-east-1", "access_key": ACCESS_KEY, "secret_key": SECRET_KEY}
        return {**before, "files": {"BACKEND": "files.store.s3.S3FileStorage", "OPTIONS": {**options, **more}}}

    def names(self) -> list[str]:
        """Return the keys of all objects."""
        bucket = self.folder / BUCKET
        return sorted(str(path.relative_to(bucket)) for path in bucket.rglob("*") if path.is_file())


@contextmanager
def running_s3(folder: Path) -> Iterator[S3Server]:
    """Serve `folder`, in which objects of an earlier server are still there."""
    (folder / BUCKET).mkdir(parents=True, exist_ok=True)
    server = S3Server(folder, f"http://127.0.0.1:{free_port()}")
    program = shutil.which("rclone", path=str(Path(sys.executable).parent)) or "rclone"
    options = [
        "--addr",
        server.endpoint.removeprefix("http://"),
        "--auth-key",
        f"{ACCESS_KEY},{SECRET_KEY}",
        "--config",
        str(folder / "none"),
    ]
    process = subprocess.Popen([program, "serve", "s3", *options, "--vfs-cache-mode", "off", str(folder)], stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: _answers(server.endpoint), "the S3 server answered")
        yield server
    finally:
        process.terminate()
        process.wait(timeout=60)


def _answers(endpoint: str) -> bool:
    try:
        httpx2.get(endpoint, trust_env=False)
    except httpx2.TransportError:
        return False
    return True
