"""Secrets that people register for tools: who may have which, and who opens them."""

from __future__ import annotations

import os
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries, Settings

from security.egress import EgressRefused
from security.models import AuditEvent, RegisteredSecret, Secret
from security.secrets.registered_secrets import (
    MAX_SECRETS,
    OpenedSecret,
    registered_secret_delete,
    registered_secret_save,
    registered_secrets_open,
)
from tenants.context import tenant_tx
from tenants.errors import BadRequest
from tenants.models import Organization, User
from tests.support.accounts.cast import Cast

URL = "https://api.example/v1"
VALUE = "token-0123456789-wxyz"


def register(
    organization: Organization, name: str = "api", value: str = VALUE, *, owner: User | None = None, tool: str = "http", url: str = URL
) -> RegisteredSecret:
    with tenant_tx(organization.id):
        row = RegisteredSecret(name=name, tool=tool, membership=owner.memberships.get() if owner else None)
        registered_secret_save(registered=row, value=value, url=url, actor_user_id=owner.pk if owner else None)
    return row


def open_secrets(organization: Organization, owner: User | None = None) -> list[tuple[str, str]]:
    with tenant_tx(organization.id):
        membership_id = owner.memberships.get().id if owner else None
        return [(secret.placeholder, secret.value.reveal()) for secret in registered_secrets_open(membership_id=membership_id)]


def test_a_member_has_the_organizations_secrets_and_the_own_ones_in_one_query(
    cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    register(cast.acme, value="of-the-organization")
    register(cast.acme, value="of-bob-himself", owner=cast.bob)
    register(cast.other, value="of-another-organization")
    assert open_secrets(cast.acme, cast.bob) == [("my.api", "of-bob-himself"), ("api", "of-the-organization")]
    assert open_secrets(cast.acme, cast.alice) == open_secrets(cast.acme) == [("api", "of-the-organization")]
    assert open_secrets(cast.other, cast.charlie) == [("api", "of-another-organization")]
    membership_id = cast.bob.memberships.get().id
    with tenant_tx(cast.acme.id), django_assert_num_queries(1):
        registered_secrets_open(membership_id=membership_id)


def test_a_registered_secret_opens_for_its_tool_and_origin_only(cast: Cast) -> None:
    register(cast.acme, tool="mail", url="https://API.example/other/path")
    with tenant_tx(cast.acme.id):
        [secret] = registered_secrets_open(membership_id=None)
    assert (secret.tool, secret.origin) == ("mail", "https://api.example:443")
    assert VALUE not in repr(secret)
    assert isinstance(secret, OpenedSecret)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"value": "seven77"}, "at least 8 characters"),
        ({"value": " seven77 "}, "at least 8 characters"),
        ({"value": "two\nlines-of-it"}, "without line breaks"),
        ({"name": "very_secret_name", "value": "very_secret"}, "part of its own name"),
        ({"name": "Api"}, "small letters"),
        ({"name": "a.b"}, "small letters"),
        ({"name": ""}, "blank"),
        ({"tool": "no tool"}, "small letters"),
        ({"url": "http://api.example"}, "https://"),
    ],
)
def test_what_cannot_be_a_secret_is_refused_in_words(cast: Cast, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        register(cast.acme, **wrong)
    with tenant_tx(cast.acme.id):
        assert not RegisteredSecret.objects.exists()
        assert not Secret.objects.exists()


def test_an_address_that_cannot_be_called_is_refused(cast: Cast) -> None:
    with pytest.raises(EgressRefused):
        register(cast.acme, url="https://169.254.169.254/")


def test_a_name_is_taken_once_by_the_organization_and_once_by_each_member(cast: Cast) -> None:
    for owner in (None, cast.bob, cast.alice):
        register(cast.acme, owner=owner)
        with pytest.raises(BadRequest, match="already a secret named api"):
            register(cast.acme, owner=owner)


def test_the_number_of_registered_secrets_is_limited(cast: Cast) -> None:
    for number in range(MAX_SECRETS):
        register(cast.acme, f"n{number}")
    with pytest.raises(BadRequest, match="50 secrets already"):
        register(cast.acme, "one_more")
    register(cast.acme, "one_more", owner=cast.bob)


def test_a_new_value_replaces_the_old_one_and_deleting_leaves_nothing(cast: Cast) -> None:
    row = register(cast.acme)
    with tenant_tx(cast.acme.id):
        registered_secret_save(registered=row, value="the-new-value", url="https://new.example")
        assert Secret.objects.get().bound_origin == "https://new.example:443"
    assert open_secrets(cast.acme) == [("api", "the-new-value")]
    with tenant_tx(cast.acme.id):
        registered_secret_delete(registered=row, actor_user_id=cast.alice.pk)
        assert not RegisteredSecret.objects.exists()
        assert not Secret.objects.exists()
        actions = list(AuditEvent.objects.order_by("created_at").values_list("action", flat=True))
        assert actions == ["secret.create", "secret.create", "secret.delete", "secret.delete"]
        assert not any(VALUE in str(event.detail) for event in AuditEvent.objects.all())


def test_a_secret_that_no_longer_opens_does_not_stop_the_others(cast: Cast, settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    unreadable_secret = register(cast.acme, "lost")
    settings.CREDENTIAL_KEYS = {"next": os.urandom(32)}
    register(cast.acme, "kept")
    assert open_secrets(cast.acme) == [("kept", VALUE)]
    assert str(unreadable_secret.pk) in caplog.text
