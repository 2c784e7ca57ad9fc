"""A release goes live at the time that an admin set: what was reviewed, once, and not against somebody who left."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import OutgoingMail
from admin_config.models import AgentConfig, AppSettings, ProviderEndpoint, Release, ScheduledRelease
from admin_config.services.configuration import credential_set
from admin_config.services.selectors import live_release
from evaluations.schedules import schedules_publish
from security.models import AuditEvent
from tenants.context import identity_tx, tenant_tx
from tenants.models import Membership, User
from tests.admin_config.conftest import SignedIn, seeded_cast
from tests.admin_config.pages import ACME
from tests.support.accounts.cast import Cast

__all__ = ["seeded_cast"]
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system", "auth"])

RELEASES = f"{ACME}admin_config/release/"
PUBLISH = f"{RELEASES}publish/"
AGENT = "chat_model_agent_google"


@pytest.fixture
def alice(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    return signed_in(seeded_cast.alice)


def change_draft(cast: Cast, prompt: str) -> None:
    with tenant_tx(cast.acme.pk):
        AgentConfig.objects.filter(key=AGENT).update(system_prompt=prompt)


def schedule(client: Client, publish_at: str | None = None) -> str:
    [draft_hash] = re.findall(r'name="seen" value="(\w+)"', client.get(PUBLISH).content.decode())
    at = f"{timezone.now() + timedelta(days=2):%Y-%m-%dT%H:%M}" if publish_at is None else publish_at
    form = {"note": "Dates", "seen": draft_hash, "audience": "later", "publish_at": at}
    html: str = client.post(PUBLISH, form, follow=True).content.decode()
    return html


def live_prompt(cast: Cast) -> tuple[int, str]:
    with tenant_tx(cast.acme.pk):
        live = live_release(organization_id=cast.acme.pk)
        return live.number, live.snapshot.agents[AGENT].system_prompt


def let_the_time_come(cast: Cast) -> ScheduledRelease:
    with tenant_tx(cast.acme.pk):
        ScheduledRelease.objects.filter(ended_at=None).update(publish_at=timezone.now())
        return ScheduledRelease.objects.select_related("release").latest("created_at")


def test_what_was_reviewed_goes_live_at_its_time(seeded_cast: Cast, alice: Client, signed_in: SignedIn) -> None:
    change_draft(seeded_cast, "Be kind.")
    for wrong in ("", "soon", "2020-01-01T10:00", "9999-12-31T23:59"):
        assert re.search("Choose a (day and a )?time", schedule(alice, wrong))
    assert re.search(r"Release 2 goes live on \d+ \w+, \d\d:\d\d UTC\.", schedule(alice))
    change_draft(seeded_cast, "Be blunt.")
    assert schedules_publish() == 0
    assert live_prompt(seeded_cast)[0] == 1
    html = alice.get(PUBLISH).content.decode()
    assert "Publish it now or cancel it before you publish something else." in html
    with tenant_tx(seeded_cast.acme.pk):
        scheduled_release = ScheduledRelease.objects.get()
    charlie = signed_in(seeded_cast.charlie)
    assert charlie.post(f"{RELEASES.replace('acme', 'other')}scheduled/{scheduled_release.pk}/publish/").status_code == 404
    assert signed_in(seeded_cast.vera).post(f"{RELEASES}scheduled/{scheduled_release.pk}/cancel/").status_code in (403, 404)

    let_the_time_come(seeded_cast)
    assert schedules_publish() == 1
    assert live_prompt(seeded_cast) == (2, "Be kind.")
    assert schedules_publish() == 0
    with tenant_tx(seeded_cast.acme.pk):
        event = AuditEvent.objects.filter(action="release.publish").latest("created_at")
        assert AppSettings.objects.get().publish_on_save is False
        ScheduledRelease.objects.update(is_announced=False)  # as a worker leaves it that dies before it has written the mails
    assert (event.actor_user_id, event.detail["number"], "scheduled" in event.detail) == (seeded_cast.alice.pk, 2, True)
    assert schedules_publish() == 1
    mails = list(OutgoingMail.objects.filter(kind="schedule").values_list("recipient", "subject"))
    assert mails == [("alice@example.org", "Release 2 of Acme is live for everyone")]
    assert "Review and publish" in alice.get(RELEASES).content.decode()  # what was changed since


def test_it_can_be_cancelled_or_published_before_and_a_rollback_cancels_it(seeded_cast: Cast, alice: Client) -> None:
    def end(name: str) -> str:
        with tenant_tx(seeded_cast.acme.pk):
            pk = ScheduledRelease.objects.latest("created_at").pk
        html: str = alice.post(f"{RELEASES}scheduled/{pk}/{name}/", follow=True).content.decode()
        return html

    change_draft(seeded_cast, "Be kind.")
    schedule(alice)
    assert "Release 2 is cancelled. Its changes are still in the draft." in end("cancel")
    assert "It has been published or cancelled already." in end("publish")
    with tenant_tx(seeded_cast.acme.pk):
        release_id = ScheduledRelease.objects.get().release_id
    back = alice.post(f"{RELEASES}{release_id}/restore/", follow=True).content.decode()
    assert "This release was never live for everyone." in back
    schedule(alice)
    assert "Release 3 is live for everyone." in end("publish")
    assert live_prompt(seeded_cast) == (3, "Be kind.")

    change_draft(seeded_cast, "Be blunt.")
    schedule(alice)
    with tenant_tx(seeded_cast.acme.pk):
        third = ScheduledRelease.objects.get(outcome="live").release_id
    alice.post(f"{RELEASES}{third}/restore/")
    scheduled_release = let_the_time_come(seeded_cast)
    assert (scheduled_release.outcome, scheduled_release.reason) == ("cancelled", "An older release was restored.")
    assert schedules_publish() == 0
    with tenant_tx(seeded_cast.acme.pk):
        assert AuditEvent.objects.filter(action="release.unschedule").count() == 2
        assert AuditEvent.objects.filter(action="release.schedule").count() == 3

    schedule(alice)
    with tenant_tx(seeded_cast.acme.pk):
        release_number = ScheduledRelease.objects.latest("created_at").release.number
        credential_set(endpoint=ProviderEndpoint.objects.get(provider="google"), value="another key")
    assert f"Release {release_number + 1} is live for everyone: it is release {release_number} with the keys of today." in end("publish")
    assert live_prompt(seeded_cast) == (release_number + 1, "Be blunt.")


@pytest.mark.parametrize("cause", ["role", "account"])
def test_whoever_is_no_admin_any_more_publishes_nothing(seeded_cast: Cast, signed_in: SignedIn, cause: str) -> None:
    acme, bob = seeded_cast.acme, seeded_cast.bob
    with identity_tx(acme.pk, acting_user_id=seeded_cast.alice.pk):
        Membership.objects.filter(user=bob).update(role=Membership.Role.ADMIN)
    change_draft(seeded_cast, "Be kind.")
    schedule(signed_in(bob))
    if cause == "account":
        User.objects.filter(pk=bob.pk).update(is_active=False)
    else:
        with identity_tx(acme.pk, acting_user_id=seeded_cast.alice.pk):
            Membership.objects.filter(user=bob).update(role=Membership.Role.MEMBER)
    let_the_time_come(seeded_cast)
    assert schedules_publish() == 1
    assert live_prompt(seeded_cast)[0] == 1
    assert let_the_time_come(seeded_cast).reason.endswith("is no longer an admin.")
    mails = list(OutgoingMail.objects.filter(kind="schedule").values_list("recipient", "subject"))
    assert mails == [("alice@example.org", "Release 2 of Acme was not published")]
    assert "not published" in signed_in(seeded_cast.alice).get(RELEASES).content.decode()


def test_a_release_that_cannot_be_read_keeps_no_other_organization_waiting(seeded_cast: Cast, alice: Client) -> None:
    with tenant_tx(seeded_cast.other.pk):
        release = Release.objects.create(number=2, content={}, content_hash="none", author=seeded_cast.charlie, note="Broken")
        ScheduledRelease.objects.create(release=release, publish_at=timezone.now() - timedelta(hours=1))
    change_draft(seeded_cast, "Be kind.")
    schedule(alice)
    let_the_time_come(seeded_cast)
    assert schedules_publish() == 1
    assert live_prompt(seeded_cast) == (2, "Be kind.")
