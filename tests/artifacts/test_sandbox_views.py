"""The pages of the sandboxed frames: what they may load, and who may show them (SECURITY 17)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from artifacts.sandbox_views import FRAMES

POLICY = "Content-Security-Policy"
STATIC = "http://testserver/static"


@pytest.fixture(autouse=True)
def _a_build(settings: Settings, tmp_path: Path) -> None:
    """What the build of the front end writes about the frames' scripts."""
    manifest = tmp_path / "dist" / ".vite" / "manifest.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text(json.dumps({frame.entry: {"file": f"assets/{name}.js"} for name, frame in FRAMES.items()}))
    settings.STATICFILES_DIRS = [tmp_path]


def policy_of(client: Client, name: str) -> dict[str, str]:
    response = client.get(f"/sandbox/{name}/")
    assert response.status_code == 200
    parts = (part.strip().partition(" ") for part in response[POLICY].split(";"))
    return {name: sources for name, _, sources in parts}


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_has_an_origin_of_its_own_and_no_address_but_our_script_files(client: Client, name: str) -> None:
    policy = policy_of(client, name)
    assert policy["sandbox"] == "allow-scripts"
    assert policy["default-src"] == "'none'"
    assert f'src="/static/dist/assets/{name}.js"' in client.get(f"/sandbox/{name}/").content.decode()
    allowed = {source for sources in policy.values() for source in sources.split() if source.startswith("http")}
    assert allowed <= {f"{STATIC}/dist/", f"{STATIC}/pyodide/"}
    for source in ("'unsafe-eval'", "'self'", "*", "allow-same-origin"):
        assert source not in {word for directive, sources in policy.items() if directive != "frame-ancestors" for word in sources.split()}


def test_the_diagram_frame_loads_scripts_only_and_connects_to_nothing(client: Client) -> None:
    policy = policy_of(client, "mermaid")
    assert (policy["script-src"], policy["connect-src"], policy["img-src"]) == (f"{STATIC}/dist/", "'none'", "data:")


def test_only_the_python_frame_is_isolated_from_its_page(client: Client) -> None:
    header = "Document-Isolation-Policy"
    assert client.get("/sandbox/python/")[header] == "isolate-and-require-corp"
    assert header not in client.get("/sandbox/mermaid/").headers


def test_our_own_pages_may_show_a_frame_and_no_others(client: Client) -> None:
    response = client.get("/sandbox/python/")
    assert "X-Frame-Options" not in response.headers
    assert "frame-ancestors 'self'" in response[POLICY]


def test_the_page_of_a_frame_knows_nobody(client: Client) -> None:
    response = client.get("/sandbox/python/")
    assert response.cookies == {}
    assert "Vary" not in response.headers or "Cookie" not in response.headers["Vary"]


def test_there_are_no_other_frames(client: Client, db: None) -> None:
    assert client.get("/sandbox/else/").status_code == 404
    assert client.post("/sandbox/python/").status_code == 405


def test_the_addresses_follow_the_host_of_the_request(client: Client, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["chat.example.org"]
    response = client.get("/sandbox/python/", headers={"host": "chat.example.org"})
    assert "connect-src http://chat.example.org/static/dist/ http://chat.example.org/static/pyodide/" in response[POLICY]
