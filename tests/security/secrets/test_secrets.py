"""Secrets in the database: who can use them, where, and what remains of them elsewhere."""

from __future__ import annotations

import os
from io import StringIO
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from pytest_django import Settings

from security.egress import EgressRefused
from security.models import AuditEvent, Secret
from security.secrets.errors import SecretUnusable
from security.secrets.resealing import Rotation
from security.secrets.secret_text import SecretText
from security.secrets.services import secret_check, secret_create, secret_delete, secret_reveal, secrets_rotate
from tenants.context import tenant_tx
from tenants.errors import BadRequest, NoTenantContext
from tests.support.accounts.cast import Cast

URL = "https://api.example/v1beta"
KEY = "AIzaSy-0123456789-wxyz"


@pytest.fixture
def secret(cast: Cast) -> Secret:
    return secret_create(organization_id=cast.acme.id, value=f" {KEY}\n", url=URL, purpose="google", actor_user_id=cast.alice.pk)


def reveal(organization_id: UUID, secret_id: UUID, url: str = URL) -> SecretText:
    with tenant_tx(organization_id):
        return secret_reveal(secret_id=secret_id, url=url)


def test_a_secret_can_be_used_for_its_origin_and_shows_its_end_only(cast: Cast, secret: Secret) -> None:
    assert reveal(cast.acme.id, secret.id).reveal() == KEY
    assert reveal(cast.acme.id, secret.id, "https://API.example:443/other/path").reveal() == KEY
    assert str(secret) == "set, ends in wxyz"
    assert KEY not in repr(vars(secret))


@pytest.mark.parametrize(
    "url", ["http://api.example/", "https://api.example:80/", "https://evil.example/", "https://api.example.evil.example/"]
)
def test_a_secret_cannot_be_used_for_another_origin(cast: Cast, secret: Secret, url: str) -> None:
    with pytest.raises(SecretUnusable):
        reveal(cast.acme.id, secret.id, url)


def test_foreign_and_missing_secrets_look_the_same(cast: Cast, secret: Secret) -> None:
    refusals = []
    for organization_id, secret_id in [(cast.other.id, secret.id), (cast.acme.id, uuid4())]:
        with pytest.raises(SecretUnusable) as refusal:
            reveal(organization_id, secret_id)
        refusals.append(refusal.value.message)
    assert refusals[0] == refusals[1]


def test_outside_an_organization_there_are_no_secrets(secret: Secret) -> None:
    with pytest.raises(NoTenantContext):
        secret_reveal(secret_id=secret.id, url=URL)


@pytest.mark.parametrize("field", ["id", "organization_id", "bound_origin"])
def test_a_row_that_was_edited_or_copied_does_not_open(cast: Cast, secret: Secret, field: str) -> None:
    changed = {"id": uuid4(), "organization_id": cast.other.id, "bound_origin": "https://evil.example:443"}[field]
    fields = {name: getattr(secret, name) for name in ("id", "organization_id", "ciphertext", "key_id", "bound_origin", "purpose")}
    copy = Secret(**(fields | {"id": uuid4() if field == "organization_id" else secret.id, field: changed}))
    with tenant_tx(cast.acme.id):
        Secret.objects.all().delete()
    owner = cast.other.id if field == "organization_id" else cast.acme.id
    with tenant_tx(owner):
        copy.save(force_insert=True)
    with pytest.raises(SecretUnusable):
        reveal(owner, copy.id, copy.bound_origin)


@pytest.mark.parametrize("value", ["", "  ", "two\nlines", "clé", "x" * 4097, "tab\tkey"])
def test_what_cannot_be_a_key_is_refused(cast: Cast, value: str) -> None:
    with pytest.raises(BadRequest):
        secret_check(value=value, url=URL)
    with pytest.raises(BadRequest) as refusal:
        secret_create(organization_id=cast.acme.id, value=value, url=URL, purpose="google")
    assert value.strip() == "" or value not in refusal.value.message


