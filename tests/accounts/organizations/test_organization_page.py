"""The page of an organization: who reaches it, its name, address, logo, policy, and that it can be suspended."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from PIL import Image
from pytest_django import Settings

from accounts.models import ProvenDomain
from security.api_tokens import api_token_create
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.accounts.organizations.organizations import LOOKS, PAGE, acme, png
from tests.accounts.people import member_of
from tests.admin_config.conftest import SignedIn
from tests.support.accounts.cast import Cast


@pytest.mark.parametrize("part", ["looks", "policy", "second_factor", "transfer", "delete", "keep"])
@pytest.mark.parametrize(("role", "status"), [("auditor", 404), ("member", 404), ("viewer", 404)])
def test_only_owners_and_admins_reach_the_page(part: str, role: str, status: int, seeded_cast: Cast, signed_in: SignedIn) -> None:
    seeded_cast.bob.memberships.update(role=role)
    for user in (seeded_cast.bob, seeded_cast.charlie):
        assert signed_in(user).post(PAGE, {**LOOKS, "part": part, "name": "Mine"}).status_code == status
    assert acme(seeded_cast).name == "Acme"


@pytest.mark.parametrize("part", ["transfer", "delete", "keep"])
def test_an_admin_can_neither_hand_over_nor_delete(part: str, seeded_cast: Cast, signed_in: SignedIn) -> None:
    dora = member_of(seeded_cast.acme, "Dora", "admin")
    form = {"part": part, "member": str(seeded_cast.bob.memberships.get().pk), "typed_name": "Acme"}
    page = signed_in(dora.user).post(PAGE, form)
    assert (page.status_code, "Only an owner" in page.content.decode()) == (200, True)
    assert (seeded_cast.alice.memberships.get().role, acme(seeded_cast).deletion_due_at) == ("owner", None)


def test_a_new_address_works_and_the_old_one_leads_there_for_members_only(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    answer = alice.post(PAGE, {**LOOKS, "name": "Acme Ltd", "slug": "acme-ltd", "accent_color": "#0B6E4F"})
    assert answer.headers["Location"] == "/o/acme-ltd/admin/tenants/organization/"
    row = acme(seeded_cast)
    assert (row.name, row.slug, row.accent_color) == ("Acme Ltd", "acme-ltd", "#0b6e4f")
    bob, charlie = signed_in(seeded_cast.bob), signed_in(seeded_cast.charlie)
    for path in ("/o/acme/", "/o/acme/api/me/?x=1", "/o/acme/admin/"):
        response = alice.get(path)
        assert (response.status_code, response.headers["Location"]) == (307, path.replace("/acme/", "/acme-ltd/"))
    assert bob.get("/o/acme/").headers["Location"] == "/o/acme-ltd/"
    assert charlie.get("/o/acme/").status_code == charlie.get("/o/missing/").status_code == 404
    seeded_cast.bob.memberships.update(is_active=False)
    assert bob.get("/o/acme/").status_code == 404
    assert alice.post(PAGE.replace("acme", "acme-ltd"), LOOKS).headers["Location"] == "/o/acme/admin/tenants/organization/"
    assert alice.get("/o/acme/api/me/").status_code == 200


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"slug": "other"}, "This address is taken."),
        ({"slug": "Not good"}, "An address has small letters"),
        ({"slug": "-x"}, "An address has small letters"),
        ({"accent_color": "red"}, "Write the color as #"),
        ({"name": " "}, "This field is required."),
    ],
)
def test_what_makes_no_sense_is_said(values: dict[str, str], sentence: str, alice: Client, seeded_cast: Cast) -> None:
    assert sentence in alice.post(PAGE, {**LOOKS, **values}).content.decode()
    assert acme(seeded_cast).slug == "acme"


def test_an_address_that_another_organization_had_is_not_free(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    alice.post(PAGE, {**LOOKS, "slug": "acme-ltd"})
    charlie = signed_in(seeded_cast.charlie)
    page = charlie.post("/o/other/admin/tenants/organization/", {**LOOKS, "name": "Other Ltd"})
    assert "This address is taken." in page.content.decode()


def test_a_logo_is_drawn_again_and_seen_by_members_only(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    polyglot = png() + b"<script>alert(1)</script>"
    alice.post(PAGE, {**LOOKS, "logo": SimpleUploadedFile("l.png", polyglot, "image/png")})
    logo = signed_in(seeded_cast.bob).get("/o/acme/api/organization/logo/")
    with Image.open(io.BytesIO(logo.content)) as image:
        assert (image.format, image.size) == ("PNG", (256, 256))
    assert b"script" not in logo.content
    assert signed_in(seeded_cast.charlie).get("/o/acme/api/organization/logo/").status_code == 404
    page = alice.post(PAGE, {**LOOKS, "logo": SimpleUploadedFile("l.svg", b"<svg/>", "image/png")})
    assert "This is not a picture that can be used." in page.content.decode()
    alice.post(PAGE, {**LOOKS, "remove_logo": "on"})
    assert alice.get("/o/acme/api/organization/logo/").status_code == 404


def test_the_policy_keeps_what_others_wrote_into_it(alice: Client, seeded_cast: Cast) -> None:
    Organization.objects.filter(pk=seeded_cast.acme.pk).update(policy={"mfa_required": True})
    form = {"part": "policy", "email_domains": "@Acme.example", "invitation_days": "3", "removed_days": "5", "token_max_days": "30"}
    form |= {"session_hours": "12", "session_idle_minutes": ""}
    assert alice.post(PAGE, form).status_code == 302
    expected = {"mfa_required": True, "email_domains": ["acme.example"], "invitation_days": 3, "removed_days": 5, "token_max_days": 30}
    expected |= {"session_hours": 12, "session_idle_minutes": None, "sign_up_domains": []}
    assert acme(seeded_cast).policy == expected
    with tenant_tx(seeded_cast.acme.pk):
        event = AuditEvent.objects.get(action="organization.policy")
    assert event.detail["after"]["token_max_days"] == 30
    response = alice.post("/o/acme/api/tokens/", {"name": "x", "scopes": ["read"], "days": 31}, content_type="application/json")
    assert "allows tokens for at most 30 days" in response.json()["error"]["message"]


def test_an_admin_lets_people_of_proven_domains_alone_join_by_signing_up(alice: Client, seeded_cast: Cast, settings: Settings) -> None:
    settings.SIGN_UP = "domain"
    assert "An owner first proves a domain of yours" in alice.get(PAGE).content.decode()
    for domain, organization in (("acme.example", seeded_cast.acme), ("other.example", seeded_cast.other)):
        ProvenDomain.objects.create(domain=domain, organization=organization)
    page = alice.get(PAGE).content.decode()
    assert ('value="acme.example"' in page, "other.example" in page) == (True, False)
    form = {"part": "policy", "invitation_days": "7", "removed_days": "30"}
    for domain in ("other.example", "gmail.com"):
        assert "sign_up_domains" in alice.post(PAGE, {**form, "sign_up_domains": [domain]}).context["forms"]["policy"].errors
    assert "sign_up_domains" not in acme(seeded_cast).policy
    assert alice.post(PAGE, {**form, "sign_up_domains": ["acme.example"]}).status_code == 302
    with tenant_tx(seeded_cast.acme.pk):
        event = AuditEvent.objects.get(action="organization.policy")
    assert (event.detail["before"], event.detail["after"]) == ({"sign_up_domains": []}, {"sign_up_domains": ["acme.example"]})


def test_an_admin_asks_for_a_second_factor_and_members_have_days_to_set_it_up(
    alice: Client, seeded_cast: Cast, signed_in: SignedIn
) -> None:
    bob, api = signed_in(seeded_cast.bob), "/o/acme/api/conversations/"
    seeded_cast.bob.memberships.update(created_at=timezone.now() - timedelta(days=30))
    assert alice.post(PAGE, {"part": "second_factor", "asked_of": "everybody", "grace_days": "7"}).status_code == 302
    assert bob.get(api).status_code == 200, "within the days of grace"
    assert alice.post(PAGE, {"part": "second_factor", "asked_of": "everybody", "grace_days": "0"}).status_code == 302
    assert bob.get(api).json()["error"]["code"] == "second_factor_needed"
    with tenant_tx(seeded_cast.acme.pk):
        event = AuditEvent.objects.filter(action="organization.second_factor").latest("created_at")
    assert (event.before["grace_days"], event.after) == (7, {"asked_of": "everybody", "grace_days": 0})


@pytest.mark.parametrize(("asked_of", "is_asked"), [("admins", False), ("nobody", False), ("everybody", True)])
def test_a_second_factor_is_asked_of_roles(asked_of: str, is_asked: bool, alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    assert alice.post(PAGE, {"part": "second_factor", "asked_of": asked_of, "grace_days": "0"}).status_code == 302
    answer = signed_in(seeded_cast.bob).get("/o/acme/api/conversations/").json()
    assert (answer.get("error", {}).get("code") == "second_factor_needed") == is_asked


def test_a_second_factor_of_nobody_known_is_refused(alice: Client, seeded_cast: Cast) -> None:
    page = alice.post(PAGE, {"part": "second_factor", "asked_of": "robots", "grace_days": "400"})
    assert (page.status_code, acme(seeded_cast).policy.get("second_factor")) == (200, None)


def test_a_suspended_organization_says_so_to_its_members_only(seeded_cast: Cast, signed_in: SignedIn) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        _, text = api_token_create(actor=seeded_cast.actor(seeded_cast.bob), name="x", scopes=["read"], days=1)
    bob, charlie = signed_in(seeded_cast.bob), signed_in(seeded_cast.charlie)
    Organization.objects.filter(pk=seeded_cast.acme.pk).update(is_active=False, suspension_message="The bill is open.")
    html = {"Accept": "text/html"}
    assert bob.get("/", follow=True, headers=html).status_code == 403
    for path in ("/o/acme/", "/o/acme/admin/"):
        page = (bob if path == "/o/acme/" else signed_in(seeded_cast.alice)).get(path, headers=html)
        assert (page.status_code, "Acme is suspended. The bill is open." in page.content.decode()) == (403, True)
        assert charlie.get(path, headers=html).status_code == 404
    for answer in (bob.get("/o/acme/api/me/"), Client().get("/api/me/", headers={"Authorization": f"Bearer {text}"})):
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "organization_suspended")
    assert charlie.get("/o/acme/api/me/").json()["error"]["code"] == "not_found"
