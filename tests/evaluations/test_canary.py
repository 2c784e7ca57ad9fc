"""A release goes to some members first, and is promoted or taken back: by hand, or by its rules."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from accounts.models import OutgoingMail
from admin_config.models import AgentConfig, AppSettings, Canary, Release
from admin_config.services.canary.lifecycle import member_counts
from admin_config.services.selectors import live_release
from evaluations.canary.looks import canaries_decide
from evaluations.canary.rules import Rules
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import GroupMember, MemberGroup
from tests.admin_config.conftest import SignedIn, seeded_cast
from tests.admin_config.pages import ACME
from tests.support.accounts.cast import Cast
from tests.support.chat.release_runs import members_add, runs_add

__all__ = ["seeded_cast"]
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system", "auth"])

PUBLISH = f"{ACME}admin_config/release/publish/"


@pytest.fixture
def alice(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    return signed_in(seeded_cast.alice)


def change_draft(cast: Cast, prompt: str) -> None:
    with tenant_tx(cast.acme.pk):
        AgentConfig.objects.filter(key="chat_model_agent_google").update(system_prompt=prompt)


def publish(client: Client, **audience: str) -> str:
    [draft_hash] = re.findall(r'name="seen" value="(\w+)"', client.get(PUBLISH).content.decode())
    answer = client.post(PUBLISH, {"note": "Longer answers", "seen": draft_hash, **audience}, follow=True)
    html: str = answer.content.decode()
    return html


def canary_of(cast: Cast) -> Canary:
    with tenant_tx(cast.acme.pk):
        return Canary.objects.select_related("release", "base").latest("started_at")


def page_of(canary: Canary, name: str = "change") -> str:
    return f"{ACME}admin_config/canary/{canary.pk}/{name}/"


def release_of(cast: Cast, members: list[UUID]) -> dict[UUID, int]:
    """The number of the release that each member's next run starts with."""
    with tenant_tx(cast.acme.pk):
        return {member: live_release(organization_id=cast.acme.pk, membership_id=member).number for member in members}


def test_a_bad_release_goes_to_a_share_of_members_and_is_taken_back_by_itself(seeded_cast: Cast, alice: Client) -> None:
    acme = seeded_cast.acme
    members = members_add(acme, 60, acting=seeded_cast.alice)
    change_draft(seeded_cast, "Never come to an end.")
    assert "The share must be between 1 and 99 %." in publish(alice, audience="percent", percent="100")
    assert "Release 2 goes to 30 % of members." in publish(alice, audience="percent", percent="30")
    canary = canary_of(seeded_cast)
    numbers = release_of(seeded_cast, members)
    assert numbers == release_of(seeded_cast, members)
    inside = [member for member, number in numbers.items() if number == 2]
    with tenant_tx(acme.pk):
        assert live_release(organization_id=acme.pk).number == 1
        assert not AppSettings.objects.get().publish_on_save
        canary_count, total = member_counts(canary)
    assert (5 <= len(inside) <= 35, total) == (True, 63)
    assert canary_count - len(inside) in range(4)  # Alice, Bob and Vera are members, too
    with tenant_tx(seeded_cast.other.pk):
        assert live_release(organization_id=seeded_cast.other.pk, membership_id=inside[0]).number == 1
    assert "Not enough yet" in alice.get(page_of(canary)).content.decode()
    assert "The first figures come within a minute or two." in alice.get(ACME).content.decode()
    assert canaries_decide() == 0

    stops = {member: ["stopped", "done"] * 10 if member in inside else ["done"] * 4 for member in members}
    arms = {member: canary.release_id if member in inside else canary.base_id for member in members}
    runs_add(acme, arms, stops)
    html = alice.get(page_of(canary)).content.decode()
    assert "Over the limit" in html
    assert "Show as table" in html
    assert "0.0 % against 0.0 %" in html, "failed runs of both, at each look"
    assert 'class="is-curve"' not in html, "one point is no curve"
    assert "Release 2 is a canary" in alice.get(PUBLISH).content.decode()
    assert canaries_decide() == 1
    assert canaries_decide() == 0
    assert set(release_of(seeded_cast, members).values()) == {1}
    canary = canary_of(seeded_cast)
    assert (canary.outcome, canary.by_itself) == ("taken_back", True)
    assert canary.why.startswith("Answers stopped by members: 50.0 % against 0.0 % (+50.0 points")
    with translation.override("de"):
        assert canary.why.startswith("Von Mitgliedern gestoppte Antworten: 50,0 % gegenüber 0,0 % (+50,0 Punkte, sicher mehr")
    with tenant_tx(acme.pk):
        event = AuditEvent.objects.get(action="release.take_back")
    assert (event.actor_user_id, event.actor_kind, event.detail["reason"]) == (None, "system", canary.why)
    mails = list(OutgoingMail.objects.filter(kind="canary").values_list("recipient", "subject"))
    assert mails == [("alice@example.org", "Release 2 of Acme was taken back")]
    OutgoingMail.objects.filter(kind="canary").delete()
    with tenant_tx(acme.pk):  # as a worker leaves it that dies before it has written the mails
        Canary.objects.filter(pk=canary.pk).update(notice={"act": "take_back", "reason": canary.reason, "values": canary.reason_values})
    with tenant_tx(seeded_cast.other.pk):  # by a release of Parley that knows more of a decision
        release = Release.objects.latest("number")
        canary_fields = {"ended_at": timezone.now(), "notice": {"act": "rest"}}
        Canary.objects.create(release=release, base=release, **canary_fields)
    assert canaries_decide() == 0
    assert OutgoingMail.objects.filter(kind="canary").count() == 1
    assert canary_of(seeded_cast).notice == {}
    assert "Answers stopped by members: 50.0 %" in alice.get(page_of(canary)).content.decode()
    assert "taken back by itself" in alice.get(ACME).content.decode()
    assert "Review and publish" in alice.get(f"{ACME}admin_config/release/").content.decode()  # the draft keeps what was tried
    back = alice.post(f"{ACME}admin_config/release/{canary.release_id}/restore/", follow=True).content.decode()
    assert "This release was never live for everyone." in back


