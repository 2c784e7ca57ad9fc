"""The packages of the Python console, fetched from a mirror on this machine that serves real archives made for the test."""

from __future__ import annotations

import hashlib
import io
import json
import threading
import time
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tools.console_wheels import COMPLETE, PYODIDE, ROOT_PACKAGES, PackagesError, fetch, is_wanted, wheels_of

NEEDS = {"numpy": [], "pandas": ["numpy", "pytz"], "matplotlib": ["numpy", "pillow"], "pillow": [], "pytz": [], "scipy": ["numpy"]}


def wheel(name: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        # A ZipInfo has a time of its own, always the same; a name alone would get the time of now, and other bytes two seconds later.
        archive.writestr(zipfile.ZipInfo(f"{name}/__init__.py"), f"name = {name!r}\n")
    return content.getvalue()


class Mirror:
    """Serves `files`; counts what was asked for. `delay_s`: between two halves of a file."""

    def __init__(self) -> None:
        self.files = {f"{name}-1.0-py3-none-any.whl": wheel(name) for name in NEEDS}
        self.requests: list[str] = []
        self.delay_s = 0.0
        mirror = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name = self.path.rpartition("/")[2]
                mirror.requests.append(name)
                content = mirror.files.get(name)
                self.send_response(200 if content is not None else 404)
                self.send_header("Content-Length", str(len(content or b"")))
                self.end_headers()
                half = len(content or b"") // 2
                self.wfile.write((content or b"")[:half])
                time.sleep(mirror.delay_s)
                self.wfile.write((content or b"")[half:])

            def log_message(self, *_: Any) -> None:
                """Keep quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/full/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def packages(self) -> dict[str, dict[str, Any]]:
        """As in the lock file of Pyodide."""
        return {
            name: {"file_name": f"{name}-1.0-py3-none-any.whl", "sha256": hashlib.sha256(wheel(name)).hexdigest(), "depends": needs}
            for name, needs in NEEDS.items()
        }


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    serving = Mirror()
    yield serving
    serving.server.shutdown()
    serving.server.server_close()


def names(folder: Path) -> list[str]:
    return sorted(path.name.partition("-")[0] for path in folder.iterdir())


def test_what_is_wanted_comes_once_with_all_that_it_needs(mirror: Mirror, tmp_path: Path) -> None:
    messages: list[str] = []
    for _ in range(2):
        fetch(mirror.packages, url=mirror.url, into=tmp_path, say=messages.append)
    assert names(tmp_path) == [COMPLETE, "matplotlib", "numpy", "pandas", "pillow", "pytz"]
    assert (tmp_path / "numpy-1.0-py3-none-any.whl").read_bytes() == wheel("numpy")
    assert (len(mirror.requests), messages[-1]) == (5, "Packages of the Python console: 5 of 5")


def test_a_file_that_pyodide_did_not_publish_is_refused_and_the_next_start_goes_on(mirror: Mirror, tmp_path: Path) -> None:
    good = mirror.files["pandas-1.0-py3-none-any.whl"]
    mirror.files["pandas-1.0-py3-none-any.whl"] = b"something else"
    with pytest.raises(PackagesError, match=r"pandas-1\.0.*is not the file that Pyodide published"):
        fetch(mirror.packages, url=mirror.url, into=tmp_path, say=lambda _: None)
    assert not {COMPLETE, "pandas"} & set(names(tmp_path))
    mirror.files["pandas-1.0-py3-none-any.whl"] = good
    fetch(mirror.packages, url=mirror.url, into=tmp_path, say=lambda _: None)
    assert COMPLETE in names(tmp_path)


def test_a_mirror_that_has_not_all_or_is_away_is_said_in_one_sentence(mirror: Mirror, tmp_path: Path) -> None:
    del mirror.files["pillow-1.0-py3-none-any.whl"]
    for url in (mirror.url, "http://127.0.0.1:9/full/"):
        with pytest.raises(PackagesError, match=r"^The Python console has no numpy, pandas and matplotlib: .* can't be reached\. See docs"):
            fetch(mirror.packages, url=url, into=tmp_path, say=lambda _: None)
    assert not list(tmp_path.glob("*.part"))


def test_a_slow_mirror_ends_with_the_time(mirror: Mirror, tmp_path: Path) -> None:
    mirror.delay_s = 0.2
    with pytest.raises(PackagesError, match="took too long"):
        fetch(mirror.packages, url=mirror.url, into=tmp_path, say=lambda _: None, limit_s=0.1)
    assert COMPLETE not in names(tmp_path)


def test_the_lock_of_the_installed_pyodide_names_them_all() -> None:
    wheels = wheels_of(json.loads((PYODIDE / "pyodide-lock.json").read_text())["packages"])
    assert {name for name in ROOT_PACKAGES if any(file.startswith(f"{name}-") for file in wheels)} == set(ROOT_PACKAGES)
    assert all(len(sha256) == 64 for sha256 in wheels.values())


@pytest.mark.parametrize(("name", "value"), [("PYTHON_WHEELS", "/srv/wheels"), ("PYTHON_WHEELS_URL", "off")])
def test_an_operator_who_brings_or_refuses_them_is_asked_for_nothing(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert not is_wanted()
