"""The demo's accounts have published passwords: without being asked, they are opened on this machine only."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.embedded.__main__ import ready_message
from tools.embedded.environment import DATABASE_VARIABLES
from tools.embedded.layout import Layout
from tools.embedded.options import Options, parse_options
from tools.embedded.stack import Stack


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*DATABASE_VARIABLES, "PUBLIC_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("arguments", "environ", "demo"),
    [
        ("", {}, True),
        ("--host localhost", {"PUBLIC_URL": ""}, True),
        ("--host ::1", {"PUBLIC_URL": "http://[::1]:8000"}, True),
        ("--host 0.0.0.0", {}, False),
        ("--host 192.168.1.7", {}, False),
        ("--host ::", {"PUBLIC_URL": "http://127.0.0.1:8000"}, False),
        ("", {"PUBLIC_URL": "https://chat.example.org"}, False),
        ("", {"PUBLIC_URL": "localhost"}, False),  # no address: the start refuses it
        ("", {"DATABASE_URL": "postgresql://app@db/parley"}, False),
        ("--demo --host 0.0.0.0", {}, True),
        ("--no-demo", {}, False),
    ],
)
def test_the_demo_is_for_this_machine_unless_asked_for(
    arguments: str, environ: dict[str, str], demo: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert parse_options(["run", *arguments.split()]).demo is demo


@pytest.mark.parametrize(
    ("arguments", "public_url", "warning"),
    [
        ("", "", ""),
        ("--demo", "https://chat.example.org", "These passwords are public and others can reach this address"),
        ("--demo --host 0.0.0.0", "", "These passwords are public and others can reach this address"),
        ("", "https://chat.example.org", "the demo accounts are closed"),
        ("--no-demo", "", ""),
    ],
)
def test_the_terminal_warns_where_others_reach_the_demo(
    arguments: str, public_url: str, warning: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUBLIC_URL", public_url)
    options = parse_options(["run", *arguments.split()])
    message = ready_message(Stack(Layout(tmp_path), options, port=8000, demo_port=None, postgres=None, valkey=None), seconds=1)
    assert warning in message
    assert ("others can reach" in message.lower()) == bool(warning)
    assert ("parley-demo" in message) == options.demo


@pytest.mark.parametrize(
    ("host", "environ", "files_url"),
    [
        ("127.0.0.1", {}, "http://localhost:8000"),
        ("localhost", {}, "http://127.0.0.1:8000"),
        ("::1", {}, "http://localhost:8000"),
        ("0.0.0.0", {}, ""),  # other machines know neither name
        ("127.0.0.1", {"PUBLIC_URL": "https://chat.example.org"}, ""),
        ("127.0.0.1", {"FILES_URL": "https://files.example.org"}, "https://files.example.org"),
    ],
)
def test_files_have_an_origin_of_their_own_on_this_machine(
    host: str, environ: dict[str, str], files_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("FILES_URL", raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    layout = Layout(tmp_path)
    layout.make()
    stack = Stack(layout, Options(tmp_path, host=host), 8000, demo_port=None, postgres=None, valkey=None)
    assert stack.environment()["FILES_URL"] == files_url
