"""Mails come in their reader's language: the one of the profile, else the browser's of whoever asks for the mail."""

from __future__ import annotations

import re

import pytest
from django.test import Client, RequestFactory
from django.utils import timezone, translation

from accounts.mail.languages import reader_language
from accounts.models import OutgoingMail
from accounts.sessions.device_names import device_label
from accounts.sign_in.mails import MAILS
from tests.accounts.organizations.test_invitations import invited
from tests.accounts.people import mails
from tests.support.accounts.cast import PASSWORD, Cast
from tests.support.accounts.mailbox import newest_mail

FIREFOX = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.mark.parametrize("name", MAILS)
def test_each_mail_of_the_front_door_is_whole_in_german(name: str, cast: Cast) -> None:
    context = {"request": RequestFactory().get("/"), "code": "AB-CD", "password_reset_url": "https://x.example/", "timestamp": timezone.now(),
               "from_email": "a@x.example", "to_email": "b@x.example", "deleted_email": "a@x.example", "provider_name": "GitHub"}  # fmt: skip
    texts = {}
    for language in ("en", "de"):
        with translation.override(language):
            mail = MAILS[name](context)
            texts[language] = [mail.subject, *mail.paragraphs, *mail.closing, *([mail.button[0]] if mail.button else [])]
            assert f'<html lang="{language}">' in mail.as_html()
    assert not set(texts["en"]) & set(texts["de"])


def test_the_profile_decides_and_then_the_browser(cast: Cast) -> None:
    german = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
    Client(headers=german).post("/accounts/code/", {"username": cast.bob.email})
    assert newest_mail(cast.bob.email).subject == "Ihr Code zur Anmeldung bei Parley"
    cast.bob.language = "en"
    cast.bob.save()
    Client(headers=german).post("/accounts/code/", {"username": cast.bob.email})
    assert newest_mail(cast.bob.email).subject == "Your code to sign in to Parley"
    Client(headers=german).post("/accounts/code/", {"username": "nobody@example.org"})
    assert newest_mail("nobody@example.org").subject == "Kein Konto mit dieser Adresse"
    cast.vera.language = "de"
    cast.vera.save()
    Client(headers={"User-Agent": FIREFOX}).post("/login/", {"username": cast.vera.email, "password": PASSWORD})
    mail = newest_mail(cast.vera.email)
    assert mail.subject == "Neue Anmeldung bei Parley"
    assert re.search(r"\d\. \w+ \d{4}, \d\d:\d\d Uhr UTC, von 127\.0\.0\.1 \(Firefox unter Windows\)\.", mail.text), mail.text
    assert '<html lang="de">' in mail.html
    assert device_label(FIREFOX) == "Firefox on Windows", "the page stays in the language of the product"


def test_an_invitation_is_in_the_language_of_its_reader_or_its_inviter(alice: Client, seeded_cast: Cast) -> None:
    def invite(email: str) -> OutgoingMail:
        invited(alice, email)
        return mails()[-1]

    seeded_cast.alice.language = "de"
    seeded_cast.alice.save()
    assert invite("new@example.org").subject == "Alice hat Sie zu Acme eingeladen"
    seeded_cast.charlie.language = "en"
    seeded_cast.charlie.save()
    assert invite(seeded_cast.charlie.email).subject == "Alice invited you to Acme"


def test_a_language_ends_with_its_block(cast: Cast) -> None:
    with reader_language(cast.bob.email, fallback="de"):
        assert translation.get_language() == "de"
    assert translation.get_language() == "en"
