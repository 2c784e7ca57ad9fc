"""Whether mail can go out is known before somebody waits for one, and a mail server that is away stops nothing."""

from __future__ import annotations

import smtplib
import socket
import ssl
from typing import Any

import pytest
from django.core import mail as django_mail
from django.test import Client
from pytest_django import Settings

from accounts.mail.server import mail_server_check, mail_server_state, problem_of
from accounts.models import OutgoingMail
from accounts.tasks import mail_server_check_task
from tenants.models import User
from tests.support.accounts.cast import PASSWORD, Cast

pytestmark = pytest.mark.django_db

BOX = "/operator/accounts/outgoingmail/"


@pytest.fixture
def operator() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("rita@example.org", PASSWORD))
    return client


@pytest.fixture
def nobody_there(settings: Settings) -> str:
    """A mail server at a port at which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = "django.core.mail.backends.smtp.EmailBackend", "127.0.0.1", port
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    return f"127.0.0.1:{port}"


@pytest.mark.parametrize(("error", "says"), [
    (smtplib.SMTPAuthenticationError(535, b"rita@example.org: bad password hunter2"), "refuses user name or password"),
    (smtplib.SMTPNotSupportedError("STARTTLS extension not supported by server."), "STARTTLS or a sign-in"),
    (smtplib.SMTPSenderRefused(550, b"no", "x@y.example"), "refuses the sender"),
    (smtplib.SMTPRecipientsRefused({}), "refuses the recipient"),
    (ssl.SSLCertVerificationError("hostname mismatch"), "certificate"),
    (ssl.SSLError("wrong version number"), "speaks no TLS"),
    (socket.gaierror(-2, "Name or service not known"), "can't be found"),
    (ConnectionRefusedError(), "Nothing answers"),
    (TimeoutError(), "did not answer within"),
    (smtplib.SMTPDataError(554, b"rejected: hunter2"), "SMTPDataError"),
])  # fmt: skip
def test_what_is_wrong_is_said_and_what_the_server_said_is_not(error: Exception, says: str, settings: Any) -> None:
    settings.EMAIL_HOST, settings.EMAIL_PORT = "mail.example", 587
    assert says in problem_of(error)
    assert "mail.example:587" in problem_of(error)
    assert "hunter2" not in problem_of(error)


def test_the_operator_sees_what_the_last_check_found(operator: Client, nobody_there: str, caplog: pytest.LogCaptureFixture) -> None:
    assert not mail_server_check_task()
    assert f"Nothing answers at {nobody_there}" in operator.get(BOX).content.decode()
    assert "mail_server_unusable" in caplog.text
    answer = operator.post(f"{BOX}check-server/", follow=True).content.decode()
    assert f"Nothing answers at {nobody_there}" in answer
    html = operator.post(f"{BOX}try-server/", follow=True).content.decode()
    assert f"Nothing answers at {nobody_there}" in html
    assert operator.get(f"{BOX}check-server/").status_code == 405


def test_a_server_that_can_be_used_is_said_too(operator: Client, settings: Settings) -> None:
    settings.EMAIL_HOST = "mail.example"
    assert "lets Parley in" in operator.post(f"{BOX}check-server/", follow=True).content.decode()
    state = mail_server_state()
    assert state is not None
    assert state.problem == ""
    assert "on its way to rita@example.org" in operator.post(f"{BOX}try-server/", follow=True).content.decode()
    [message] = django_mail.outbox
    assert (message.subject, message.to) == ("Parley can send mail", ["rita@example.org"])
    assert "text/html" in str(message.message())
    assert not OutgoingMail.objects.exists()


def test_without_a_server_there_is_nothing_to_check(operator: Client, settings: Settings) -> None:
    settings.EMAIL_HOST = ""
    assert mail_server_check().problem == ""
    assert "No mail server is set" in operator.post(f"{BOX}check-server/", follow=True).content.decode()


def test_only_operators_try_it(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.alice)
    assert [client.post(f"{BOX}{page}/").status_code for page in ("check-server", "try-server")] == [404, 404]
