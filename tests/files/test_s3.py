"""Files in a bucket of a real S3 server: who gets at them, how they come, what is left of them, and what happens while it is away."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx2
import pytest
from django.core.files.base import File as Content
from django.core.files.storage import storages
from pytest_django import Settings

from config.doctor.files import file_findings
from files.errors import FileStoreUnavailable
from files.extraction.text import file_text_read
from files.models import File, KnownStore
from files.store import marker
from files.store.s3 import S3FileStorage
from tenants.context import tenant_tx
from tenants.deletion.services import organization_delete
from tests.files.uploads import ACME, attach, attached, row, signed_in
from tests.support.accounts.cast import Cast
from tests.support.files.documents import PNG, pdf
from tests.support.files.downloads import body_of, pieces_of
from tests.support.files.s3_server import S3Server, running_s3

pytestmark = pytest.mark.django_db

PARTS = 20 * 1024 * 1024  # bytes of a file that is sent in several parts


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with running_s3(tmp_path_factory.mktemp("s3")) as running:
        yield running


@pytest.fixture
def s3(server: S3Server, settings: Settings) -> S3Server:
    settings.STORAGES = server.storages(settings.STORAGES, prefix=f"{uuid4()}/")
    settings.FILES_PLACE = "The bucket"
    return server


@pytest.fixture(autouse=True)
def _started_without_a_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another test may have started the application in this process."""
    monkeypatch.setattr(marker, "_expected", None)
    monkeypatch.setattr(marker, "PATIENCE_S", 0.0)


def test_files_live_in_the_bucket_and_come_as_strictly_as_from_a_disk(cast: Cast, s3: S3Server) -> None:
    alice, charlie = signed_in(cast.alice), signed_in(cast.charlie)
    text, picture, paper = attached(alice), attached(alice, "a.png", PNG), attached(alice, "tea.pdf", pdf("Green tea."))
    file_text_read(organization_id=cast.acme.pk, file_id=row(cast, paper).pk)
    assert "Green tea." in alice.get(f"{ACME}{paper['id']}/text/").json()["text"]
    response = alice.get(text["url"])
    assert (response["Content-Length"], body_of(response)) == ("15", b"Tea is a drink.")
    assert response["Content-Disposition"] == 'attachment; filename="tea.txt"'
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'; frame-ancestors 'none'"
    assert (response["X-Content-Type-Options"], response["Content-Type"]) == ("nosniff", "text/plain; charset=utf-8")
    assert body_of(alice.get(picture["downloadUrl"])) == PNG
    for foreign in (charlie.get(text["url"]), charlie.get(text["url"].replace("acme", "other")), alice.get(text["url"][:-1])):
        assert foreign.status_code == 404
    assert alice.delete(f"{ACME}{text['id']}/").status_code == 204


def test_a_signed_address_opens_one_object_for_a_minute_and_only_as_an_attachment(cast: Cast, s3: S3Server, settings: Settings) -> None:
    settings.FILES_SIGNED_DOWNLOADS = True
    alice, charlie = signed_in(cast.alice), signed_in(cast.charlie)
    first, second = attached(alice, 'te"a.html', b"<script>alert(1)</script>"), attached(alice, "b.txt", b"Another.")
    redirect = alice.get(first["downloadUrl"])
    assert (redirect.status_code, redirect["Cache-Control"]) == (302, "no-store")
    response = httpx2.get(redirect["Location"], trust_env=False)
    assert (response.status_code, response.content) == (200, b"<script>alert(1)</script>")
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.headers["Content-Disposition"].startswith("attachment; filename=")
    assert parse_qs(urlsplit(redirect["Location"]).query)["X-Amz-Expires"] == ["60"]
    for url in (
        redirect["Location"].replace(first["id"], second["id"]),
        redirect["Location"].replace("attachment", "inline"),
        redirect["Location"].replace("Expires=60", "Expires=600000"),
        redirect["Location"].partition("?")[0],
    ):
        assert httpx2.get(url, trust_env=False).status_code in {400, 403}
    assert charlie.get(first["downloadUrl"]).status_code == 404
    assert body_of(alice.get(first["url"])), "what pages show comes through Parley, with its headers"


