"""The image of deploy/Containerfile, built without a daemon and without a registry: over a Debian made here, and run in a chroot.

What python:3.13-slim-bookworm is elsewhere is here a Debian 12 with its own Python, made by mmdebstrap once and kept in `.data-deploy`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.system.product import wait_for
from tools.embedded.layout import ROOT
from tools.embedded.programs import listening

CACHE_DIR = ROOT / ".data-deploy"
BASE = "localhost/parley-base:bookworm"
IMAGE = "localhost/parley:test"
BUILDAH = ["buildah", "--storage-driver", "vfs", "--root", str(CACHE_DIR / "store"), "--runroot", str(CACHE_DIR / "runroot")]
# `usrmerge` brings all of Perl, 47 MB, which the base of the Containerfile does not have; `usr-is-merged` does in its place.
BASE_PACKAGES = ("usr-is-merged", "python3-minimal", "python3-venv", "ca-certificates", "libstdc++6")
WITHOUT_PERL = '--customize-hook=chroot "$1" dpkg --purge usrmerge libfile-find-rule-perl libnumber-compare-perl libtext-glob-perl perl perl-modules-5.36 libperl5.36'
DEBIAN = ["mmdebstrap", "--mode=root", "--format=tar"]
LEFT_OUT = [f"--dpkgopt=path-exclude=/usr/share/{folder}/*" for folder in ("doc", "man", "info", "locale")]
# How pip and npm of this machine reach their indexes.
INDEX_FILES = [Path("/etc/ssl/certs"), Path("/etc/pip.conf"), Path.home() / ".npmrc"]
ENVIRONMENT = ("PATH", "HOME", "LANG", "http_proxy", "https_proxy", "no_proxy")
# A root that can't be written, with a /tmp and a /data of its own.
RUN = """
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mount -t tmpfs tmpfs "$1/tmp"
mount -t tmpfs -o uid=10001,gid=10001,mode=0700 tmpfs "$1/data"
mount -o remount,bind,ro "$1"
root="$1"; shift
exec chroot --userspec=10001:10001 "$root" /usr/bin/env --chdir=/app "$@"
"""


def run(*command: str, timeout_s: float = 1500) -> str:
    """Return the command's output. Raises AssertionError with what it said."""
    env = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}  # mmdebstrap fails with LD_LIBRARY_PATH
    result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=timeout_s)
    assert result.returncode == 0, (result.stdout + result.stderr)[-3000:]
    return result.stdout


def debian(target: Path, variant: str, *packages: str, hooks: Sequence[str] = ()) -> Path:
    """Return a tar file of a Debian 12 with these packages, made when it is not there. `hooks`: further options of mmdebstrap."""
    if not target.exists():
        target.parent.mkdir(exist_ok=True)
        partial_path = target.with_suffix(".part")
        run(*DEBIAN, f"--variant={variant}", *LEFT_OUT, *hooks, f"--include={','.join(packages)}", "bookworm", str(partial_path))
        partial_path.rename(target)
    return target


def build() -> dict[str, Any]:
    """Return what buildah says of the image, which was built anew where something has changed."""
    if BASE not in run(*BUILDAH, "images", "--format", "{{.Name}}:{{.Tag}}").split():
        tar = debian(CACHE_DIR / "base.tar", "essential", *BASE_PACKAGES, hooks=[WITHOUT_PERL])
        container = run(*BUILDAH, "from", "scratch").strip()
        run(*BUILDAH, "add", container, str(tar), "/")
        run(*BUILDAH, "commit", "--rm", container, BASE)
    volumes = [each for path in INDEX_FILES if path.exists() for each in ("--volume", f"{path}:{path}:ro")]
    arguments = ["--build-arg", f"BASE={BASE}", "--build-arg", "PIP_CERT=/etc/ssl/certs/ca-certificates.crt"]
    options = ["--isolation", "chroot", "--pull-never", "--layers", "--format", "docker", *volumes, *arguments]
    run(*BUILDAH, "bud", *options, "--file", str(ROOT / "deploy" / "Containerfile"), "--tag", IMAGE, str(ROOT))
    return dict(json.loads(run(*BUILDAH, "inspect", "--type", "image", IMAGE))["Docker"])


@contextmanager
def mounted() -> Iterator[Path]:
    """The image's files."""
    container = run(*BUILDAH, "from", "--pull-never", IMAGE).strip()
    try:
        yield Path(run(*BUILDAH, "mount", container).strip())
    finally:
        run(*BUILDAH, "rm", container)


def output_of(root: Path, script: str, env: Mapping[str, str]) -> str:
    """Return what a shell of the image says, both outputs together. Raises AssertionError with it."""
    return run(*_command(root, ["sh", "-ec", script], env))


def _command(root: Path, command: list[str], env: Mapping[str, str]) -> list[str]:
    """The command as the image's user, with nothing but `env`."""
    return ["unshare", "--mount", "sh", "-c", RUN, "sh", str(root), "-i", *(f"{name}={value}" for name, value in env.items()), *command]


@contextmanager
def running(root: Path, command: list[str], env: Mapping[str, str], port: int, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the image, once it listens."""
    with log.open("wb") as output:
        process = subprocess.Popen(_command(root, command, env), stdout=output, stderr=output)
    try:
        wait_for(lambda: listening(("127.0.0.1", port)) or process.poll() is not None, "the image's process was listening")
        assert process.poll() is None, log.read_text()[-3000:]
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
