"""A second factor: setting it up, signing in with it, and where it is required."""

from __future__ import annotations

import os
import re
import time
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.sign_in.factor_secrets import factors_reseal
from config.doctor.database import secrets_findings
from security.models import AuditEvent
from security.secrets.resealing import Rotation
from tenants.context import tenant_tx
from tenants.models import MemberGroup, Organization, User
from tests.accounts.test_sign_in import BOB
from tests.support.cast import PASSWORD, Cast
from tests.support.mailbox import mails_to

OPERATOR = "rita@example.org"


def code_for(secret: str) -> str:
    """The code of now; those of the periods before and after are accepted, too."""
    _, now, _ = yield_hotp_counters_from_time()
    return str(format_hotp_value(hotp_value(secret, now)))


def sign_in(email: str, client: Client | None = None) -> Client:
    client = client or Client()
    client.post("/login/", {"username": email, "password": PASSWORD})
    return client


def set_up_app(client: Client) -> tuple[str, list[str]]:
    """Set up an authenticator app after giving the password once more; return its key and the recovery codes."""
    client.post("/accounts/reauthenticate/", {"password": PASSWORD, "next": "/accounts/2fa/app/"})
    match = re.search(r"data-secret>(\w+)<", client.get("/accounts/2fa/app/").content.decode())
    assert match
    page = client.post("/accounts/2fa/app/", {"code": code_for(match[1])}, follow=True).content.decode()
    codes = re.findall(r"<li>([\w-]+)</li>", page)
    return match[1], codes


def asks(organization: Organization, **rule: Any) -> None:
    organization.policy = {"second_factor": {"since": timezone.now().isoformat(), "grace_days": 0, **rule}}
    organization.save()


def is_in(client: Client, path: str = "/o/acme/api/conversations/") -> bool:
    return bool(client.get(path).status_code == 200)


@pytest.mark.django_db(transaction=True)  # the library notes a new factor in the session after the commit
def test_with_an_app_the_password_is_not_enough(cast: Cast) -> None:
    secret, codes = set_up_app(sign_in(BOB))
    assert len(codes) == 10
    client = Client()
    assert client.post("/login/", {"username": BOB, "password": PASSWORD}).headers["Location"] == "/accounts/2fa/authenticate/"
    assert not is_in(client)
    assert "This code is not right" in client.post("/accounts/2fa/authenticate/", {"code": "000000"}).content.decode()
    assert not is_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": code_for(secret)})
    assert is_in(client)
    assert "Authenticator app added" in [mail.subject for mail in mails_to(BOB)]


def test_a_recovery_code_works_once(cast: Cast) -> None:
    _, codes = set_up_app(sign_in(BOB))
    for expected in (True, False):
        client = sign_in(BOB)
        client.post("/accounts/2fa/authenticate/", {"code": codes[0]})
        assert is_in(client) == expected


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_secrets_are_sealed_and_go_on_under_a_new_key(cast: Cast, settings: Settings) -> None:
    secret, codes = set_up_app(sign_in(BOB))
    assert secret not in str(list(Authenticator.objects.values_list("data", flat=True)))

    settings.CREDENTIAL_KEYS = {"next": os.urandom(32), **settings.CREDENTIAL_KEYS}
    out = StringIO()
    call_command("rotate_secrets", stdout=out)
    assert out.getvalue().startswith("2 secrets sealed"), "the app's and the recovery codes'"
    settings.CREDENTIAL_KEYS = {"third": os.urandom(32), "next": settings.CREDENTIAL_KEYS["next"]}
    assert [factors_reseal(batch_size=1) for _ in range(2)] == [Rotation(2, ()), Rotation(0, ())]
    settings.CREDENTIAL_KEYS = {"third": settings.CREDENTIAL_KEYS["third"]}
    for code in (code_for(secret), codes[0]):
        client = sign_in(BOB)
        client.post("/accounts/2fa/authenticate/", {"code": code})
        assert is_in(client)

    assert [finding.level for finding in secrets_findings()] == ["ok"]

    settings.CREDENTIAL_KEYS = {"other": os.urandom(32)}
    [finding] = secrets_findings()
    assert (finding.level, finding.subject) == ("error", "second factors")
    assert "2 second factors" in finding.text
    assert "Put third back into CREDENTIAL_KEYS" in finding.advice
    client = sign_in(BOB)
    for code in (code_for(secret), codes[1]):
        assert "This code is not right" in client.post("/accounts/2fa/authenticate/", {"code": code}).content.decode()
    with pytest.raises(CommandError, match="2 secrets do not open"):
        call_command("rotate_secrets", stdout=StringIO())


