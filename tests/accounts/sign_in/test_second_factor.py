"""A second factor: setting it up, and signing in with it."""

from __future__ import annotations

import os
import re
import time
from io import StringIO

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from accounts.sign_in.factor_secrets import factors_reseal
from config.doctor.database import secrets_findings
from security.models import AuditEvent
from security.secrets.resealing import Rotation
from tenants.context import tenant_tx
from tests.accounts.sign_in.second_factor import asks, code_for, is_in, set_up_app, sign_in
from tests.accounts.sign_in.test_sign_in import BOB
from tests.support.accounts.cast import PASSWORD, Cast
from tests.support.accounts.mailbox import mails_to


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
    from tests.support.accounts.mailbox import code_in

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
