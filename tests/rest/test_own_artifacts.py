"""Artifacts that members make themselves, of texts and of their files."""

from __future__ import annotations

from django.core.files.uploadedfile import SimpleUploadedFile

from chat.models import Conversation
from tests.rest.conftest import post, signed_in
from tests.rest.export_requests import BASE, export, talk
from tests.support.accounts.cast import Cast
from tests.support.files.documents import GIF, PICTURE
from tests.support.files.downloads import body_of

__all__ = ["talk"]


def test_members_make_artifacts_and_images_from_their_files(cast: Cast, talk: Conversation) -> None:
    alice, path = signed_in(cast.alice), f"{BASE}conversations/{talk.pk}/artifacts/"
    response = post(alice, path, {"title": " Costs\n2026 ", "kind": "sheet", "content": "a,b\n1,2\n"})
    assert response.status_code == 201
    body = response.json()
    assert (body["title"], body["kind"], body["versions"][0]["authorName"]) == ("Costs 2026", "sheet", "Alice")
    file = alice.post(f"{BASE}files/", {"file": SimpleUploadedFile("a.png", PICTURE)}).json()
    image = post(alice, path, {"title": "Photo", "kind": "image", "fileId": file["id"]}).json()
    assert image["fileUrl"]
    assert body_of(alice.get(image["fileUrl"])) == PICTURE
    assert export(alice, f"artifacts/{image['id']}/export/?format=png")[2] == PICTURE
    for wrong in ({"kind": "image"}, {"kind": "text", "fileId": file["id"]}, {"kind": "hologram"}, {"title": " "}):
        assert post(alice, path, {"title": "x", "kind": "text", **wrong}).status_code == 400, wrong
    note = alice.post(f"{BASE}files/", {"file": SimpleUploadedFile("a.txt", b"words")}).json()
    assert post(alice, path, {"title": "x", "kind": "image", "fileId": note["id"]}).json()["error"]["code"] == "not_an_image"


def test_an_image_gets_another_picture_as_its_next_version_and_goes_back(cast: Cast, talk: Conversation) -> None:
    alice = signed_in(cast.alice)
    one, two = (alice.post(f"{BASE}files/", {"file": SimpleUploadedFile("a.png", content)}).json()["id"] for content in (PICTURE, GIF))
    image = post(alice, f"{BASE}conversations/{talk.pk}/artifacts/", {"title": "Photo", "kind": "image", "fileId": one}).json()
    path = f"{BASE}artifacts/{image['id']}/"
    response = post(alice, f"{path}versions/", {"base": 1, "fileId": two})
    assert (response.status_code, response.json()["version"]["number"], response.json()["version"]["parent"]) == (201, 2, 1)
    assert post(alice, f"{path}revert/", {"number": 1}).json()["latestVersion"] == 3
    pictures = [body_of(alice.get(alice.get(f"{path}versions/{number}/").json()["fileUrl"])) for number in (1, 2, 3)]
    assert pictures[0] == pictures[2] == PICTURE
    assert pictures[1].startswith(b"GIF")
    foreign = signed_in(cast.bob).post(f"{BASE}files/", {"file": SimpleUploadedFile("a.png", PICTURE)}).json()["id"]
    text = post(alice, f"{BASE}conversations/{talk.pk}/artifacts/", {"title": "x", "kind": "text", "content": "words"}).json()["id"]
    for artifact, body, status in (
        (image["id"], {"base": 3, "fileId": foreign}, 404),
        (image["id"], {"base": 9, "fileId": two}, 404),
        (image["id"], {"base": 3, "content": "words"}, 400),
        (image["id"], {"base": 3, "content": "", "fileId": two}, 400),
        (image["id"], {"base": 3}, 400),
        (text, {"base": 1, "fileId": two}, 400),
    ):
        assert post(alice, f"{BASE}artifacts/{artifact}/versions/", body).status_code == status, body
