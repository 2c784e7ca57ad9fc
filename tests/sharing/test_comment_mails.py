"""Mails about comments: who gets them, and how often."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from sharing.models import Share
from tenants.context import tenant_tx
from tests.rest.conftest import post, signed_in
from tests.sharing.conftest import share
from tests.sharing.support import Talk
from tests.sharing.test_rights import SHARES, named_audience, patch
from tests.support.accounts.cast import Cast
from tests.support.accounts.mailbox import mails_to

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]


def test_owner_and_commenters_get_a_mail_each_hour_unless_they_switch_it_off(cast: Cast, bob: Client, talk: Talk) -> None:
    link = share(bob, **talk.document(), **named_audience(cast, cast.alice, cast.vera))
    alice, place = signed_in(cast.alice), {"artifactId": str(talk.artifact.pk), "version": 1}

    def say(client: Client, text: str) -> None:
        assert post(client, f"{SHARES}{link['id']}/comments/", {"text": text, **place}).status_code == 201

    say(alice, "Which lane?")
    [mail] = mails_to("bob@example.org")
    assert (mail.kind, mail.subject) == ("comment", "Alice commented on “Brief for Jonas”")
    assert (f"/o/acme/shared/{link['id']}/" in mail.text, "Which lane?" in mail.text) == (True, False)
    say(alice, "And when?")
    say(bob, "The first one.")
    assert [len(mails_to(f"{name}@example.org")) for name in ("bob", "alice", "vera", "charlie")] == [1, 1, 0, 0]

    for client in (bob, alice):
        assert patch(client, "/o/acme/api/me/", {"commentMails": False}).json()["commentMails"] is False
    other = share(bob, **talk.document(), **named_audience(cast, cast.alice))
    assert post(alice, f"{SHARES}{other['id']}/comments/", {"text": "Here, too.", **place}).status_code == 201
    assert [len(mails_to(f"{name}@example.org")) for name in ("bob", "alice")] == [1, 1]


def test_nobody_whom_an_expired_link_named_gets_a_mail_about_what_its_owner_writes_there(cast: Cast, bob: Client, talk: Talk) -> None:
    link = share(bob, **talk.document(), **named_audience(cast, cast.alice))
    new = {"text": "Which lane?", "artifactId": str(talk.artifact.pk), "version": 1}
    assert post(signed_in(cast.alice), f"{SHARES}{link['id']}/comments/", new).status_code == 201
    with tenant_tx(cast.acme.pk):
        Share.objects.filter(pk=link["id"]).update(expires_at=timezone.now() - timedelta(days=1))
    assert post(bob, f"{SHARES}{link['id']}/comments/", new).status_code == 201
    assert [len(mails_to(f"{name}@example.org")) for name in ("bob", "alice")] == [1, 0]
