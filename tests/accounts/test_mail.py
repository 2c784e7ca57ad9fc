"""Mails go out once, after the commit, and again only when the server did not take them."""

from __future__ import annotations

import smtplib
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail as django_mail
from django.core.mail.backends import locmem
from django.utils import timezone
from pytest_django import Settings

from accounts.mail.message import Mail
from accounts.mail.outbox import mail_deliver, mail_write, mails_due, mails_forget
from accounts.models import OutgoingMail
from accounts.tasks import mails_send

MAIL = Mail(kind="test", subject="Hello", paragraphs=["A <b> & c"], code="AB-CD", button=("Open", "https://example.org/?a=1&b=2"))
TO = "dana@northwind.example"

pytestmark = pytest.mark.django_db


class Away(locmem.EmailBackend):
    """A mail server that does not answer."""

    def open(self) -> bool:
        raise smtplib.SMTPServerDisconnected("dana@northwind.example: secret code AB-CD")


class BreaksOff(locmem.EmailBackend):
    """A mail server that takes a mail, and loses the connection before it says so."""

    def send_messages(self, messages: Any) -> int:
        super().send_messages(messages)
        raise smtplib.SMTPServerDisconnected("Connection unexpectedly closed")


class WorkerDies(locmem.EmailBackend):
    """The end of a worker between sending a mail and noting it."""

    def send_messages(self, messages: Any) -> int:
        super().send_messages(messages)
        raise SystemExit


class Full(locmem.EmailBackend):
    """A mail server that says that it takes no mail now."""

    def send_messages(self, messages: Any) -> int:
        raise smtplib.SMTPDataError(452, b"Insufficient system storage")


@pytest.fixture
def server(settings: Settings) -> Settings:
    settings.EMAIL_HOST = "mail.example"
    return settings


def write(key: str | None = None) -> OutgoingMail:
    mail = mail_write(to=TO, mail=MAIL, key=key)
    assert mail
    return mail


def test_without_a_server_a_mail_is_kept() -> None:
    mail = write()
    assert (mail.state, mails_due()) == ("kept", [])
    assert "A <b> & c\n\n    AB-CD\n\nOpen: https://example.org/?a=1&b=2" in mail.text
    assert "A &lt;b&gt; &amp; c" in mail.html


def test_a_mail_goes_out_once_and_its_texts_are_forgotten(server: Settings) -> None:
    row = write()
    assert mail_deliver(mail_id=row.pk)
    assert not mail_deliver(mail_id=row.pk)
    [message] = django_mail.outbox
    assert (message.to, message.subject, message.from_email) == ([TO], "Hello", server.DEFAULT_FROM_EMAIL)
    assert "AB-CD" in message.body
    assert "text/html" in str(message.message())
    row.refresh_from_db()
    assert (row.state, row.text, row.html) == ("sent", "", "")


def test_a_name_of_two_lines_in_a_subject_holds_no_mail_back(server: Settings) -> None:
    row = mail_write(to=TO, mail=Mail(kind="test", subject="Dana\nNovak commented", paragraphs=["Hello"]))
    assert row is not None
    assert mail_deliver(mail_id=row.pk)
    assert django_mail.outbox[0].subject == "Dana Novak commented"


def test_a_mail_waits_longer_after_each_failure_and_is_given_up_in_the_end(server: Settings) -> None:
    server.EMAIL_BACKEND = f"{__name__}.Away"
    row = write()
    waits = []
    for _ in range(8):
        assert not mail_deliver(mail_id=row.pk)
        row.refresh_from_db()
        waits.append(round((row.next_try_at - timezone.now()).total_seconds() / 60) if row.next_try_at else None)
        assert not mail_deliver(mail_id=row.pk)  # not before its time
        OutgoingMail.objects.filter(pk=row.pk, state="waiting").update(next_try_at=timezone.now())
    assert waits == [1, 2, 4, 8, 16, 32, 64, None]
    assert (row.state, row.error) == ("failed", "SMTPServerDisconnected")


def test_a_sweep_sends_what_is_due(server: Settings) -> None:
    write()
    write()
    assert (mails_send(), mails_send()) == (2, 0)
    assert len(django_mail.outbox) == 2


def test_a_mail_that_can_not_be_made_holds_up_no_other(server: Settings) -> None:
    faulty_mail = write()
    OutgoingMail.objects.filter(pk=faulty_mail.pk).update(recipient="two\nlines@example.org")
    write()
    assert mails_send() == 1


def test_a_mail_that_a_process_left_behind_is_not_sent_again(server: Settings) -> None:
    row = write()
    OutgoingMail.objects.filter(pk=row.pk).update(state="sending", changed_at=timezone.now() - timedelta(minutes=11))
    assert mails_send() == 0
    row.refresh_from_db()
    assert (row.state, django_mail.outbox) == ("unclear", [])


def test_a_worker_that_dies_between_sending_and_noting_it_sends_nothing_twice(server: Settings) -> None:
    row = write()
    server.EMAIL_BACKEND = f"{__name__}.WorkerDies"
    with pytest.raises(SystemExit):
        mail_deliver(mail_id=row.pk)
    server.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert not mail_deliver(mail_id=row.pk), "the queue delivers the task of a lost worker again"
    OutgoingMail.objects.filter(pk=row.pk).update(changed_at=timezone.now() - timedelta(minutes=11))
    assert mails_send() == 0
    row.refresh_from_db()
    assert (row.state, row.text, len(django_mail.outbox)) == ("unclear", "", 1)


def test_a_server_that_breaks_off_is_not_asked_again_and_one_that_refuses_is(server: Settings) -> None:
    unclear_mail, retry_mail = write(), write()
    server.EMAIL_BACKEND = f"{__name__}.BreaksOff"
    assert not mail_deliver(mail_id=unclear_mail.pk)
    server.EMAIL_BACKEND = f"{__name__}.Full"
    assert not mail_deliver(mail_id=retry_mail.pk)
    server.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    OutgoingMail.objects.filter(state="waiting").update(next_try_at=timezone.now())
    assert mails_send() == 1
    assert [OutgoingMail.objects.get(pk=row.pk).state for row in (unclear_mail, retry_mail)] == ["unclear", "sent"]
    assert [message.extra_headers["Message-ID"].partition("@")[0] for message in django_mail.outbox] == [
        f"<{unclear_mail.pk}",
        f"<{retry_mail.pk}",
    ]


def test_the_same_mail_is_written_once() -> None:
    assert mail_write(to=TO, mail=MAIL, key="invitation:1")
    assert mail_write(to=TO, mail=MAIL, key="invitation:1") is None
    assert OutgoingMail.objects.count() == 1


def test_an_address_gets_a_limited_number_in_an_hour() -> None:
    assert [bool(mail_write(to=TO, mail=MAIL)) for _ in range(32)] == [True] * 30 + [False] * 2
    assert mail_write(to="other@northwind.example", mail=MAIL)


def test_old_mails_are_forgotten() -> None:
    write()
    OutgoingMail.objects.update(created_at=timezone.now() - timedelta(days=31))
    assert (mails_forget(), OutgoingMail.objects.count()) == (1, 0)