def test_nothing_of_an_organization_is_left_in_the_bucket(cast: Cast, s3: S3Server) -> None:
    attached(signed_in(cast.alice), "a.png", PNG)
    assert attach(signed_in(cast.charlie), "kept.txt", b"Kept.", path=ACME.replace("acme", "other")).status_code == 201
    storages["files"].save(f"{cast.acme.pk}/{uuid4()}", Content(BytesIO(b"without a row")))
    report = organization_delete(cast.acme.pk).as_dict()
    assert (report["files.File"], report["files without a row"]) == (1, 1)
    assert not [name for name in s3.names() if str(cast.acme.pk) in name]
    assert [name for name in s3.names() if str(cast.other.pk) in name]


def test_while_the_store_is_away_nothing_is_lost_and_people_are_told(cast: Cast, settings: Settings, tmp_path: Path) -> None:
    alice = signed_in(cast.alice)
    with running_s3(tmp_path) as server:
        settings.STORAGES = server.storages(settings.STORAGES)
        item, paper = attached(alice), attached(alice, "tea.pdf", pdf("Green tea."))
    for response in (alice.get(item["url"]), attach(alice, "b.txt", b"b")):
        assert (response.status_code, response.json()["error"]["code"]) == (503, "file_store_away")
    file_text_read(organization_id=cast.acme.pk, file_id=row(cast, paper).pk)
    with tenant_tx(cast.acme.pk):
        assert File.objects.count() == 2
        assert File.objects.get(pk=paper["id"]).state == File.State.PENDING, "it is tried again"
    assert marker.store_state() == "same"
    assert {finding.level for finding in file_findings()} == {"error"}


async def test_a_large_file_goes_in_parts_and_comes_in_pieces(s3: S3Server, tmp_path: Path) -> None:
    from tenants.rest.downloads import PIECE_BYTES, stored_response

    path = tmp_path / "large"
    path.write_bytes(bytes(range(256)) * (PARTS // 256))
    with path.open("rb") as large:
        storages["files"].save("exports/large", Content(large))
    response = stored_response("exports/large", {})
    pieces = await pieces_of(response)
    response.close()
    assert b"".join(pieces) == path.read_bytes()
    assert max(map(len, pieces)) <= PIECE_BYTES
    assert storages["files"].listdir("exports") == ([], ["large"])


def test_a_process_with_another_store_is_told_so(s3: S3Server, settings: Settings) -> None:
    KnownStore.objects.all().delete()
    assert marker.store_problem() == ""
    assert (marker.store_problem(), marker.store_state()) == ("", "same")
    assert {finding.level for finding in file_findings()} == {"ok"}
    first = settings.STORAGES
    settings.STORAGES = s3.storages(settings.STORAGES, prefix="elsewhere/")
    assert marker.store_state() == "other"
    assert "it has no marker. Mount or name the right place" in marker.store_problem()
    [problem] = [finding for finding in file_findings() if finding.level == "error"]
    assert "config files_adopt" in problem.text
    marker.marker_write(uuid4())
    assert "has the files of another database" in marker.store_problem()
    marker.store_adopt()
    assert (marker.store_problem(), KnownStore.objects.using("system").count()) == ("", 1)
    settings.STORAGES = first
    assert marker.store_state() == "same"


def test_a_role_whose_keys_nobody_gives_is_a_store_that_is_away(
    server: S3Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    settings.STORAGES = server.storages(settings.STORAGES, access_key="", secret_key="")
    storage = storages["files"]
    assert isinstance(storage, S3FileStorage)
    with pytest.raises(FileStoreUnavailable):
        storage.signed_url("a", disposition="attachment", media_type="text/plain", lifetime_s=60)


def test_keys_that_the_store_does_not_know_are_named_by_doctor(server: S3Server, settings: Settings) -> None:
    settings.STORAGES = server.storages(settings.STORAGES, secret_key="another")
    with pytest.raises(FileStoreUnavailable):
        storages["files"].exists("a")
    [finding] = list(file_findings())
    assert (finding.level, "Look at FILES_S3_ENDPOINT" in finding.advice) == ("error", True)
    assert "another" not in str(finding)
