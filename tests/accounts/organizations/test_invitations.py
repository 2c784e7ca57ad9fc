"""Invitations: by list, file or link; sent again, revoked, accepted by the right account only."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts.invitations.tokens import token_digest
from accounts.models import Invitation, OutgoingMail
from security.models import AuditEvent
from security.redaction import redact
from tenants.context import tenant_tx
from tenants.models import Membership, Organization, User
from tests.accounts.people import groups_of, make_group, membership_of
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME
from tests.support.accounts.cast import PASSWORD, Cast

LIST = f"{ACME}accounts/invitation/"
ADD = f"{LIST}add/"
LINK = re.compile(r"http\S+(/invitation/[\w=-]+/)")
TERMS = {"role": "member", "days": "7"}


def invited(client: Client, addresses: str, **terms: Any) -> list[str]:
    """Invite and return the paths of the links in the mails."""
    before = OutgoingMail.objects.count()
    client.post(ADD, {"way": "addresses", "step": "send", "addresses": addresses, **TERMS, **terms})
    return [LINK.search(mail.text)[1] for mail in mails()[before:]]  # type: ignore[index]


def mails() -> list[OutgoingMail]:
    return list(OutgoingMail.objects.order_by("created_at"))


def link(client: Client, **terms: Any) -> str:
    """Make a link and return its path."""
    page = client.post(ADD, {"way": "link", "max_uses": "2", **TERMS, **terms})
    return LINK.search(page.content.decode())[1]  # type: ignore[index]


def person(email: str) -> User:
    return User.objects.create_user(email, PASSWORD, name=email.split("@", maxsplit=1)[0].title())


def rows(organization: Organization) -> list[Invitation]:
    with tenant_tx(organization.pk):
        return list(Invitation.objects.order_by("created_at"))


def change(organization: Organization, **values: object) -> None:
    with tenant_tx(organization.pk):
        Invitation.objects.update(**values)


def test_a_new_person_is_invited_by_mail_and_joins(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    group = make_group(seeded_cast.acme, "Sales")
    [path] = invited(alice, "Nina <NINA@example.org>", role="viewer", groups=[str(group.pk)])
    assert (mails()[0].recipient, mails()[0].subject) == ("nina@example.org", "Alice invited you to Acme")
    [row] = rows(seeded_cast.acme)
    assert (row.email, row.digest) == ("nina@example.org", token_digest(path.split("/")[2]))

    stranger = Client()
    page = stranger.get(path).content.decode()
    assert "Alice invited you to Acme" in page
    assert "nina@example.org" in page

    nina = person("nina@example.org")
    browser = signed_in(nina)
    assert "Join Acme" in browser.get(path).content.decode()
    assert browser.post(path).headers["Location"] == "/o/acme/"
    member = membership_of(nina, seeded_cast.acme)
    assert (member.role, groups_of(member)) == ("viewer", ["Sales"])
    assert browser.get(path).headers["Location"] == "/o/acme/"
    with tenant_tx(seeded_cast.acme.pk):
        assert AuditEvent.objects.filter(action="invitation.accept", actor_user_id=nina.pk).exists()


def test_signing_in_leads_back_to_the_invitation(alice: Client, seeded_cast: Cast) -> None:
    [path] = invited(alice, "nina@example.org")
    person("nina@example.org")
    browser = Client()
    browser.get(path)
    assert browser.post(path).status_code == 302
    answer = browser.post("/login/", {"username": "nina@example.org", "password": PASSWORD, "next": path})
    assert answer.headers["Location"] == path
    assert "Join Acme" in browser.get(path).content.decode()


def test_somebody_who_signs_in_at_the_front_door_is_led_to_the_invitation(alice: Client, seeded_cast: Cast) -> None:
    [path] = invited(alice, "nina@example.org")
    person("nina@example.org")
    browser = Client()
    browser.get(path)
    browser.post("/login/", {"username": "nina@example.org", "password": PASSWORD})
    assert browser.get("/").headers["Location"] == path


def test_the_wrong_account_is_told_whose_invitation_it_is(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    [path] = invited(alice, "nina@example.org")
    charlie = signed_in(seeded_cast.charlie)
    page = charlie.get(path).content.decode()
    assert "This invitation is for nina@example.org. You are signed in as charlie@example.org." in page
    assert "Join Acme" not in page
    response = charlie.post(path)
    assert (response.status_code, "for another e-mail address" in response.content.decode()) == (403, True)
    assert not Membership.objects.filter(organization=seeded_cast.acme, user=seeded_cast.charlie).exists()
    assert charlie.post(path, {"action": "other-account"}).headers["Location"] == path
    assert "Sign in to join" in charlie.get(path).content.decode()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"expires_at": timezone.now() - timedelta(seconds=1)}, "This invitation has expired. Ask Alice for a new one.</p>"),
        ({"revoked_at": timezone.now()}, "This invitation was withdrawn. Ask Alice for a new one.</p>"),
        ({"uses": 1}, "This invitation has already been used. Ask Alice for a new one.</p>"),
        (
            {"digest": "else"},
            "This link isn&#x27;t valid, or a newer invitation replaced it. Use the newest mail, or ask for a new one.</p>",
        ),
    ],
)
def test_an_invitation_that_works_no_more_says_why(
    values: dict[str, object], sentence: str, alice: Client, seeded_cast: Cast, signed_in: SignedIn
) -> None:
    [path] = invited(alice, "nina@example.org")
    change(seeded_cast.acme, **values)
    nina = person("nina@example.org")
    for browser in (Client(), signed_in(nina)):
        page = browser.get(path)
        assert page.status_code in {404, 410}
        assert sentence in page.content.decode()
    response = signed_in(nina).post(path)
    assert response.status_code in {403, 404}
    assert response.content.decode().count("for a new one") == 1
    assert not nina.memberships.exists()


@pytest.mark.parametrize("token", ["x", "a" * 64, "ä", "A" * 2000])
def test_what_is_no_invitation_is_not_found(token: str, seeded_cast: Cast) -> None:
    assert Client().get(f"/invitation/{token}/").status_code == 404


def test_a_link_works_for_its_number_of_people(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    path = link(alice)
    for number in range(3):
        signed_in(person(f"p{number}@example.org")).post(path)
    assert Membership.objects.filter(organization=seeded_cast.acme, user__email__startswith="p").count() == 2


def test_a_link_for_a_domain_takes_no_other_address(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    path = link(alice, email_domain="@acme.example")
    eve, nina = person("eve@notacme.example"), person("nina@acme.example")
    assert signed_in(eve).post(path).status_code == 403
    assert signed_in(nina).post(path).status_code == 302


def test_a_link_makes_no_owners(alice: Client, seeded_cast: Cast) -> None:
    assert "role" in alice.post(ADD, {"way": "link", "max_uses": "2", **TERMS, "role": "owner"}).context["form"].errors


def test_a_member_who_opens_a_link_keeps_the_role(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    path = link(alice, role="admin")
    assert signed_in(seeded_cast.bob).post(path).status_code == 302
    assert seeded_cast.bob.memberships.get().role == "member"
    assert rows(seeded_cast.acme)[0].uses == 0


@pytest.mark.parametrize("is_removed", [True, False])
def test_nobody_who_lost_access_comes_back_by_an_old_link(is_removed: bool, alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    path = link(alice)
    seeded_cast.bob.memberships.update(is_active=False, removed_at=timezone.now() if is_removed else None)
    bob = signed_in(seeded_cast.bob)
    assert bob.post(path).status_code == 403
    assert bob.post(link(alice)).status_code == (302 if is_removed else 403)


def test_an_invitation_gives_no_more_than_its_inviter_may_give_today(seeded_cast: Cast, signed_in: SignedIn) -> None:
    seeded_cast.bob.memberships.update(role="admin")
    bob = signed_in(seeded_cast.bob)
    path = link(bob, role="admin")
    seeded_cast.bob.memberships.update(role="member")
    assert signed_in(person("nina@example.org")).post(path).status_code == 403
    assert "was withdrawn" in Client().get(path).content.decode()


@pytest.mark.parametrize("role", ["auditor", "member", "viewer"])
def test_only_owners_and_admins_reach_the_page(role: str, seeded_cast: Cast, signed_in: SignedIn) -> None:
    seeded_cast.bob.memberships.update(role=role)
    bob = signed_in(seeded_cast.bob)
    assert {bob.get(page).status_code for page in (LIST, ADD)} == {404}
    assert signed_in(seeded_cast.charlie).post(ADD, {"way": "link", "max_uses": "2", **TERMS}).status_code == 404
    assert rows(seeded_cast.acme) == []


def test_a_file_is_previewed_line_by_line_and_then_sent(alice: Client, seeded_cast: Cast) -> None:
    make_group(seeded_cast.acme, "Sales")
    text = (
        "Email,Role,Groups\nnina@example.org,viewer,Sales\nbroken,,\nolga@example.org,boss,\nbob@example.org,,\npia@example.org,,Nowhere\n"
    )
    upload = SimpleUploadedFile("people.csv", text.encode(), "text/csv")
    page = alice.post(ADD, {"way": "csv", "file": upload, **TERMS})
    html = page.content.decode()
    for sentence in ("This is not an e-mail address.", "You can&#x27;t give the role boss.", "Is a member already.", "no group Nowhere"):
        assert sentence in html
    assert (rows(seeded_cast.acme), "Send 1 of 5" in html) == ([], True)
    [content] = re.findall(r'name="content" value="([^"]*)"', html)  # one, or browsers send another one
    alice.post(ADD, {"way": "csv", "step": "send", "content": unescape(content), **TERMS})
    [row] = rows(seeded_cast.acme)
    assert (row.email, row.role, len(row.group_ids)) == ("nina@example.org", "viewer", 1)
    assert [mail.recipient for mail in mails()] == ["nina@example.org"]


def test_an_address_that_cannot_be_invited_is_shown_and_nothing_is_lost(alice: Client, seeded_cast: Cast) -> None:
    seeded_cast.acme.policy = {"email_domains": ["acme.example"], "other": 1}
    seeded_cast.acme.save()
    page = alice.post(ADD, {"way": "addresses", "addresses": "nina@acme.example, eve@evil.example", **TERMS})
    html = page.content.decode()
    assert "evil.example isn&#x27;t an allowed domain. Allowed: acme.example." in html
    assert "nina@acme.example, eve@evil.example" in html
    assert rows(seeded_cast.acme) == []


def act(client: Client, action: str, row: Invitation) -> Any:
    return client.post(LIST, {"action": action, "_selected_action": [str(row.pk)]})


def test_an_invitation_is_sent_again_with_a_new_link_or_revoked(alice: Client, seeded_cast: Cast) -> None:
    [first] = invited(alice, "nina@example.org")
    [row] = rows(seeded_cast.acme)
    act(alice, "resend", row)
    second = LINK.search(mails()[1].text)[1]  # type: ignore[index]
    assert (Client().get(first).status_code, Client().get(second).status_code) == (404, 200)
    act(alice, "revoke", row)
    assert Client().get(second).status_code == 410


def test_a_link_can_be_made_anew(alice: Client, seeded_cast: Cast) -> None:
    first = link(alice)
    page = act(alice, "resend", rows(seeded_cast.acme)[0])
    second = LINK.search(page.content.decode())[1]  # type: ignore[index]
    assert (Client().get(first).status_code, Client().get(second).status_code) == (404, 200)


def test_inviting_again_ends_the_older_invitation(alice: Client, seeded_cast: Cast) -> None:
    [first] = invited(alice, "nina@example.org")
    invited(alice, "nina@example.org")
    assert Client().get(first).status_code == 410


def test_foreign_invitations_are_in_no_action(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    charlie = signed_in(seeded_cast.charlie)
    page = charlie.post("/o/other/admin/accounts/invitation/add/", {"way": "link", "max_uses": "2", **TERMS})
    path = LINK.search(page.content.decode())[1]  # type: ignore[index]
    act(alice, "revoke", rows(seeded_cast.other)[0])
    assert Client().get(path).status_code == 200


def test_no_log_shows_a_link(alice: Client) -> None:
    path = link(alice)
    assert path.split("/")[2] not in redact(f"GET {path} 500")
