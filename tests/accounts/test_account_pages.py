"""One's own account: password, addresses, devices; and the operator's mail box and command."""

from __future__ import annotations

import io
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings as django_settings
from django.core import mail as django_mail
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.mail.outbox import mail_write
from accounts.sessions.device_names import device_label
from tenants.models import Membership, Session, User
from tests.accounts.sign_in.second_factor import sign_in
from tests.accounts.sign_in.test_sign_in import BOB
from tests.accounts.test_mail import MAIL
from tests.support.accounts.cast import PASSWORD, Cast
from tests.support.accounts.mailbox import code_in, mails_to, newest_mail

NEW_PASSWORD = "seven green umbrellas"
WORK = "bob@northwind.example"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture
def bob(cast: Cast) -> Client:
    """Signed in, and asked for the password a moment ago."""
    client = sign_in(BOB)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


@pytest.mark.parametrize("path", ["", "password/", "addresses/", "sessions/", "2fa/app/", "2fa/passkeys/add/", "reauthenticate/"])
def test_strangers_are_sent_to_sign_in(path: str, client: Client, db: None) -> None:
    response = client.get(f"/accounts/{path}")
    assert response.headers["Location"].startswith("/login/")


def test_a_password_is_changed_and_other_sessions_end(bob: Client, cast: Cast) -> None:
    elsewhere = sign_in(BOB)
    wrong = bob.post("/accounts/password/", {"oldpassword": "wrong", "password1": NEW_PASSWORD})
    assert "This is not your current password" in wrong.content.decode()
    assert bob.post("/accounts/password/", {"oldpassword": PASSWORD, "password1": NEW_PASSWORD}).status_code == 302
    assert bob.get("/o/acme/api/conversations/").status_code == 200
    assert elsewhere.get("/o/acme/api/conversations/").status_code == 401
    assert newest_mail(BOB).subject == "Your password was changed"


def test_an_address_is_added_confirmed_and_made_the_main_one(bob: Client, cast: Cast) -> None:
    bob.post("/accounts/addresses/", {"email": WORK, "action_add": "1"})
    bob.post("/accounts/verify/", {"code": code_in(newest_mail(WORK))})
    bob.post("/accounts/addresses/", {"email": WORK, "action_primary": "1"})
    cast.bob.refresh_from_db()
    assert cast.bob.email == WORK
    assert newest_mail(BOB).subject == "Your address was changed"
    assert sign_in(WORK).get("/o/acme/").status_code == 200
    bob.post("/accounts/addresses/", {"email": BOB, "action_remove": "1"})
    assert [*EmailAddress.objects.filter(user=cast.bob).values_list("email", flat=True)] == [WORK]


def test_an_address_of_somebody_else_can_not_be_taken(bob: Client, cast: Cast) -> None:
    page = bob.post("/accounts/addresses/", {"email": "vera@example.org", "action_add": "1"}, follow=True).content.decode()
    assert "We sent a code" in page  # the same as for a free one
    bob.post("/accounts/verify/", {"code": code_in(newest_mail("vera@example.org"))})
    assert not EmailAddress.objects.filter(user=cast.bob, email="vera@example.org").exists()


def test_addresses_are_not_changed_without_the_password(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.bob)
    response = client.post("/accounts/addresses/", {"email": WORK, "action_add": "1"})
    assert response.headers["Location"].startswith("/accounts/reauthenticate/")
    assert mails_to(WORK) == []


def test_an_address_that_the_operator_changes_is_the_one_to_sign_in_with(bob: Client, cast: Cast) -> None:
    assert EmailAddress.objects.filter(user=cast.bob, email=BOB, primary=True).exists()
    cast.bob.email = WORK
    cast.bob.save()
    assert [*EmailAddress.objects.filter(user=cast.bob).values_list("email", "primary", "verified")] == [(WORK, True, True)]
    assert sign_in(WORK).get("/o/acme/").status_code == 200
    assert sign_in(BOB).get("/o/acme/api/conversations/").status_code == 401


