"""What keeps a sign-on in order: the owner's way past it is told, its secret's end is announced, and links are forgotten."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.models import OutgoingMail, SignOnIdentity
from accounts.tasks import secrets_remind_task
from doubles.oidc import OidcDouble
from tenants.context import tenant_tx
from tenants.models import Membership, Organization, User
from tests.accounts.people import mails, member_of
from tests.accounts.sso.sso import DANA, change, is_in, provider_of, reason, sign_in
from tests.admin_config.pages import ACME
from tests.support.accounts.cast import PASSWORD, Cast
from tests.support.accounts.fresh_sign_in import age_proof
from tests.support.stores.audit_log import events
from tests.support.stores.failing_rows import first_row_refused

PAGE = f"{ACME}accounts/signon/"
AGENT = {"User-Agent": "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0"}


def dana(cast: Cast, role: str = "owner") -> Membership:
    user = User.objects.create_user("dana@acme.example", PASSWORD, name="Dana")
    return Membership.objects.create(organization=cast.acme, user=user, role=role)


def mails_of_kind(kind: str) -> list[OutgoingMail]:
    return [mail for mail in mails() if mail.kind == kind]


def linked(organization: Organization) -> list[str]:
    with tenant_tx(organization.pk):
        return [*SignOnIdentity.objects.values_list("membership__user__email", flat=True)]


# The way in


def test_a_direct_sign_in_is_told_to_the_other_owners(cast: Cast, provider: OidcDouble, client: Client) -> None:
    member, other = dana(cast), member_of(cast.acme, "Olga", "owner")
    member_of(cast.acme, "Adam", "admin")
    change(cast.acme, is_required=True, way_in=member)
    client.post("/login/", {"username": member.user.email, "password": PASSWORD}, headers=AGENT)
    assert {mail.recipient for mail in mails_of_kind("way_in")} == {cast.alice.email, other.user.email}
    mail = mails_of_kind("way_in")[0]
    assert mail.subject == "Direct sign-in to Acme"
    assert "Dana (dana@acme.example) signed in directly" in mail.text
    assert "from 127.0.0.1 (Firefox on Windows)" in mail.text
    assert mail.about_organization_id == cast.acme.pk
    [event] = events(cast.acme, "sso.way_in")
    assert (event.actor_user_id, event.object_label, event.address) == (member.user_id, "Dana", "127.0.0.0/24")
    assert events(cast.other) == []


@pytest.mark.parametrize("how", ["by the sign-on", "not required", "no way in", "a guest"])
def test_other_sign_ins_are_not_told(how: str, cast: Cast, provider: OidcDouble, client: Client) -> None:
    member = dana(cast)
    change(cast.acme, is_required=how != "not required", way_in=None if how == "no way in" else member)
    if how == "by the sign-on":
        sign_in(client, cast.acme, provider)
        assert is_in(client)
    else:
        email = cast.bob.email if how == "a guest" else member.user.email
        client.post("/login/", {"username": email, "password": PASSWORD})
    assert mails_of_kind("way_in") == []
    assert events(cast.acme, "sso.way_in") == []


# The end of the client secret


def set_clock_of_secret(organization: Organization, days_left: int) -> None:
    change(organization, secret_expires_on=timezone.now().date() + timedelta(days=days_left))


def test_owners_are_told_thirty_seven_and_one_days_before_and_a_missed_day_is_made_up_for(
    cast: Cast, provider: OidcDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    member_of(cast.acme, "Adam", "admin")
    end = timezone.now().date() + timedelta(days=100)
    change(cast.acme, secret_expires_on=end)
    mail_counts = {}
    for left in (31, 30, 12, 6, 5, 1, 0):
        monkeypatch.setattr("accounts.sso.reminders.today", lambda left=left: end - timedelta(days=left))
        mail_counts[left] = secrets_remind_task()
    assert mail_counts == {31: 0, 30: 1, 12: 0, 6: 1, 5: 0, 1: 1, 0: 0}
    mail = mails_of_kind("sign_on_secret")[-1]
    assert f"ends on {end:%-d %B %Y}" in mail.subject
    assert "/o/acme/admin/accounts/signon/" in mail.text
    assert {mail.recipient for mail in mails_of_kind("sign_on_secret")} == {cast.alice.email}


@pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])
def test_owners_who_can_not_be_told_keep_no_others_from_it(cast: Cast, provider: OidcDouble) -> None:
    set_clock_of_secret(cast.acme, 3)
    with provider_of(cast.other, "other.example"):
        set_clock_of_secret(cast.other, 3)
        with first_row_refused(OutgoingMail, "57014"):
            assert secrets_remind_task() == 1
        assert secrets_remind_task() == 1


@pytest.mark.parametrize("off", [{"is_enabled": False}, {"secret_expires_on": None}])
def test_nobody_is_reminded_without_need(off: dict[str, object], cast: Cast, provider: OidcDouble) -> None:
    set_clock_of_secret(cast.acme, 3)
    change(cast.acme, **off)
    assert secrets_remind_task() == 0


@pytest.mark.parametrize(("days_left", "says"), [
    (31, ""), (30, "expires in 30 days"), (1, "expires tomorrow"), (0, "expires today"), (-1, "has expired"),
])  # fmt: skip
def test_the_page_says_when_the_secret_ends(days_left: int, says: str, cast: Cast, provider: OidcDouble, client: Client) -> None:
    set_clock_of_secret(cast.acme, days_left)
    client.force_login(cast.alice)
    page = client.get(PAGE).content.decode()
    assert ("The client secret" in page) == bool(says)
    assert says in page


def test_an_owner_notes_the_end_of_the_secret(cast: Cast, provider: OidcDouble, client: Client) -> None:
    client.force_login(cast.alice)
    form = {"part": "provider", "provider": "okta", "issuer": provider.base_url, "client_id": "parley", "is_enabled": "on"}
    assert client.post(PAGE, {**form, "secret": "new-secret", "secret_expires_on": "2031-02-03"}).status_code == 302
    assert 'value="2031-02-03"' in client.get(PAGE).content.decode()
    assert events(cast.acme, "sso.change")[-1].after["secret_expires_on"] == "2031-02-03"
    assert "Enter a valid date" in client.post(PAGE, {**form, "secret_expires_on": "soon"}).content.decode()


# Links


def test_a_person_disconnects_a_sign_on(cast: Cast, provider: OidcDouble, client: Client) -> None:
    member = dana(cast, "member")
    sign_in(client, cast.acme, provider)
    page = client.get("/accounts/").content.decode()
    assert 'aria-label="Disconnect Acme"' in page
    forget = f"/accounts/sign-on/{cast.acme.pk}/forget/"
    other = Client()
    other.force_login(cast.bob)
    assert other.post(forget).status_code == 404
    assert client.get(forget).status_code == 405
    age_proof(client)
    assert client.post(forget).headers["Location"].startswith("/accounts/reauthenticate/")
    assert linked(cast.acme) == [member.user.email]
    sign_in(client, cast.acme, provider)
    assert client.post(forget).headers["Location"] == "/accounts/"
    assert linked(cast.acme) == []
    [event] = events(cast.acme, "sso.unlink")
    assert event.actor_user_id == member.user_id
    assert client.post(forget).status_code == 404
    assert "Single sign-on" not in client.get("/accounts/").content.decode()


def test_the_last_way_in_and_one_that_is_asked_for_stay(cast: Cast, provider: OidcDouble, client: Client) -> None:
    sign_in(client, cast.acme, provider)  # makes the account, which has no password
    sign_in(client, cast.acme, provider)  # confirms that it's them
    forget = f"/accounts/sign-on/{cast.acme.pk}/forget/"
    html = client.post(forget, follow=True).content.decode()
    assert "This is the only way into your account." in html
    assert linked(cast.acme) == ["dana@acme.example"]
    user = User.objects.get(email="dana@acme.example")
    Authenticator.objects.create(user=user, type=Authenticator.Type.WEBAUTHN, data={"name": "Key", "credential": {}})
    change(cast.acme, is_required=True)
    html = client.post(forget, follow=True).content.decode()
    assert "Acme asks for its sign-on." in html
    change(cast.acme, is_required=False)
    client.post(forget)
    assert linked(cast.acme) == []


def test_the_last_account_elsewhere_stays(cast: Cast, client: Client, settings: Settings) -> None:
    settings.SOCIAL_LOGINS = {name: {"client_id": "x", "secret": "y", "settings": {}} for name in ("github", "google")}
    cast.bob.set_unusable_password()
    cast.bob.save()
    for name in ("github", "google"):
        SocialAccount.objects.create(user=cast.bob, provider=name, uid=name, extra_data={"email": cast.bob.email})
    client.force_login(cast.bob)
    client.post("/accounts/with/google/remove/")
    html = client.post("/accounts/with/github/remove/", follow=True).content.decode()
    assert "This is the only way into your account." in html
    assert SocialAccount.objects.get().provider == "github"


def test_an_owner_links_a_member_anew(seeded_cast: Cast, client: Client) -> None:
    cast = seeded_cast
    with provider_of(cast.acme, "acme.example") as provider:
        sign_in(Client(), cast.acme, provider)
        provider.person = {**DANA, "sub": "dana-2"}
        assert reason(sign_in(Client(), cast.acme, provider)) == "other_identity"
        client.force_login(cast.alice)
        form = {"part": "link-forget", "email": " Dana@acme.example"}
        age_proof(client)
        assert client.post(PAGE, form).status_code == 403
        client.force_login(cast.alice)
        assert client.post(PAGE, form).status_code == 302
        assert client.post(PAGE, form, follow=True).content.decode().count("No member with this address") == 1
        person = Client()
        sign_in(person, cast.acme, provider)
        assert is_in(person)
        adam = member_of(cast.acme, "Adam", "admin")
        client.force_login(adam.user)
        assert "Only an owner" in client.post(PAGE, form, follow=True).content.decode()
    assert len(events(cast.acme, "sso.unlink")) == 1
