"""The organization's secrets for tools: written on one page, never shown again, and nothing of anybody else's."""

from __future__ import annotations

import pytest
from django.test import Client

from security.models import AuditEvent, RegisteredSecret, Secret
from security.secrets.registered_secrets import registered_secret_save, registered_secrets_open
from tenants.context import tenant_tx
from tenants.models import Organization, User
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, errors, save, send_each
from tests.support.accounts.cast import Cast

LIST = f"{ACME}security/registeredsecret/"
ADD = f"{LIST}add/"
VALUE = "token-NeverShownAgain-wxyz"
ENTRIES = {"name": "api", "tool": "http", "base_url": "https://api.example/v1", "value": VALUE}


def only_row(organization: Organization) -> RegisteredSecret:
    with tenant_tx(organization.id):
        return RegisteredSecret.objects.select_related("secret").get()


def page_of(row: RegisteredSecret) -> str:
    return f"{LIST}{row.id}/change/"


def register(organization: Organization, name: str, owner: User | None = None) -> RegisteredSecret:
    with tenant_tx(organization.id):
        row = RegisteredSecret(name=name, tool="http", membership=owner.memberships.get() if owner else None)
        registered_secret_save(registered=row, value=VALUE, url="https://api.example")
    return row


def test_a_secret_is_saved_for_its_tool_and_address_and_no_page_shows_it(alice: Client, seeded_cast: Cast) -> None:
    assert save(alice, ADD, **ENTRIES).status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        [secret] = registered_secrets_open(membership_id=None)
        assert (secret.placeholder, secret.tool, secret.origin) == ("api", "http", "https://api.example:443")
        assert secret.value.reveal() == VALUE
        actions = set(AuditEvent.objects.filter(actor_user_id=seeded_cast.alice.pk).values_list("action", flat=True))
        assert actions == {"registeredsecret.create", "secret.create", "user.sign_in"}
        assert not any(VALUE in str(event.detail) for event in AuditEvent.objects.all())
    list_html, secret_html = (alice.get(page).content.decode() for page in (LIST, page_of(only_row(seeded_cast.acme))))
    assert "set, ends in wxyz" in list_html
    assert "set, ends in wxyz" in secret_html
    assert VALUE[:-4] not in list_html + secret_html


def test_the_sidebar_leads_to_it(alice: Client) -> None:
    assert f'href="{LIST}"' in alice.get(ACME).content.decode()


WRONG_ENTRIES = [
    ({"value": "short"}, "value", "at least 8 characters"),
    ({"value": ""}, "value", "at least 8 characters"),
    ({"name": "Has Spaces"}, "name", "small letters"),
    ({"tool": "a.b"}, "tool", "small letters"),
    ({"base_url": "http://169.254.169.254/"}, "base_url", "not a public address"),
    ({"base_url": "ftp://api.example"}, "base_url", "must start with"),
    ({"base_url": "http://api.example"}, "value", "https://"),
]


def test_wrong_entries_are_named_at_their_field(alice: Client) -> None:
    answers = send_each(alice, ADD, (ENTRIES | changes for changes, _, _ in WRONG_ENTRIES))
    assert [[*errors(answer)] for answer in answers] == [[field] for _, field, _ in WRONG_ENTRIES]
    for (_, field, words), answer in zip(WRONG_ENTRIES, answers, strict=True):
        assert words in errors(answer)[field][0]
        assert VALUE not in answer.content.decode()


def test_a_name_is_taken_once(alice: Client, seeded_cast: Cast) -> None:
    register(seeded_cast.other, "api")
    register(seeded_cast.acme, "api", seeded_cast.bob)
    assert save(alice, ADD, **ENTRIES).status_code == 302
    assert "already a secret with this name" in str(errors(save(alice, ADD, **ENTRIES)))


@pytest.mark.parametrize("change", [{"tool": "mail"}, {"base_url": "https://collector.example"}])
def test_another_tool_or_address_needs_the_secret_again(alice: Client, seeded_cast: Cast, change: dict[str, str]) -> None:
    save(alice, ADD, **ENTRIES)
    row = only_row(seeded_cast.acme)
    assert list(errors(save(alice, page_of(row), **change))) == ["value"]
    assert only_row(seeded_cast.acme).secret.bound_origin == "https://api.example:443"
    assert save(alice, page_of(row), **change, value="another-value").status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        [secret] = registered_secrets_open(membership_id=None)
        assert Secret.objects.filter(id=only_row(seeded_cast.acme).secret_id).count() == 1
    assert secret.value.reveal() == "another-value"
    assert {"tool": secret.tool}.items() <= change.items() or secret.origin == "https://collector.example:443"


def test_saving_nothing_new_keeps_it_and_the_name_stays(alice: Client, seeded_cast: Cast) -> None:
    save(alice, ADD, **ENTRIES)
    before = only_row(seeded_cast.acme)
    assert save(alice, page_of(before), name="renamed").status_code == 302
    after = only_row(seeded_cast.acme)
    assert (after.name, after.secret_id) == ("api", before.secret_id)


def test_a_deleted_one_leaves_no_value(alice: Client, seeded_cast: Cast) -> None:
    row = register(seeded_cast.acme, "api")
    assert alice.post(f"{LIST}{row.id}/delete/", {"post": "yes"}).status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        assert not RegisteredSecret.objects.exists()
        assert not Secret.objects.exists()


def test_secrets_of_members_and_of_other_organizations_are_not_there(alice: Client, seeded_cast: Cast) -> None:
    register(seeded_cast.acme, "of_acme")
    other_rows = [register(seeded_cast.other, "of_other"), register(seeded_cast.acme, "of_bob", seeded_cast.bob)]
    list_html = alice.get(LIST).content.decode()
    assert "of_acme" in list_html
    for row in other_rows:
        assert row.name not in list_html
        for page in (page_of(row), f"{LIST}{row.id}/delete/", f"{LIST}{row.id}/history/"):
            assert alice.get(page).status_code in {302, 404}
            assert alice.post(page, {"post": "yes", **ENTRIES}).status_code in {302, 404}
    with tenant_tx(seeded_cast.acme.id):
        assert RegisteredSecret.objects.count() == 2
    assert only_row(seeded_cast.other).name == "of_other"


@pytest.mark.parametrize("person", ["bob", "vera", "charlie"])
def test_only_the_organizations_administrators_find_the_pages(seeded_cast: Cast, signed_in: SignedIn, person: str) -> None:
    row = register(seeded_cast.acme, "api")
    client = signed_in(getattr(seeded_cast, person))
    assert {client.get(page).status_code for page in (LIST, ADD, page_of(row))} == {404}
    assert client.post(ADD, ENTRIES).status_code == 404