def test_devices_are_listed_and_ended(cast: Cast) -> None:
    phone = sign_in(BOB, Client(headers={"User-Agent": FIREFOX}))
    laptop = sign_in(BOB)
    other = sign_in("vera@example.org")
    page = laptop.get("/accounts/sessions/")
    assert "Firefox on Linux" in page.content.decode()
    [_, phones] = page.context["sessions"]
    other.post("/accounts/sessions/", {"session": phones.id})  # not Vera's to end
    assert phone.get("/o/acme/api/conversations/").status_code == 200
    laptop.post("/accounts/sessions/", {"session": phones.id})
    assert phone.get("/o/acme/api/conversations/").status_code == 401
    assert laptop.get("/o/acme/api/conversations/").status_code == 200


def test_all_other_devices_are_signed_out_at_once(cast: Cast) -> None:
    clients = [sign_in(BOB) for _ in range(3)]
    clients[0].post("/accounts/sessions/", {"action": "others"})
    assert [client.get("/o/acme/api/conversations/").status_code for client in clients] == [200, 401, 401]
    assert Session.objects.filter(user=cast.bob).count() == 1


@pytest.mark.parametrize(("agent", "label"), [
    (FIREFOX, "Firefox on Linux"),
    ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
    ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Safari/604.1", "Safari on iPhone"),
    ("curl/8.0", "Unknown device"),
    ("", "Unknown device"),
])  # fmt: skip
def test_a_device_is_called_what_people_call_it(agent: str, label: str) -> None:
    assert device_label(agent) == label


def test_a_device_that_is_new_is_told_by_mail_and_a_known_one_is_not(cast: Cast) -> None:
    laptop = sign_in(BOB)
    assert [mail.subject for mail in mails_to(BOB)] == ["New sign-in to Parley"]
    assert "from 127.0.0.1 (Unknown device)." in newest_mail(BOB).text
    laptop.post("/logout/")
    sign_in(BOB, laptop)
    assert len(mails_to(BOB)) == 1


def test_the_operator_reads_kept_mails(client: Client, db: None) -> None:
    client.force_login(User.objects.create_superuser("rita@example.org", PASSWORD))
    mail = mail_write(to=WORK, mail=MAIL)
    assert mail
    assert "Hello" in client.get("/operator/accounts/outgoingmail/").content.decode()
    page = client.get(f"/operator/accounts/outgoingmail/{mail.pk}/change/").content.decode()
    assert "AB-CD" in page
    assert "&lt;b&gt;" in page
    response = client.post("/operator/accounts/outgoingmail/try-server/", follow=True)
    assert client.post("/operator/accounts/outgoingmail/add/").status_code == 403
    assert "No mail server is set" in response.content.decode()
    assert client.get("/operator/accounts/outgoingmail/try-server/").status_code == 405


def test_the_mail_server_is_tried_at_once(client: Client, settings: Any, db: None) -> None:
    settings.EMAIL_HOST = "mail.example"
    client.force_login(User.objects.create_superuser("rita@example.org", PASSWORD))
    assert "on its way to rita@example.org" in client.post("/operator/accounts/outgoingmail/try-server/", follow=True).content.decode()
    assert django_mail.outbox[0].to == ["rita@example.org"]
    settings.EMAIL_BACKEND = "tests.accounts.test_mail.Away"
    assert "SMTPServerDisconnected" in client.post("/operator/accounts/outgoingmail/try-server/", follow=True).content.decode()


def test_a_command_makes_an_operator(monkeypatch: pytest.MonkeyPatch, cast: Cast) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("seven green umbrellas\n"))
    output = io.StringIO()
    call_command("operator_create", "Rita@Example.org", name="Rita", organization="Rita's Books", stdout=output)
    assert f"{django_settings.PUBLIC_URL}/o/ritas-books/" in output.getvalue()
    rita = User.objects.get(email="rita@example.org")
    assert rita.is_superuser
    assert rita.check_password(NEW_PASSWORD)
    assert Membership.objects.get(user=rita).role == Membership.Role.OWNER
    call_command("operator_create", BOB, stdout=io.StringIO())
    cast.bob.refresh_from_db()
    assert cast.bob.is_superuser
    assert cast.bob.check_password(PASSWORD)


@pytest.mark.parametrize("password", ["short", "password123"])
def test_a_command_refuses_weak_passwords(password: str, monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{password}\n"))
    with pytest.raises(CommandError):
        call_command("operator_create", "rita@example.org")
    assert not User.objects.exists()
