"""Every REST call and admin page of accounts and of the audit log, found by itself: closed to another organization and to the wrong role.

A new REST call, admin page or admin action is tried here without being listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pytest
from django.test import Client
from django.urls import URLPattern
from django.utils import timezone

from accounts.models import Invitation
from accounts.urls import rest
from admin_config.admin.sites import operator_site, organization_site
from security.api_tokens import api_token_create
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import ApiToken, Membership, Organization, User
from tests.accounts.people import make_group, member_of
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME
from tests.support.accounts.cast import PASSWORD, Cast

METHODS = ("get", "post", "put", "patch", "delete")
OURS = ("accounts", "tenants", "security")
MISSING = UUID(int=7)
NOBODYS_SECRET = "OTHERSECRET"


def rest_calls() -> Iterator[tuple[str, str]]:
    for pattern in rest:
        view = pattern.callback.view_class  # type: ignore[attr-defined]  # of a class-based view
        yield from ((method, str(pattern.pattern)) for method in METHODS if hasattr(view, method))


def admin_paths(site: object) -> list[str]:
    """The addresses of all pages of accounts and of the audit log on this site, `{id}` for the row's."""
    paths = []
    for model, page in site._registry.items():  # type: ignore[attr-defined]
        meta = model._meta
        if meta.app_label not in OURS:
            continue
        for url in page.get_urls():
            if isinstance(url, URLPattern) and url.name:
                path = str(url.pattern)
                for part in ("<path:object_id>", "<uuid:object_id>", "<uuid:webhook_id>", "<uuid:export_id>"):
                    path = path.replace(part, "{id}")
                assert "<" not in path, f"an id that this test does not know: {path}"
                paths.append(f"{meta.app_label}/{meta.model_name}/{path}")
    return sorted(set(paths))


ADMIN_PATHS = admin_paths(organization_site)
AUDITORS = {"security/auditevent/", "security/auditevent/{id}/change/"}


@pytest.fixture
def foreign(seeded_cast: Cast) -> dict[str, UUID]:
    """A row of each kind in the other organization, whose texts no page of Acme may show."""
    other = seeded_cast.other
    olaf = member_of(other, NOBODYS_SECRET, "member")
    with tenant_tx(other.pk):
        token, _ = api_token_create(actor=seeded_cast.actor(seeded_cast.charlie), name=NOBODYS_SECRET, scopes=("read",), days=1)
        invitation = Invitation.objects.using("owner").create(
            organization=other, name=NOBODYS_SECRET, role="member", digest="x" * 64, expires_at=timezone.now(), max_uses=1
        )
        event = AuditEvent.objects.order_by("created_at").first()
    assert event is not None
    return {
        "membership": olaf.pk,
        "apitoken": token.pk,
        "membergroup": make_group(other, NOBODYS_SECRET).pk,
        "invitation": invitation.pk,
        "auditevent": event.pk,
        "organization": other.pk,
    }


def foreign_id(path: str, foreign: dict[str, UUID]) -> UUID:
    return foreign.get(path.split("/")[1], MISSING)


@pytest.mark.parametrize(("method", "path"), [*rest_calls()])
def test_a_rest_call_is_closed_to_others_and_to_programs(method: str, path: str, cast: Cast) -> None:
    for slug in ("acme", "missing"):
        client = Client()
        client.force_login(cast.charlie)
        assert getattr(client, method)(f"/o/{slug}/{path}", content_type="application/json").status_code == 404
    assert getattr(Client(), method)(f"/o/acme/{path}", content_type="application/json").status_code in {401, 403}
    with tenant_tx(cast.acme.pk):
        _, text = api_token_create(actor=cast.actor(cast.alice), name="x", scopes=("read", "write", "chat"), days=1)
    program = Client(headers={"authorization": f"Bearer {text}"})
    assert getattr(program, method)(f"/o/acme/{path}", content_type="application/json").status_code in {401, 403}


@pytest.mark.parametrize("person", ["bob", "vera", "charlie", "audrey"])
def test_an_admin_page_is_closed_to_others_and_to_the_wrong_role(person: str, seeded_cast: Cast, signed_in: SignedIn) -> None:
    user = member_of(seeded_cast.acme, "Audrey", "auditor").user if person == "audrey" else getattr(seeded_cast, person)
    client = signed_in(user)
    for path in ADMIN_PATHS:
        is_read = person == "audrey" and path in AUDITORS
        url = ACME + path.format(id=MISSING)
        assert client.post(url, {"part": "delete", "action": "remove"}).status_code == 404, path
        assert is_read or client.get(url).status_code == 404, path


def test_an_admin_page_shows_and_changes_nothing_of_another_organization(
    alice: Client, seeded_cast: Cast, foreign: dict[str, UUID]
) -> None:
    before = row_counts(seeded_cast.other)
    for path in ADMIN_PATHS:
        own_row, missing = (ACME + path.format(id=row_id) for row_id in (foreign_id(path, foreign), MISSING))
        for send in (alice.get, alice.post):
            answer = send(own_row, {"post": "yes", "_save": "Save", "action": "remove", "q": "OTHERSECRE"}, follow=True)
            assert NOBODYS_SECRET.lower() not in answer.content.decode().lower(), path
            if "{id}" in path:
                assert send(own_row).status_code == send(missing).status_code, path
    assert row_counts(seeded_cast.other) == before


@pytest.mark.parametrize("person", ["alice", "bob", "charlie"])
def test_the_operators_pages_do_not_exist_for_others(person: str, cast: Cast) -> None:
    client = Client()
    client.force_login(getattr(cast, person))
    for path in admin_paths(operator_site):
        for send in (client.get, client.post):
            assert send(f"/operator/{path.format(id=1)}").status_code == 404, path


def row_counts(organization: Organization) -> tuple[int, ...]:
    with tenant_tx(organization.pk):
        rows = (Membership.objects.filter(organization=organization, is_active=True), Invitation.objects.filter(revoked_at=None),
                ApiToken.objects.filter(revoked_at=None))  # fmt: skip
        return tuple(each.count() for each in rows)


def test_the_operator_is_no_member(cast: Cast) -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("rita@example.org", PASSWORD))
    assert client.get("/o/acme/api/me/").status_code == 404
    assert client.get(f"{ACME}tenants/membership/").status_code == 404