def test_the_overview_shows_the_canary_at_its_last_look(seeded_cast: Cast, alice: Client, signed_in: SignedIn) -> None:
    acme = seeded_cast.acme
    members = members_add(acme, 40, acting=seeded_cast.alice)
    change_draft(seeded_cast, "Be brief.")
    with CaptureQueriesContext(connection) as base_queries:
        assert alice.get(ACME).context["canary_card"] is None
    publish(alice, audience="percent", percent="50")
    canary = canary_of(seeded_cast)
    inside = {member for member, number in release_of(seeded_cast, members).items() if number == 2}
    arms = {member: canary.release_id if member in inside else canary.base_id for member in members}
    runs_add(acme, arms, {member: ["done"] * 2 if member in inside else ["failed", "done"] for member in members})
    assert canaries_decide() == 0
    runs_add(acme, arms, {member: ["failed"] for member in members})  # which the next look will see
    with CaptureQueriesContext(connection) as canary_queries:
        page = alice.get(ACME)
    card = page.context["canary_card"]
    assert len(canary_queries) <= len(base_queries), "the last look comes with the canary"
    assert (card.canary_runs, card.canary.pk) == (2 * len(inside), canary.pk)
    measures = {measure.key: (measure.live_text, measure.canary_text) for measure, _ in card.lines}
    assert measures["failed"] == ("50.0 %", "0.0 %")
    assert card.decides_at > canary.started_at
    long_ago = canary.started_at - timedelta(days=300)
    slow = replace(card, canary=Canary(organization_id=acme.pk, started_at=long_ago), rules=Rules(promote_runs=1_000_000), canary_runs=10)
    assert slow.decides_at is None, "a far day would be taken for a near one"
    html = page.content.decode()
    assert "Canary: release 2 for 50 % of members" in html
    assert f'href="{page_of(canary)}"' in html
    assert page.context["waiting_canaries"] == []
    with tenant_tx(acme.pk):
        Canary.objects.filter(pk=canary.pk).update(asked_at=timezone.now())
    assert "is a canary that can't decide by itself" in alice.get(ACME).content.decode()
    other = signed_in(seeded_cast.charlie).get(ACME.replace("acme", "other"))
    assert (other.status_code, other.context["canary_card"]) == (200, None)


def test_an_admin_tries_a_release_with_a_group_and_promotes_it(seeded_cast: Cast, alice: Client, signed_in: SignedIn) -> None:
    acme, bob = seeded_cast.acme, seeded_cast.actor(seeded_cast.bob).membership_id
    vera = seeded_cast.actor(seeded_cast.vera).membership_id
    with tenant_tx(acme.pk):
        group = MemberGroup.objects.create(name="Pilots")
        GroupMember.objects.create(group=group, membership_id=bob)
    change_draft(seeded_cast, "Be brief.")
    publish(alice, audience="group", group=str(group.pk))
    canary = canary_of(seeded_cast)
    assert release_of(seeded_cast, [bob, vera]) == {bob: 2, vera: 1}
    assert signed_in(seeded_cast.charlie).get(page_of(canary).replace("acme", "other")).status_code == 404

    form = {"audience": "percent", "percent": "99", "has_rules": "1", "stopped": "7", "min_runs": "5", "promote_runs": "400"}
    html = alice.post(page_of(canary, "rules"), {**form, "promote_days": "1", "ask_days": "14"}, follow=True).content.decode()
    assert "Canary runs before taking back: input should be greater than or equal to 20." in html
    alice.post(page_of(canary, "rules"), {**form, "min_runs": "30", "promote_days": "1", "ask_days": "14"})
    canary = canary_of(seeded_cast)
    assert (canary.percent, canary.group_id, canary.rules["stopped"], canary.rules["failed"]) == (99, None, 7.0, None)
    assert canary.rules["is_automatic"] is False

    assert "Write why first." in alice.post(page_of(canary, "promote"), {"reason": " "}, follow=True).content.decode()
    assert (
        "Release 2 is live for everyone."
        in alice.post(page_of(canary, "promote"), {"reason": "Pilots like it."}, follow=True).content.decode()
    )
    assert release_of(seeded_cast, [bob, vera]) == {bob: 2, vera: 2}
    assert "This canary has ended already." in alice.post(page_of(canary, "take-back"), {"reason": "x"}, follow=True).content.decode()
    with tenant_tx(acme.pk):
        assert AuditEvent.objects.filter(action__in=["release.canary", "release.canary_change"]).count() == 2
        publish_event = AuditEvent.objects.get(action="release.publish", object_id=str(canary.release_id))
    assert (publish_event.actor_user_id, publish_event.detail["reason"]) == (seeded_cast.alice.pk, "Pilots like it.")
    assert "Review and publish" not in alice.get(f"{ACME}admin_config/release/").content.decode()

    change_draft(seeded_cast, "Be verbose.")
    publish(alice, audience="percent", percent="10")
    alice.post(f"{ACME}admin_config/release/{canary.base_id}/restore/")
    second_canary = canary_of(seeded_cast)
    assert (second_canary.outcome, second_canary.reason) == ("taken_back", "An older release was restored.")
    with tenant_tx(acme.pk):
        assert AuditEvent.objects.get(action="release.take_back").actor_user_id == seeded_cast.alice.pk
