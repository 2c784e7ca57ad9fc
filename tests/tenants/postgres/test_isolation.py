"""Both walls: the managers refuse first, the policies refuse again when the managers are passed by."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.db import DataError, IntegrityError, ProgrammingError, connection, transaction

from artifacts.models import Artifact, Version
from files.models import File
from tenants.context import tenant_tx
from tenants.errors import NoTenantContext
from tests.support.accounts.cast import Cast
from tests.support.chat.conversations import conversation_row

Rows = tuple[Artifact, Artifact]

WITHOUT_TENANT: dict[str, Callable[[Artifact], object]] = {
    "select": lambda row: [*Artifact.objects.all()],
    "get": lambda row: Artifact.objects.get(pk=row.pk),
    "count": lambda row: Artifact.objects.count(),
    "related": lambda row: [*row.versions.all()],
    "refresh": lambda row: row.refresh_from_db(),
    "update": lambda row: Artifact.objects.update(title="x"),
    "save": lambda row: row.save(update_fields=["title"]),
    "delete": lambda row: Artifact.objects.filter(pk=row.pk).delete(),
    "insert": lambda row: Artifact.objects.bulk_create([row]),
    "new row": lambda row: Artifact(title="x"),
}


@pytest.mark.parametrize("use", WITHOUT_TENANT.values(), ids=WITHOUT_TENANT.keys())
def test_without_a_tenant_the_managers_are_loud(use: Callable[[Artifact], object], artifacts: Rows) -> None:
    with pytest.raises(NoTenantContext):
        use(artifacts[0])


def test_building_a_queryset_needs_no_tenant(cast: Cast, artifacts: Rows) -> None:
    queryset = Artifact.objects.filter(kind="text")
    with tenant_tx(cast.acme.id):
        assert [*queryset] == [artifacts[0]]


PAST_THE_MANAGERS: dict[str, Callable[[Artifact], object]] = {
    "select": lambda row: [*Artifact.unscoped.all()],
    "update": lambda row: Artifact.unscoped.update(title="x"),
    "delete": lambda row: Version.unscoped.all()._raw_delete("default"),
    "delete one": lambda row: row.delete(),
    "raw": lambda row: [*Artifact.unscoped.raw("select * from artifacts_artifact")],
}


@pytest.mark.parametrize("use", PAST_THE_MANAGERS.values(), ids=PAST_THE_MANAGERS.keys())
def test_without_a_tenant_the_policies_are_loud(use: Callable[[Artifact], object], artifacts: Rows) -> None:
    with pytest.raises((DataError, ProgrammingError, NoTenantContext)), transaction.atomic():
        use(artifacts[0])


@pytest.mark.parametrize("manager", ["objects", "unscoped"])
def test_rows_of_others_cannot_be_seen_or_changed(manager: str, cast: Cast, artifacts: Rows) -> None:
    own, foreign = artifacts
    with tenant_tx(cast.acme.id):
        rows = getattr(Artifact, manager)
        assert [*rows.all()] == [own]
        assert not rows.filter(pk=foreign.pk).exists()
        assert rows.filter(pk=foreign.pk).update(title="mine now") == 0
        assert rows.filter(pk=own.pk).update(title="changed") == 1
    with tenant_tx(cast.other.id):
        assert Artifact.objects.get().title == "Other Ltd's plan"


def test_a_row_cannot_be_moved_to_another_organization(cast: Cast, artifacts: Rows) -> None:
    with tenant_tx(cast.acme.id), pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
        Artifact.objects.update(organization=cast.other)


def test_a_row_cannot_be_written_into_another_organization(cast: Cast) -> None:
    owner = cast.charlie.memberships.get()
    chat = conversation_row(organization_id=cast.other.pk, owner_id=owner.pk)
    row = Artifact(organization=cast.other, owner=owner, conversation_id=chat, title="planted", kind="text")
    with tenant_tx(cast.acme.id):
        with pytest.raises(NoTenantContext), transaction.atomic():
            row.save(force_insert=True)
        with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic(), connection.cursor() as cursor:
            _insert_raw(cursor, row)
    with tenant_tx(cast.other.id), connection.cursor() as cursor:
        _insert_raw(cursor, row)
        assert Artifact.objects.count() == 1


def _insert_raw(cursor: object, row: Artifact) -> None:
    columns = "id, organization_id, owner_id, conversation_id, title, kind, latest_number, created_at, updated_at"
    values = [row.id, row.organization_id, row.owner_id, row.conversation_id, row.title, row.kind]
    cursor.execute(  # type: ignore[attr-defined]
        f"insert into artifacts_artifact ({columns}) values (%s, %s, %s, %s, %s, %s, 0, now(), now())", values
    )


@pytest.mark.parametrize("whose", ["own", "foreign"])
def test_a_foreign_key_reaches_only_own_rows(whose: str, cast: Cast, artifacts: Rows) -> None:
    """Plain foreign key checks ignore row security, so only the composite key can refuse this."""
    target = artifacts[0] if whose == "own" else artifacts[1]
    with tenant_tx(cast.acme.id):
        version = Version(artifact_id=target.pk, number=1, content="x", operation="create", author_kind="agent")
        if whose == "own":
            _save_and_check(version)
        else:
            with pytest.raises(IntegrityError), transaction.atomic():
                _save_and_check(version)


@pytest.mark.parametrize("whose", ["own", "foreign"])
def test_a_membership_of_another_organization_cannot_own_a_row(whose: str, cast: Cast) -> None:
    owner = (cast.bob if whose == "own" else cast.charlie).memberships.get()
    with tenant_tx(cast.acme.id):
        chat = conversation_row(organization_id=cast.acme.pk, owner_id=cast.bob.memberships.get().pk)
        row = Artifact(owner_id=owner.pk, conversation_id=chat, title="x", kind="text")
        if whose == "own":
            _save_and_check(row)
        else:
            with pytest.raises(IntegrityError), transaction.atomic():
                _save_and_check(row)


@pytest.mark.parametrize("whose", ["own", "foreign", "nobody's"])
def test_the_plain_ids_of_conversations_reach_only_own_ones(whose: str, cast: Cast) -> None:
    owner = cast.bob.memberships.get()
    chats = {
        "own": conversation_row(organization_id=cast.acme.pk, owner_id=owner.pk),
        "foreign": conversation_row(organization_id=cast.other.pk, owner_id=cast.charlie.memberships.get().pk),
        "nobody's": uuid4(),
    }
    artifact = {"title": "x", "kind": "text"}
    file = {"name": "a.txt", "media_type": "text/plain", "kind": "text", "size_bytes": 1, "sha256": "0" * 64}
    with tenant_tx(cast.acme.id):
        for row in (
            Artifact(owner=owner, conversation_id=chats[whose], **artifact),
            File(owner=owner, conversation_id=chats[whose], **file),
        ):
            if whose == "own":
                _save_and_check(row)
            else:
                with pytest.raises(IntegrityError), transaction.atomic():
                    _save_and_check(row)


def _save_and_check(row: Artifact | Version | File) -> None:
    row.save(force_insert=True)
    with connection.cursor() as cursor:
        cursor.execute("set constraints all immediate")
        cursor.execute("set constraints all deferred")


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_the_system_role_sees_every_organization(artifacts: Rows) -> None:
    assert Artifact.unscoped.using("system").count() == 2
    with tenant_tx(artifacts[0].organization_id, using="system"):
        assert [*Artifact.objects.using("system")] == [artifacts[0]]