def test_recovery_codes_are_shown_once(cast: Cast) -> None:
    client = sign_in(BOB)
    _, codes = set_up_app(client)
    page = client.get("/accounts/2fa/recovery-codes/").content.decode()
    assert not any(code in page for code in codes)
    assert "10 of 10 are left" in page


def test_a_known_password_does_not_free_guesses_at_the_code(cast: Cast) -> None:
    set_up_app(sign_in(BOB))
    client = Client()
    for _ in range(5):
        sign_in(BOB, client)
        client.post("/accounts/2fa/authenticate/", {"code": "000000"})
    page = client.post("/accounts/2fa/authenticate/", {"code": "000000"}).content.decode()
    assert "Too many attempts" in page


def test_a_code_by_mail_is_followed_by_the_second_factor(client: Client, cast: Cast) -> None:
    from tests.support.mailbox import code_in

    set_up_app(sign_in(BOB))
    client.post("/accounts/code/", {"username": BOB})
    mail = next(mail for mail in reversed(mails_to(BOB)) if mail.kind == "sign_in_code")
    response = client.post("/accounts/code/confirm/", {"code": code_in(mail)})
    assert response.headers["Location"] == "/accounts/2fa/authenticate/"
    assert not is_in(client)


def test_changing_factors_asks_for_the_password_first(client: Client, cast: Cast) -> None:
    client.force_login(cast.bob)
    assert client.get("/accounts/2fa/app/").headers["Location"] == "/accounts/reauthenticate/?next=%2Faccounts%2F2fa%2Fapp%2F"
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert client.get("/accounts/2fa/app/").status_code == 200
    session = client.session
    steps = session["account_authentication_methods"]
    session["account_authentication_methods"] = [{**step, "at": time.time() - 16 * 60} for step in steps]
    session.save()
    assert client.get("/accounts/2fa/app/").status_code == 302


@pytest.mark.parametrize(("rule", "who", "enters"), [
    ({}, "bob", False),
    ({"roles": ["owner", "admin"]}, "alice", False),
    ({"roles": ["owner", "admin"]}, "bob", True),
    ({"grace_days": 7}, "bob", True),
    ({"since": "no date"}, "bob", False),
])  # fmt: skip
def test_an_organization_asks_for_it_by_role_and_after_days_of_grace(rule: dict[str, Any], who: str, enters: bool, cast: Cast) -> None:
    client = sign_in(f"{who}@example.org")
    assert is_in(client)
    asks(cast.acme, **rule)
    assert is_in(client) == enters
    page = client.get("/o/acme/", headers={"Accept": "text/html"})
    assert (page.status_code == 200) == enters
    if not enters:
        assert page.headers["Location"] == "/accounts/?next=/o/acme/"
        assert client.get("/o/acme/api/conversations/").json()["error"]["code"] == "second_factor_needed"


def test_the_organizations_admin_site_asks_for_it_too(cast: Cast) -> None:
    client = sign_in("alice@example.org")
    page = "/o/acme/admin/tenants/membergroup/"
    assert is_in(client, page)
    asks(cast.acme, roles=["owner", "admin"])
    assert client.get(page).headers["Location"] == f"/accounts/?next={page}"
    assert client.post(f"{page}add/", {"name": "Sales"}).status_code == 403
    with tenant_tx(cast.acme.pk):
        assert not MemberGroup.objects.exists()


def test_days_of_grace_begin_when_somebody_joins(cast: Cast) -> None:
    client = sign_in(BOB)
    asks(cast.acme, since=(timezone.now() - timedelta(days=30)).isoformat(), grace_days=7)
    cast.bob.memberships.update(created_at=timezone.now() - timedelta(days=8))
    assert not is_in(client)
    cast.bob.memberships.update(created_at=timezone.now() - timedelta(days=6))
    assert is_in(client)


@pytest.mark.django_db(transaction=True)  # the library locks rows, which needs a transaction of its own role
def test_new_recovery_codes_replace_the_old_ones(cast: Cast) -> None:
    client = sign_in(BOB)
    _, old = set_up_app(client)
    page = client.post("/accounts/2fa/recovery-codes/new/", follow=True).content.decode()
    new = re.findall(r"<li>([\w-]+)</li>", page)
    assert len(new) == 10
    assert not {*new} & {*old}
    other = sign_in(BOB)
    other.post("/accounts/2fa/authenticate/", {"code": old[0]})
    assert not is_in(other)
    other.post("/accounts/2fa/authenticate/", {"code": new[0]})
    assert is_in(other)


