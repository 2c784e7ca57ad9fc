"""Every way in that changes something writes an audit event, or is listed with the reason why not. A new one that is not listed fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.options import ModelAdmin
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from admin_config.admin.sites import operator_site, organization_site
from chat.models import Message
from tenants.admin import AuditedAdmin
from tenants.context import tenant_tx
from tests.artifacts.support import make_artifact
from tests.rest.conftest import make_conversation
from tests.security.audit.audited_calls import ADMIN_PAGES, EXPORTS, REST, Event
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events

TESTS = Path(__file__).resolve().parents[2]
MOUNT = "o/<slug:slug>/"
UNSAFE = ("post", "put", "patch", "delete")


def rest_calls(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[str]:
    for entry in patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from rest_calls(entry.url_patterns, path)
            continue
        view = getattr(entry.callback, "view_class", None) or getattr(entry.callback, "cls", None)
        if path.startswith(f"{MOUNT}api/") and view is not None:
            yield from (f"{method.upper()} {path.removeprefix(MOUNT)}" for method in UNSAFE if hasattr(view, method))


def test_every_rest_call_that_changes_something_is_listed() -> None:
    assert set(rest_calls(get_resolver().url_patterns)) == set(REST)


def admin_classes() -> list[ModelAdmin[Any]]:
    return [*organization_site._registry.values(), *operator_site._registry.values()]


def test_every_admin_class_writes_events() -> None:
    """But for pages whose services do, whichever page calls them."""
    for page in admin_classes():
        assert isinstance(page, AuditedAdmin), page
        writers = {getattr(type(page), log).__module__ for log in ("log_addition", "log_change", "log_deletions")}
        assert writers <= {"tenants.admin", "admin_config.admin.base"}, page
        for log in ("construct_change_message", "get_object"):
            assert getattr(type(page), log) is getattr(AuditedAdmin, log), (page, log)


def test_every_other_admin_page_is_listed() -> None:
    usual = ("changelist", "add", "history", "delete", "change")
    names = {
        str(url.name)
        for page in admin_classes()
        for url in page.get_urls()
        if getattr(url, "name", None) and not str(url.name).endswith(tuple(f"_{page.opts.model_name}_{kind}" for kind in usual))
    }
    assert names == set(ADMIN_PAGES)


@pytest.mark.parametrize("call", [*REST, *ADMIN_PAGES])
def test_an_event_of_another_test_is_asserted_there(call: str) -> None:
    event = (REST | ADMIN_PAGES)[call]
    if isinstance(event, Event) and event.where != "here":
        assert event.action in (TESTS / event.where).read_text()


@pytest.fixture
def bob(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.bob)
    return client


def delete_file(cast: Cast, bob: Client) -> None:
    response = bob.post("/o/acme/api/files/", {"file": SimpleUploadedFile("tea.txt", b"Tea is a drink.")})
    assert bob.delete(f"/o/acme/api/files/{response.json()['id']}/").status_code == 204


def delete_conversation(cast: Cast, bob: Client) -> None:
    assert bob.delete(f"/o/acme/api/conversations/{make_conversation(cast, cast.bob)}/").status_code == 204


def restore_conversation(cast: Cast, bob: Client) -> None:
    conversation_id = make_conversation(cast, cast.bob)
    assert bob.delete(f"/o/acme/api/conversations/{conversation_id}/").status_code == 204
    assert bob.post(f"/o/acme/api/conversations/{conversation_id}/restore/", content_type="application/json").status_code == 200


def delete_message(cast: Cast, bob: Client) -> None:
    conversation_id = make_conversation(cast, cast.bob)
    with tenant_tx(cast.acme.pk):
        message = Message.objects.create(conversation_id=conversation_id, role=Message.Role.USER)
    assert bob.delete(f"/o/acme/api/conversations/{conversation_id}/messages/{message.pk}/").status_code == 204


def make_secret(cast: Cast, bob: Client) -> Any:
    body = {"name": "api", "tool": "http", "url": "https://api.example", "value": "token-0123456789"}
    return bob.post("/o/acme/api/secrets/", body, content_type="application/json").json()["id"]


def delete_secret(cast: Cast, bob: Client) -> None:
    assert bob.delete(f"/o/acme/api/secrets/{make_secret(cast, bob)}/").status_code == 204


def make_token(cast: Cast, bob: Client) -> Any:
    return bob.post("/o/acme/api/tokens/", {"name": "laptop", "scopes": ["read"]}, content_type="application/json").json()["id"]


def revoke_token(cast: Cast, bob: Client) -> None:
    assert bob.delete(f"/o/acme/api/tokens/{make_token(cast, bob)}/").status_code == 204


def rotate_token(cast: Cast, bob: Client) -> None:
    response = bob.post(f"/o/acme/api/tokens/{make_token(cast, bob)}/rotate/", {}, content_type="application/json")
    assert response.status_code in {200, 201}, response.content


CALLED_HERE: dict[str, Callable[[Cast, Client], object]] = {
    "DELETE api/files/<uuid:file_id>/": delete_file,
    "DELETE api/conversations/<str:key>/": delete_conversation,
    "POST api/conversations/<str:key>/restore/": restore_conversation,
    "DELETE api/conversations/<str:key>/messages/<uuid:message_id>/": delete_message,
    "DELETE api/secrets/<uuid:secret_id>/": delete_secret,
    "POST api/secrets/": make_secret,
    "DELETE api/tokens/<uuid:token_id>/": revoke_token,
    "POST api/tokens/": make_token,
    "POST api/tokens/<uuid:token_id>/rotate/": rotate_token,
}


def test_every_call_of_this_file_is_made_here() -> None:
    assert {call for call, event in REST.items() if isinstance(event, Event) and event.where == "here"} == set(CALLED_HERE)


@pytest.mark.parametrize("call", CALLED_HERE)
def test_a_call_writes_its_event(call: str, cast: Cast, bob: Client) -> None:
    CALLED_HERE[call](cast, bob)
    expected = REST[call]
    assert isinstance(expected, Event)
    [event] = events(cast.acme, expected.action)
    assert (event.actor_user_id, event.outcome, event.address) == (cast.bob.pk, "done", "127.0.0.0/24")
    assert event.request_id
    assert event.session_hash
    assert events(cast.other) == []


@pytest.mark.parametrize("action", EXPORTS)
def test_an_export_writes_its_event(action: str, cast: Cast, bob: Client) -> None:
    ids = {"conversation": make_conversation(cast, cast.bob), "artifact": make_artifact(cast.actor(cast.bob)).artifact.pk}
    assert bob.get(f"/o/acme/{EXPORTS[action].format(**ids)}").status_code == 200
    [event] = events(cast.acme, action)
    assert event.actor_user_id == cast.bob.pk
