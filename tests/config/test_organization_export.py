"""`manage.py organization_export`: what an organization takes along, with the proof of it, and nothing of another one."""

from __future__ import annotations

import io
import json
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from chat.models import Conversation
from files.errors import FileStoreUnavailable
from files.models import File
from gallery.models import TemplateKind
from gallery.services import template_create
from gallery.shapes import TemplateText
from security.secrets.services import secret_create
from tenants.context import tenant_tx
from tenants.deletion.services import organization_delete
from tenants.models import GroupMember, MemberGroup, Membership, User
from tests.rest.conftest import make_conversation
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import events

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system", "auth"])

HELD_KEY = "sk-organization-export-0123456789"


def export(target: Path, *options: str) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Return the files of the ZIP without its manifest, and the manifest."""
    call_command("organization_export", "acme", str(target), *options, stdout=io.StringIO())
    with zipfile.ZipFile(target) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return files, json.loads(files.pop("manifest.json"))


def membership(cast: Cast, user: User) -> Membership:
    with tenant_tx(cast.acme.pk):
        return user.memberships.get(organization=cast.acme)


def test_it_has_all_of_the_organization_and_proves_it(cast: Cast, tmp_path: Path) -> None:
    target = tmp_path / "acme.zip"
    of_bob, of_alice = make_conversation(cast, cast.bob, title="Harbour"), make_conversation(cast, cast.alice)
    with tenant_tx(cast.acme.pk):
        group = MemberGroup.objects.create(name="Pilots")
        GroupMember.objects.create(group=group, membership=membership(cast, cast.bob))
        secret_create(organization_id=cast.acme.pk, value=HELD_KEY, url="https://api.openai.com", purpose="plugin")
        text = TemplateText(title="House style", body="Plain words.")
        template_create(actor=cast.actor(cast.alice), kind=TemplateKind.TEXT, text=text, owner_id=None)
    with tenant_tx(cast.other.pk):
        Conversation.objects.create(owner=cast.charlie.memberships.get(), title="Elsewhere", updated_at=timezone.now())
    files, manifest = export(target)
    assert target.stat().st_mode & 0o777 == 0o600
    organization = json.loads(files["organization.json"])
    assert organization["name"] == "Acme"
    bob = membership(cast, cast.bob)
    assert {"id": str(bob.pk), "email": "bob@example.org", "groups": ["Pilots"]}.items() <= organization["members"][1].items()
    assert {member["email"] for member in organization["members"]} == {"alice@example.org", "bob@example.org", "vera@example.org"}
    assert any(name.startswith(f"members/{bob.pk}/conversations/") and str(of_bob) in name for name in files)
    assert any(str(of_alice) in name for name in files)
    assert b"agents:" in files["agents.yaml"]
    assert [template["title"] for template in json.loads(files["templates.json"])] == ["House style"]
    everything = b"".join(files.values())
    assert not [text for text in (b"Elsewhere", b"charlie@example.org", HELD_KEY.encode()) if text in everything]
    assert manifest["files"] == {name: {"bytes": len(text), "sha256": sha256(text).hexdigest()} for name, text in files.items()}
    assert [event.object_label for event in events(cast.acme, "organization.export")] == ["Acme"]
    with tenant_tx(cast.other.pk):
        assert not events(cast.other, "organization.export")
    deleted_counts = organization_delete(cast.acme.pk).as_dict()
    assert manifest["rows"]["chat.Conversation"] == deleted_counts["chat.Conversation"] == 2


def test_one_member_takes_along_what_is_theirs(cast: Cast, tmp_path: Path) -> None:
    of_bob, of_alice = make_conversation(cast, cast.bob), make_conversation(cast, cast.alice)
    files, manifest = export(tmp_path / "bob.zip", "--member", "Bob@example.org")
    assert all(name.startswith(f"members/{membership(cast, cast.bob).pk}/") for name in files)
    assert any(str(of_bob) in name for name in files)
    assert not any(str(of_alice) in name for name in files)
    assert (manifest["member"], manifest["rows"]) == (str(cast.bob), None)
    assert [event.object_id for event in events(cast.acme, "membership.export")] == [str(membership(cast, cast.bob).pk)]


def test_what_cannot_be_is_said_and_no_file_is_changed(cast: Cast, tmp_path: Path) -> None:
    existing_file, unfinished_file = tmp_path / "taken.zip", tmp_path / "b.zip.part"
    existing_file.write_bytes(b"mine")
    unfinished_file.write_bytes(b"of a lost process")
    for arguments, message in (
        (("acme", str(existing_file)), "taken.zip: File exists"),
        (("acme", str(tmp_path / "b.zip")), "b.zip.part: File exists"),
        (("acme", str(tmp_path / "none" / "a.zip")), "No such file"),
        (("nobody", str(tmp_path / "a.zip")), "no organization nobody"),
        (("acme", str(tmp_path / "a.zip"), "--member", "charlie@example.org"), "no member charlie@example.org"),
    ):
        with pytest.raises(CommandError, match=message):
            call_command("organization_export", *arguments)
    assert ({path.name for path in tmp_path.iterdir()}, existing_file.read_bytes()) == ({"taken.zip", "b.zip.part"}, b"mine")


def test_while_the_store_of_files_is_away_the_command_says_so_and_leaves_no_file(cast: Cast, tmp_path: Path, settings: Settings) -> None:
    with tenant_tx(cast.acme.pk):
        File.objects.create(
            owner=membership(cast, cast.bob),
            name="a.txt",
            media_type="text/plain",
            kind="text",
            size_bytes=3,
            sha256="0" * 64,
            state="ready",
        )
    settings.STORAGES = {**settings.STORAGES, "files": {"BACKEND": "tests.support.files.failing_storage.AwayStore"}}
    with pytest.raises(CommandError, match=str(FileStoreUnavailable.message)):
        call_command("organization_export", "acme", str(tmp_path / "a.zip"))
    assert not [*tmp_path.iterdir()]
    assert not events(cast.acme, "organization.export")
