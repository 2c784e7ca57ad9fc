"""The GitHub picker's calls and the GitHub agent's token: the member's own, refused in a sentence, and nobody else's."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from admin_config.models import AppSettings, ToolSource
from admin_config.services.configuration import release_publish
from files.models import File
from tenants.context import tenant_tx
from tests.rest.conftest import signed_in
from tests.support.accounts.cast import Cast
from tests.support.agents.mcp import MCP_TOKEN, ServedMcp, github
from tests.support.chat.seeding import seed_organization

__all__ = ["github"]

API = "/o/acme/api/"


@pytest.fixture(autouse=True)
def github_at_the_double(cast: Cast, github: ServedMcp, settings: Settings) -> None:
    settings.DEMO_PROVIDER_URL, settings.PROVIDER_KEYS = "", {}
    for organization in (cast.acme, cast.other):
        with tenant_tx(organization.pk):
            seed_organization(organization)
            AppSettings.objects.update(own_keys_allowed=True)
            ToolSource.objects.filter(kind="github").update(settings={"url": github.url})
            release_publish(organization_id=organization.pk)


@pytest.fixture
def bob(cast: Cast) -> Client:
    return signed_in(cast.bob)


def enter(client: Client, token: str = MCP_TOKEN) -> None:
    body = {"provider": "github", "key": token}
    assert client.put(f"{API}keys/", body, content_type="application/json").status_code == 200


def post(client: Client, path: str, body: Any = None) -> Any:
    return client.post(API + path, body or {}, content_type="application/json")


def test_repositories_folders_and_files_come_with_the_members_token(cast: Cast, bob: Client, github: ServedMcp) -> None:
    enter(bob)
    assert post(bob, "keys/github/check/").json() == {"result": "ok", "message": "GitHub accepts this token."}
    repositories = bob.get(f"{API}github/repositories/?query=tea").json()["items"]
    assert repositories == [{"name": "demo/tea", "description": "A small shop for tea.", "private": False}]
    entries = bob.get(f"{API}github/folder/?repository=demo/tea").json()["items"]
    assert [(entry["name"], entry["kind"]) for entry in entries] == [("docs", "dir"), ("README.md", "file"), ("shop.py", "file")]
    inside = bob.get(f"{API}github/folder/?repository=demo/tea&path=docs").json()["items"]
    assert [entry["path"] for entry in inside] == ["docs/brewing.md", "docs/logo.png"]
    for path, kind in (("shop.py", "text"), ("docs/logo.png", "image")):
        response = post(bob, "github/files/", {"repository": "demo/tea", "path": path})
        assert (response.status_code, response.json()["name"], response.json()["kind"]) == (201, path.rpartition("/")[2], kind)
    with tenant_tx(cast.acme.pk):
        assert "PRICES" in File.objects.get(name="shop.py").text
    assert {request.headers["authorization"] for request in github.requests} == {f"Bearer {MCP_TOKEN}"}


def test_a_token_that_comes_with_the_request_is_used(bob: Client) -> None:
    """Only for GitHub's own address: whoever sends a token means GitHub, not a server that an admin entered."""
    answer = bob.get(f"{API}github/repositories/", headers={"x-github-pat": MCP_TOKEN})
    assert answer.status_code == 409
    assert "this organization uses another address" in answer.json()["error"]["message"]


def test_without_a_token_or_with_a_wrong_one_a_sentence_says_what_helps(bob: Client, github: ServedMcp) -> None:
    missing = bob.get(f"{API}github/repositories/")
    assert (missing.status_code, missing.json()["error"]["code"], missing.json()["error"]["action"]) == (409, "key_missing", "settings")
    assert "“API keys”" in missing.json()["error"]["message"]
    enter(bob, "ghp_wrong_wrong_wrong_wrong_wrong")
    response = bob.get(f"{API}github/repositories/")
    assert (response.status_code, response.json()["error"]["code"]) == (409, "key_rejected")
    assert "did not accept your access token" in response.json()["error"]["message"]
    assert post(bob, "keys/github/check/").json()["result"] == "refused"
    github.status = 503
    assert "a fault of its own" in bob.get(f"{API}github/repositories/").json()["error"]["message"]


@pytest.mark.parametrize(("repository", "path"), [("demo/tea", "../secrets"), ("demo/tea", "nothing.md"), ("tea", ""), ("demo/none", "")])
def test_only_what_is_there_is_opened(bob: Client, repository: str, path: str) -> None:
    enter(bob)
    assert bob.get(f"{API}github/folder/?repository={repository}&path={path}").status_code in (400, 404)
    assert post(bob, "github/files/", {"repository": repository, "path": path}).status_code in (400, 404)


def test_nobody_uses_the_token_of_another(cast: Cast, bob: Client) -> None:
    enter(bob)
    for user, slug, status in (
        (cast.alice, "acme", 409),
        (cast.charlie, "other", 409),
        (cast.charlie, "acme", 404),
        (cast.vera, "acme", 403),
    ):
        assert signed_in(user).get(f"/o/{slug}/api/github/repositories/").status_code == status
