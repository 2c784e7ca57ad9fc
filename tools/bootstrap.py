"""First start on a bare machine: make `.venv` from the lock files and build the front end.

    python3 -m tools.bootstrap run     # what `make run` needs
    python3 -m tools.bootstrap test    # the same plus the tools for tests and checks

Needs Python 3.11 and pip, nothing else (not even ensurepip, which Debian packages separately). Older Python versions can parse this file,
so that they print a sentence instead of a syntax error.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.metadata
import shutil
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
LOCKS = ROOT / "config" / "locks"
STAMP = VENV / ".parley-lock"
LOGS = VENV / "log"
MIN_PYTHON = (3, 11)
MIN_PIP = (22, 3)  # the first version with `pip --python`
COMPILE_EXCLUDE = r"/(tests?|testing|conch|lib2to3)/"  # never imported here, but a quarter of the compile time
NETWORK_ERROR_MARKERS = (
    "NewConnectionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "Temporary failure",
    "SSLError",
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "(from versions: none)",
    "SELF_SIGNED_CERT",
)
LOG_LINES_SHOWN = 20
START_TIME = time.monotonic()


class BootstrapError(Exception):
    """The environment could not be made. The message is one sentence for the user at the terminal."""


def say(text: str) -> None:
    print(f"[{time.monotonic() - START_TIME:5.1f} s] {text}", flush=True)


def check_python() -> None:
    if sys.version_info < MIN_PYTHON:
        raise BootstrapError(
            f"Parley needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}. Name another one: make PYTHON=python3.12"
        )


def check_pip() -> None:
    try:
        version = importlib.metadata.version("pip")
    except importlib.metadata.PackageNotFoundError:
        raise BootstrapError(f"{sys.executable} has no pip. Install it (Debian, Ubuntu: python3-pip) and start again.") from None
    if tuple(int(part) for part in version.split(".")[:2]) < MIN_PIP:
        raise BootstrapError(f"pip {version} is too old; Parley needs 22.3 or newer: {sys.executable} -m pip install --upgrade pip")


@contextlib.contextmanager
def exclusive_lock() -> Iterator[None]:
    """Let only one process at a time set things up. The kernel releases the lock when the process ends."""
    with (ROOT / ".bootstrap.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say("another start is setting things up; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def lock_hash(name: str) -> str:
    python = "{}.{}".format(*sys.version_info[:2])
    return hashlib.sha256((LOCKS / f"{name}.txt").read_bytes() + python.encode()).hexdigest()


def is_installed(name: str) -> bool:
    """Return whether `.venv` holds this lock file. The dev lock contains the runtime lock."""
    hashes = {lock_hash(name), lock_hash("dev")}
    return VENV_PYTHON.exists() and STAMP.exists() and STAMP.read_text() in hashes


def make_venv() -> None:
    site_packages = VENV / "lib" / "python{}.{}".format(*sys.version_info[:2])
    usable = VENV_PYTHON.exists() and site_packages.exists()
    if not usable:
        shutil.rmtree(VENV, ignore_errors=True)
        venv.EnvBuilder(with_pip=False, symlinks=True).create(VENV)
    LOGS.mkdir(exist_ok=True)


def run_logged(command: list[str], log: Path, failure: str) -> None:
    """Run `command` with its output in `log`. On failure raise BootstrapError with `failure` and the end of the log."""
    with log.open("wb") as output:
        code = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output).returncode
    if code == 0:
        return
    text = log.read_text(errors="replace")
    if any(sign in text for sign in NETWORK_ERROR_MARKERS):
        failure += " The package registry could not be reached: check the network, proxy and mirror settings."
    end = "\n".join(f"    {line}" for line in text.strip().splitlines()[-LOG_LINES_SHOWN:])
    raise BootstrapError(f"{failure} The end of {log}:\n{end}")


def pip_install(lock: str) -> None:
    """Install one lock file into `.venv`. The locks are complete, so pip has nothing to resolve (--no-deps)."""
    options = ["--require-hashes", "--no-deps", "--no-compile", "--no-input", "--progress-bar", "off", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "--python", str(VENV_PYTHON), "install", *options, "-r", str(LOCKS / f"{lock}.txt")]
    run_logged(command, LOGS / f"pip-{lock}.log", f"Installing the Python packages of {lock}.txt failed.")


def install_python(lock: str) -> None:
    pip_install(lock)
    say("Python packages are installed; compiling them")
    # One parallel pass instead of pip's serial one. Without it every child process would compile modules on first import.
    compile_all = [str(VENV_PYTHON), "-m", "compileall", "-q", "-j", "0", "-x", COMPILE_EXCLUDE, str(VENV / "lib")]
    subprocess.run(compile_all, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    STAMP.write_text(lock_hash(lock))
    say("Python packages are ready")


def build_front_end() -> None:
    pip_install("build")
    say("Node is installed; building the front end")
    run_logged([str(VENV_PYTHON), "-m", "tools.frontend", "build"], LOGS / "frontend.log", "Building the front end failed.")
    say("the front end is built")


def in_parallel(steps: list[Callable[[], None]]) -> None:
    """Run the steps in parallel, wait for all of them, and raise the first error."""
    errors: list[BaseException] = []

    def guarded(step: Callable[[], None]) -> None:
        try:
            step()
        except BaseException as error:  # passed to the main thread
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(step,), daemon=True) for step in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def bootstrap(purpose: str) -> None:
    from tools import frontend

    lock = "dev" if purpose == "test" else "runtime"
    steps: list[Callable[[], None]] = []
    if not is_installed(lock):
        steps.append(lambda: install_python(lock))
    if not frontend.is_build_current() or (purpose == "test" and not frontend.can_run(VENV)):
        steps.append(build_front_end)
    if not steps:
        return
    check_pip()
    say("setting up .venv and the front end (once, about a minute)" if len(steps) > 1 else "setting up what has changed")
    make_venv()
    in_parallel(steps)


def main() -> int:
    try:
        check_python()
        with exclusive_lock():
            bootstrap(sys.argv[1])
    except BootstrapError as error:
        print(f"parley: {error}", file=sys.stderr)
        return 1
    except PermissionError as error:
        print(f"parley: cannot write {error.filename}; run as the owner of {ROOT}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
