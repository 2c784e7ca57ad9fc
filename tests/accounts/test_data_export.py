"""A member's export of their data: begun in the page, made by a task, downloaded by nobody else."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.test import Client
from django.utils import timezone
from pytest_django import Settings
from structlog.testing import capture_logs

from accounts.models import PersonalExport
from accounts.profile import personal_exports
from accounts.profile.personal_exports import export_make
from accounts.tasks import personal_exports_forget
from chat.models import Conversation, Project
from files.models import File
from files.storage import content_write
from gallery.models import TemplateKind
from gallery.services import template_create
from gallery.shapes import TemplateText
from security.deletion import user_delete
from tenants.context import tenant_tx
from tenants.models import Membership
from tests.rest.conftest import make_conversation, signed_in
from tests.support.accounts.cast import Cast
from tests.support.accounts.fresh_sign_in import age_proof
from tests.support.files.downloads import body_of
from tests.support.stores.audit_log import events

PATH = "/o/acme/api/profile/export/"
FILE = f"{PATH}file/"

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


@pytest.fixture
def bob(cast: Cast) -> Client:
    return signed_in(cast.bob)


def begin(client: Client, path: str = PATH) -> Any:
    return client.post(path, {}, content_type="application/json")


def make(cast: Cast) -> int:
    row = PersonalExport.unscoped.using("system").get()
    return export_make(organization_id=row.organization_id, export_id=row.pk)


def contents(client: Client, path: str = FILE) -> dict[str, bytes]:
    response = client.get(path)
    assert (response.status_code, response.headers["Content-Type"]) == (200, "application/zip")
    assert response.headers["Content-Disposition"] == 'attachment; filename="acme-data.zip"'
    with zipfile.ZipFile(io.BytesIO(body_of(response))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def give_file(cast: Cast, name: str) -> None:
    with tenant_tx(cast.acme.pk):
        owner = Membership.objects.get(user=cast.bob, organization=cast.acme)
        file = File.objects.create(
            owner=owner, name=name, media_type="text/plain", kind="text", size_bytes=3, sha256="0" * 64, state="ready"
        )
        content_write(file.stored_as, b"tea")


def test_the_file_has_what_is_ones_own_in_this_organization(bob: Client, cast: Cast) -> None:
    mine, alices = make_conversation(cast, cast.bob, title="../../Plan/B"), make_conversation(cast, cast.alice)
    give_file(cast, "..\\notes.txt")
    with tenant_tx(cast.acme.pk):
        Project.objects.create(owner=cast.bob.memberships.get(), name="Harbour", instructions="Euros only.")
        Project.objects.create(owner=cast.alice.memberships.get(), name="Hers")
    for user, title in ((cast.bob, "Tea brief"), (cast.alice, "Her brief")):
        actor = cast.actor(user)
        with tenant_tx(cast.acme.pk):
            text = TemplateText(title=title, body="{{market}}")
            template_create(actor=actor, kind=TemplateKind.TEXT, text=text, owner_id=actor.membership_id)
    with tenant_tx(cast.other.pk):  # where Bob has something, too
        elsewhere = Membership.objects.create(organization=cast.other, user=cast.bob, role="member")
        Conversation.objects.create(owner=elsewhere, title="Elsewhere", updated_at=timezone.now())
    assert bob.get(PATH).json()["state"] == "none"
    response = begin(bob)
    assert (response.status_code, response.json()["state"]) == (202, "waiting")
    assert make(cast) == 5
    state = bob.get(PATH).json()
    assert (state["state"], state["done"], state["total"], state["sizeBytes"] > 300) == ("ready", 2, 2, True)
    files = contents(bob)
    conversation = next(name for name in files if name.startswith("conversations/"))
    assert (str(mine) in conversation, ".." in conversation.split("/", 1)[1], conversation.count("/")) == (True, False, 1)
    assert json.loads(files[conversation])["id"] == str(mine)
    assert [content for name, content in files.items() if name.startswith("files/") and name.endswith("notes.txt")] == [b"tea"]
    [project] = [json.loads(content) for name, content in files.items() if name.startswith("projects/")]
    assert (project["name"], project["instructions"], project["files"]) == ("Harbour", "Euros only.", [])
    assert [template["title"] for template in json.loads(files["templates.json"])] == ["Tea brief"]
    profile = json.loads(files["profile.json"])
    assert (profile["email"], profile["organization"], profile["role"]) == ("bob@example.org", "Acme", "member")
    assert not any(str(alices) in name or "Elsewhere" in name for name in files)
    assert [event.actor_user_id for event in events(cast.acme, "data.export")] == [cast.bob.pk]


def test_nobody_else_gets_it(bob: Client, cast: Cast) -> None:
    make_conversation(cast, cast.bob)
    begin(bob)
    make(cast)
    for user, path in ((cast.alice, FILE), (cast.vera, FILE), (cast.charlie, FILE), (cast.charlie, FILE.replace("acme", "other"))):
        assert signed_in(user).get(path).status_code == 404
    assert signed_in(cast.alice).get(PATH).json()["state"] == "none"
    assert Client().get(FILE).status_code == 401
    assert begin(signed_in(cast.vera)).status_code == 202, "who may only read has things of their own, too"


def test_it_asks_for_a_recent_proof(bob: Client) -> None:
    age_proof(bob)
    assert begin(bob).json()["error"]["code"] == "proof_needed"
    assert not PersonalExport.unscoped.using("system").exists()


def test_one_at_a_time_and_a_new_one_replaces_the_old(bob: Client, cast: Cast) -> None:
    begin(bob)
    first = PersonalExport.unscoped.using("system").get()
    begin(bob)
    make(cast)
    export = PersonalExport.unscoped.using("system").get()
    assert export.pk == first.pk
    assert make(cast) == 0, "a task that came twice"
    assert begin(bob).json()["state"] == "waiting"
    assert not storages["files"].exists(export.stored_as)
    assert bob.get(FILE).status_code == 404


def test_one_whose_worker_was_lost_can_be_begun_again(bob: Client, cast: Cast) -> None:
    begin(bob)
    export = PersonalExport.unscoped.using("system").get()
    PersonalExport.unscoped.using("system").update(progress_at=timezone.now() - personal_exports.SILENCE - timedelta(seconds=1))
    assert bob.get(PATH).json()["state"] == "failed"
    assert begin(bob).json()["state"] == "waiting"
    assert PersonalExport.unscoped.using("system").get().pk != export.pk


def test_a_failure_is_told(bob: Client, cast: Cast, settings: Settings, tmp_path: Path) -> None:
    begin(bob)
    settings.STORAGES = {
        **settings.STORAGES,
        "files": {"BACKEND": "tests.support.files.failing_storage.FullDisk", "OPTIONS": {"location": tmp_path}},
    }
    with pytest.raises(OSError):  # the disk's
        make(cast)
    assert bob.get(PATH).json()["state"] == "failed"


def test_it_is_deleted_after_a_week_and_with_the_account(bob: Client, cast: Cast) -> None:
    for delete in (lambda: personal_exports_forget(), lambda: user_delete(user_id=cast.bob.pk, actor_user_id=cast.bob.pk)):
        begin(bob)
        make(cast)
        row = PersonalExport.unscoped.using("system").get()
        assert personal_exports_forget() == 0
        PersonalExport.unscoped.using("system").update(created_at=timezone.now() - timedelta(days=8))
        delete()
        assert not PersonalExport.unscoped.using("system").exists()
        assert not storages["files"].exists(row.stored_as)


def test_a_store_that_lets_nothing_go_keeps_the_rows_that_name_its_files_and_nobody_from_a_new_export(
    bob: Client, cast: Cast, settings: Settings, tmp_path: Path
) -> None:
    begin(bob)
    make(cast)
    former = PersonalExport.unscoped.using("system").get()
    PersonalExport.unscoped.using("system").update(created_at=timezone.now() - timedelta(days=8))
    undeletable = {"BACKEND": "tests.support.files.failing_storage.UndeletableDisk", "OPTIONS": {"location": tmp_path}}
    settings.STORAGES = {**settings.STORAGES, "files": undeletable}
    with tenant_tx(cast.acme.pk):  # without a file, since it failed
        other = PersonalExport.objects.create(membership=cast.alice.memberships.get(), state="failed")
    PersonalExport.unscoped.using("system").filter(pk=other.pk).update(created_at=timezone.now() - timedelta(days=9))
    with capture_logs() as logs:
        assert personal_exports_forget() == 1
    [log_line] = [line for line in logs if line["event"] == "personal_export_not_deleted"]
    assert (log_line["organization_id"], log_line["export_id"]) == (str(cast.acme.pk), str(former.pk))
    assert PersonalExport.unscoped.using("system").get().stored_as == former.stored_as
    assert begin(bob).status_code == 202
    assert PersonalExport.unscoped.using("system").get().pk != former.pk