def test_a_secret_needs_an_address_that_can_be_called(cast: Cast) -> None:
    with pytest.raises(EgressRefused):
        secret_create(organization_id=cast.acme.id, value=KEY, url="http://169.254.169.254/", purpose="google")


def test_a_key_travels_encrypted_or_to_places_that_the_operator_listed(cast: Cast, settings: Settings) -> None:
    settings.EGRESS_ALLOW = frozenset({("models.internal", 8080)})
    with pytest.raises(BadRequest):
        secret_create(organization_id=cast.acme.id, value=KEY, url="http://api.example/", purpose="google")
    secret_row = secret_create(organization_id=cast.acme.id, value=KEY, url="http://models.internal:8080/v1", purpose="google")
    assert reveal(cast.acme.id, secret_row.id, "http://models.internal:8080/").reveal() == KEY


def test_of_a_short_value_nothing_is_shown(cast: Cast) -> None:
    assert str(secret_create(organization_id=cast.acme.id, value="12345678901", url=URL, purpose="google")) == "set"


def test_setting_and_deleting_are_in_the_audit_log_without_the_value(cast: Cast, secret: Secret) -> None:
    with tenant_tx(cast.acme.id):
        secret_delete(secret_id=secret.id, actor_user_id=cast.bob.pk)
        secret_delete(secret_id=secret.id, actor_user_id=cast.bob.pk)
        events = list(AuditEvent.objects.order_by("created_at").values_list("action", "actor_user_id", "object_id", "detail"))
        assert not Secret.objects.exists()
    detail = {"purpose": "google", "origin": "https://api.example:443"}
    assert events == [
        ("secret.create", cast.alice.pk, str(secret.id), detail),
        ("secret.delete", cast.bob.pk, str(secret.id), detail),
    ]


def test_another_organization_cannot_delete_a_secret(cast: Cast, secret: Secret) -> None:
    with tenant_tx(cast.other.id):
        secret_delete(secret_id=secret.id)
    assert reveal(cast.acme.id, secret.id).reveal() == KEY


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_rotation_seals_all_organizations_anew_and_may_be_repeated(settings: Settings, cast: Cast) -> None:
    secrets = [
        (organization.id, secret_create(organization_id=organization.id, value=f"{KEY}{number}", url=URL, purpose="google"))
        for organization in (cast.acme, cast.other)
        for number in range(3)
    ]
    settings.CREDENTIAL_KEYS = {"next": os.urandom(32), **settings.CREDENTIAL_KEYS}
    assert secrets_rotate(batch_size=2) == Rotation(resealed_count=6, broken_rows=())
    assert secrets_rotate() == Rotation(resealed_count=0, broken_rows=())
    settings.CREDENTIAL_KEYS = {"next": settings.CREDENTIAL_KEYS["next"]}
    assert [reveal(organization_id, secret.id).reveal()[-1] for organization_id, secret in secrets] == ["0", "1", "2"] * 2


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_the_command_names_secrets_that_do_not_open_and_rotates_the_rest(settings: Settings, cast: Cast) -> None:
    unreadable_secret = secret_create(organization_id=cast.acme.id, value=KEY, url=URL, purpose="google")
    settings.CREDENTIAL_KEYS = {"second": os.urandom(32)}
    readable_secret = secret_create(organization_id=cast.other.id, value=KEY, url=URL, purpose="google")
    settings.CREDENTIAL_KEYS = {"third": os.urandom(32), **settings.CREDENTIAL_KEYS}
    out = StringIO()
    with pytest.raises(CommandError, match=str(unreadable_secret.id)):
        call_command("rotate_secrets", stdout=out)
    assert "1 secrets sealed" in out.getvalue()
    assert reveal(cast.other.id, readable_secret.id).reveal() == KEY
    with pytest.raises(SecretUnusable):
        reveal(cast.acme.id, unreadable_secret.id)


def test_the_database_holds_no_plain_key(cast: Cast, secret: Secret) -> None:
    with tenant_tx(cast.acme.id), connections["default"].cursor() as cursor:
        cursor.execute("select row_to_json(security_secret)::text from security_secret")
        assert KEY[:10] not in cursor.fetchone()[0]
