"""docs/deploy.md, "The wheel": built, installed into an environment of its own, and started outside of the repository."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.deploy.probing import is_up
from tests.support.system.product import product, wait_for
from tools.embedded import ports
from tools.embedded.layout import ROOT

NOT_INSTALLED = {"bench", "docs", "frontend", "parley", "tests"}  # folders of the repository
TIMEOUT_S = 600


def run(*command: str, cwd: Path, env: dict[str, str] | None = None) -> str:
    result = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert result.returncode == 0, (result.stdout + result.stderr)[-3000:]
    return result.stdout + result.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    environment(folder / "tools", "wheel")
    dist = folder / "built"
    run(str(folder / "tools/bin/python"), "-m", "hatchling", "build", "--target", "wheel", "--directory", str(dist), cwd=ROOT)
    [wheel_path] = dist.iterdir()
    return wheel_path


@pytest.fixture(scope="module")
def parley(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of an environment that has the wheel and what the lock names."""
    place = tmp_path_factory.mktemp("installed") / "venv"
    environment(place, "runtime")
    run("python3", "-m", "pip", "--python", str(place / "bin/python"), "install", "--no-deps", "--no-index", str(wheel), cwd=place)
    return place / "bin" / "parley"


def environment(place: Path, lock: str) -> None:
    """Make an environment from a lock, as docs/deploy.md does."""
    run("python3", "-m", "venv", "--without-pip", str(place), cwd=ROOT)
    lock_options = ["--no-deps", "--require-hashes", "-r", str(ROOT / "config" / "locks" / f"{lock}.txt")]
    run("python3", "-m", "pip", "--python", str(place / "bin/python"), "install", "--quiet", *lock_options, cwd=ROOT)


def test_it_has_the_whole_program_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    source_names = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).split()
    expected = {name for name in source_names if "/" in name and name.split("/")[0] not in NOT_INSTALLED and not name.startswith(".")}
    missing = {name for name in expected if f"parley/app/{name}" not in names}
    assert missing == set()
    assert "parley/app/static_build/dist/.vite/manifest.json" in names
    assert not [name for name in names if name.endswith(".pyc") or "node_modules" in name or "/tests/" in name]


def test_it_starts_everything_and_serves_a_page(parley: Path, tmp_path: Path) -> None:
    """Also where the current directory has packages of the same names."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "__init__.py").write_text("raise RuntimeError")
    with started(parley, tmp_path) as url:
        page = httpx2.get(f"{url}/login/", trust_env=False)
        assert page.status_code == 200
        links = re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text)
        assert links
        assert all(is_up(f"{url}{link}") for link in links)
    assert (tmp_path / ".data").is_dir()


@contextmanager
def started(parley: Path, place: Path) -> Iterator[str]:
    """`parley run` in the place, with nothing of this process's environment; gives its address."""
    port, log_path = ports.free_port(), place / "run.log"
    env = {"PATH": os.environ["PATH"], "HOME": str(place), "PYTHON_WHEELS_URL": "off"}
    with log_path.open("wb") as log:
        process = subprocess.Popen([parley, "run", "--port", str(port), "--demo"], cwd=place, env=env, stdout=log, stderr=log)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(lambda: is_up(f"{url}/readyz") or process.poll() is not None, "Parley was ready", timeout_s=TIMEOUT_S)
        assert process.poll() is None, log_path.read_text()[-3000:]
        yield url
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def test_its_commands_are_those_of_the_repository(parley: Path, django_db_setup: None, tmp_path: Path) -> None:
    with product(tmp_path / "data") as running:
        env = {name: value for name, value in running.env.items() if name != "PYTHONPATH"}
        assert "no issues" in run(str(parley), "check", cwd=tmp_path, env=env)
        assert "No migrations to apply" in run(str(parley), "migrate", "--no-input", cwd=tmp_path, env=env)
        assert "errors" in run(str(parley), "doctor", cwd=tmp_path, env=env)