@pytest.mark.django_db(transaction=True)  # the library notes a new factor in the session after the commit
def test_who_has_set_it_up_enters_and_another_organization_does_not_ask(cast: Cast) -> None:
    client = sign_in(BOB)
    earlier = sign_in(BOB)
    asks(cast.acme)
    assert not is_in(client)
    assert "asks for a second factor" in client.get("/accounts/?next=/o/acme/").content.decode()
    secret, _ = set_up_app(client)
    assert is_in(client)
    assert '<a href="/o/acme/">Continue</a>' in client.get("/accounts/").content.decode()

    assert not is_in(earlier)
    assert "/accounts/2fa/confirm/?next=%2Fo%2Facme%2F" in earlier.get("/accounts/?next=/o/acme/").content.decode()
    response = earlier.post("/accounts/2fa/confirm/", {"code": code_for(secret), "next": "/o/acme/"})
    assert response.headers["Location"] == "/o/acme/"
    assert is_in(earlier)
    charlie = sign_in("charlie@example.org")
    assert is_in(charlie, "/o/other/api/conversations/")


@pytest.mark.django_db(transaction=True)  # the library notes a new factor in the session after the commit
def test_the_factor_of_somebody_who_was_signed_in_before_does_not_count(cast: Cast) -> None:
    client = sign_in(BOB)
    set_up_app(client)
    asks(cast.acme)
    steps = client.session["account_authentication_methods"]
    client.force_login(cast.vera)
    session = client.session
    session["account_authentication_methods"] = steps
    session["account_authentication_methods_user"] = str(cast.bob.pk)
    session.save()
    assert not is_in(client)


@pytest.mark.django_db(transaction=True)  # the library notes a new factor in the session after the commit
@pytest.mark.parametrize("page", ["", "accounts/outgoingmail/"])
def test_the_operators_site_asks_for_it(page: str, cast: Cast, settings: Settings) -> None:
    settings.OPERATOR_SECOND_FACTOR = True
    User.objects.create_superuser(OPERATOR, PASSWORD)
    client = sign_in(OPERATOR)
    assert client.get(f"/operator/{page}").headers["Location"] == f"/accounts/?next=/operator/{page}"
    assert sign_in(BOB).get(f"/operator/{page}").status_code == 404
    set_up_app(client)
    assert client.get(f"/operator/{page}").status_code == 200


@pytest.mark.django_db(transaction=True)  # as above
def test_without_its_last_factor_a_session_has_none(cast: Cast) -> None:
    client = sign_in(BOB)
    set_up_app(client)
    client.post("/accounts/2fa/app/remove/")
    asks(cast.acme)
    assert not is_in(client)
    with tenant_tx(cast.acme.id):
        actions = [*AuditEvent.objects.values_list("action", "detail__type").order_by("created_at")]
    assert ("user.factor_add", "totp") in actions
    assert ("user.factor_remove", "totp") in actions


def passkey_of(user: User) -> Authenticator:
    return Authenticator.objects.create(user=user, type=Authenticator.Type.WEBAUTHN, data={"name": "Laptop", "credential": {}})


def factors_of(user: User) -> list[str]:
    return sorted(Authenticator.objects.filter(user=user).exclude(type="recovery_codes").values_list("type", flat=True))


@pytest.mark.django_db(transaction=True)  # as above
def test_the_last_factor_that_an_organization_asks_for_stays(cast: Cast) -> None:
    client = sign_in(BOB)
    set_up_app(client)
    asks(cast.acme)
    page = client.get("/accounts/").content.decode()
    assert "Acme asks for a second factor, and this is your only one." in page
    assert "/accounts/2fa/app/remove/" not in page
    html = client.post("/accounts/2fa/app/remove/", follow=True).content.decode()
    assert (html.count("this is your only one"), factors_of(cast.bob)) == (2, ["totp"])

    passkey_of(cast.bob)
    assert "/accounts/2fa/app/remove/" in client.get("/accounts/").content.decode()
    client.post("/accounts/2fa/app/remove/")
    assert factors_of(cast.bob) == ["webauthn"]


@pytest.mark.django_db(transaction=True)  # as above
@pytest.mark.parametrize(("rule", "stays"), [({}, True), ({"roles": ["owner"]}, False), (None, False)])
def test_a_last_passkey_stays_only_where_it_is_asked_for(rule: dict[str, Any] | None, stays: bool, cast: Cast) -> None:
    client = sign_in(BOB)
    passkey = passkey_of(cast.bob)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    if rule is not None:
        asks(cast.acme, **rule)
    asks(cast.other)  # whose member Bob is not
    client.post(f"/accounts/2fa/passkeys/{passkey.pk}/remove/")
    assert factors_of(cast.bob) == (["webauthn"] if stays else [])
