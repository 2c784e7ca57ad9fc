"""Who gets at the bytes of a file over HTTP, and for how long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch
from uuid import UUID

import pytest
from django.test import Client
from pytest_django import Settings

from files.extraction.text import file_text_read
from tests.files.uploads import ACME, attach, attached, signed_in
from tests.support.accounts.cast import Cast
from tests.support.files.documents import pdf
from tests.support.files.downloads import body_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(cast: Cast) -> Client:
    return signed_in(cast.alice)


def test_a_file_is_its_owners_alone(alice: Client, cast: Cast) -> None:
    item = attached(alice)
    path = f"{ACME}{item['id']}/"
    for client, other_path in (
        (signed_in(cast.bob), path),
        (signed_in(cast.charlie), path),
        (signed_in(cast.charlie), path.replace("acme", "other")),
        (signed_in(cast.bob), item["url"]),
        (signed_in(cast.charlie), item["url"]),
        (signed_in(cast.charlie), item["url"].replace("acme", "other")),
    ):
        assert client.get(other_path).status_code == 404
        if other_path == path:
            assert client.delete(path).status_code == 404
    assert attach(signed_in(cast.vera), "a.txt", b"a").status_code == 403, "viewers read only"
    assert Client().get(item["url"]).status_code == 401
    assert alice.get(item["url"]).status_code == 200


def test_bytes_come_as_a_download_that_can_do_nothing(alice: Client) -> None:
    item = attached(alice, 'te"a\n.svg', b"<svg onload='alert(1)'/>")
    response = alice.get(item["url"])
    assert body_of(response) == b"<svg onload='alert(1)'/>"
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["Content-Disposition"].startswith("attachment; filename=")
    assert "\n" not in response["Content-Disposition"]
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'; frame-ancestors 'none'"
    assert response["X-Content-Type-Options"] == "nosniff"


@contextmanager
def later(seconds: int) -> Iterator[None]:
    import time

    now = time.time()
    with patch("django.core.signing.time.time", lambda: now + seconds):
        yield


def test_an_address_is_good_for_five_minutes_and_one_file(alice: Client) -> None:
    first, second = attached(alice), attached(alice, "b.txt", b"b")
    with later(290):  # the signature counts whole seconds
        assert alice.get(first["url"]).status_code == 200
    with later(301):
        assert alice.get(first["url"]).status_code == 404
    assert alice.get(first["url"].replace(first["id"], second["id"])).status_code == 404
    assert alice.get(first["url"][:-1]).status_code == 404
    assert alice.get(first["url"].partition("?")[0]).status_code == 404


def test_an_origin_of_their_own_serves_files_and_nothing_else(alice: Client, settings: Settings) -> None:
    settings.FILES_URL = "https://files.example"
    settings.ALLOWED_HOSTS = ["testserver", "files.example"]
    item = attached(alice)
    assert item["url"].startswith("https://files.example/o/acme/api/files/")
    path = item["url"].removeprefix("https://files.example")
    stranger = Client()
    assert body_of(stranger.get(path, headers={"host": "files.example"})) == b"Tea is a drink."
    assert stranger.get(path[:-1], headers={"host": "files.example"}).status_code == 404
    assert stranger.get("/login/", headers={"host": "files.example"}).status_code == 404
    assert alice.get(path).status_code == 404, "not here any more"
    policy = alice.get("/o/acme/")["Content-Security-Policy"]
    assert "img-src 'self' data: blob: https://files.example;" in policy
    assert "connect-src 'self' https://files.example;" in policy, "the Python console reads files"
    response = stranger.get(path, headers={"host": "files.example", "origin": "http://testserver"})
    assert (response["Access-Control-Allow-Origin"], "Access-Control-Allow-Credentials" in response) == ("http://testserver", False)
    page = stranger.get("/login/?next=/o/acme/", headers={"host": "files.example", "accept": "text/html,*/*;q=0.8"})
    assert page["Location"] == "http://testserver/login/?next=/o/acme/", "for somebody who typed this host"


def test_what_was_read_can_be_looked_at_by_its_owner_alone(alice: Client, cast: Cast) -> None:
    document, note = attached(alice, "a.pdf", pdf("All about tea.", "Second page.")), attached(alice)
    path = f"{ACME}{document['id']}/text/"
    assert alice.get(path).json() == {"text": "", "isCut": False}
    file_text_read(organization_id=cast.acme.pk, file_id=UUID(document["id"]))
    assert alice.get(path).json() == {"text": "All about tea.\n\fSecond page.", "isCut": False}
    assert alice.get(f"{ACME}{note['id']}/text/").json()["text"] == "Tea is a drink."
    assert [signed_in(user).get(path).status_code for user in (cast.bob, cast.charlie)] == [404, 404]
    assert signed_in(cast.charlie).get(path.replace("acme", "other")).status_code == 404
