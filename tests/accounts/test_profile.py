"""A person's profile, picture and account; and the marks of unread answers in the switcher."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.utils import timezone
from PIL import Image
from pytest_django import Settings
from structlog.testing import capture_logs

from accounts.models import OutgoingMail
from accounts.profile.services import account_deletion_cancel, users_delete_due
from accounts.tasks import deletions_due
from admin_config.models import Release
from chat.models import Conversation, Message, Run
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Membership, Organization, User
from tests.admin_config.conftest import SignedIn
from tests.support.accounts.cast import Cast
from tests.support.chat.seeding import seed_organization
from tests.support.stores.failing_rows import first_row_refused
from tests.support.stores.locks import in_own_connections, wait_until_blocked
from tests.support.suite.time_limits import scaled_to_load

API = "/o/acme/api/profile/"


def patch(client: Client, **change: object) -> tuple[int, dict[str, object]]:
    answer = client.patch(API, change, content_type="application/json")
    return answer.status_code, answer.json()


def test_a_profile_is_changed_and_stays_ones_own(cast: Cast, signed_in: SignedIn) -> None:
    bob = signed_in(cast.bob)
    status, profile = patch(bob, name="  Bob  Builder ", timeZone="Europe/Berlin", language="en")
    assert (status, profile["name"], profile["timeZone"], profile["email"]) == (200, "Bob Builder", "Europe/Berlin", "bob@example.org")
    assert patch(bob, language="")[1]["name"] == "Bob Builder"
    assert User.objects.get(pk=cast.alice.pk).name == "Alice"
    assert signed_in(cast.charlie).get(API).status_code == 404


@pytest.mark.parametrize(
    "change", [{"name": " "}, {"name": "x" * 121}, {"timeZone": "Mars/Base"}, {"language": "tlh"}, {"email": "x@y.org"}]
)
def test_a_profile_that_makes_no_sense_is_refused(change: dict[str, str], cast: Cast, signed_in: SignedIn) -> None:
    assert patch(signed_in(cast.bob), **change)[0] == 400


def upload(client: Client, content: bytes, kind: str = "image/png") -> int:
    return client.post(f"{API}picture/", {"picture": SimpleUploadedFile("p", content, kind)}).status_code


def test_a_picture_is_cropped_turned_upright_and_drawn_again(cast: Cast, signed_in: SignedIn) -> None:
    photo = Image.new("RGB", (400, 200), "blue")
    photo.paste("red", (0, 0, 400, 100))
    exif = Image.Exif()
    exif[0x0112] = 3  # upside down
    exif[0x010E] = "secret place"
    content = io.BytesIO()
    photo.save(content, "JPEG", exif=exif)
    bob = signed_in(cast.bob)
    assert upload(bob, content.getvalue(), "image/jpeg") == 200
    answer = bob.get(f"{API}picture/")
    assert b"secret place" not in answer.content
    with Image.open(io.BytesIO(answer.content)) as image:
        red, green, blue, _ = image.getpixel((128, 10))  # type: ignore[misc]
        assert (image.format, image.size, blue > 200, red < 60, green < 60) == ("PNG", (256, 256), True, True, True)
    url = bob.get(API).json()["pictureUrl"]
    assert bob.get(url).status_code == 200
    assert bob.delete(f"{API}picture/").status_code == 204
    assert (bob.get(API).json()["pictureUrl"], bob.get(f"{API}picture/").status_code) == (None, 404)


@pytest.mark.parametrize("content", [b"", b"<svg onload=alert(1)/>", b"\x89PNG\r\n\x1a\n broken", b"GIF89a", b"x" * 2_100_000])
def test_what_is_no_picture_is_refused(content: bytes, cast: Cast, signed_in: SignedIn) -> None:
    assert upload(signed_in(cast.bob), content) == 400


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_an_account_is_deleted_after_days_in_which_it_can_be_kept(cast: Cast, signed_in: SignedIn) -> None:
    bob = signed_in(cast.bob)
    wrong = bob.post(f"{API}deletion/", {"email": "x@y.org"}, content_type="application/json")
    assert "Type your address, bob@example.org" in wrong.json()["error"]["message"]
    response = bob.post(f"{API}deletion/", {"email": "Bob@example.org"}, content_type="application/json")
    assert response.json()["deletionDueAt"] is not None
    assert [mail.recipient for mail in OutgoingMail.objects.all()] == ["bob@example.org"]
    assert users_delete_due() == 0
    assert bob.delete(f"{API}deletion/").status_code == 204
    User.objects.filter(pk=cast.alice.pk).update(deletion_due_at=timezone.now() - timedelta(seconds=1))
    assert users_delete_due() == 0  # Acme would have no owner
    User.objects.filter(pk=cast.bob.pk).update(deletion_due_at=timezone.now() - timedelta(seconds=1))
    assert users_delete_due() == 1
    assert bob.get(API).status_code == 401
    assert not Membership.objects.filter(user=cast.bob).exists()


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_an_owner_who_gives_up_organization_and_account_loses_both_in_one_round(cast: Cast) -> None:
    due = timezone.now() - timedelta(seconds=1)
    Organization.objects.filter(pk=cast.acme.pk).update(deletion_due_at=due)
    User.objects.filter(pk=cast.alice.pk).update(deletion_due_at=due)
    assert deletions_due() == 2
    assert not User.objects.get(pk=cast.alice.pk).is_active


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_an_owner_stays_until_the_organization_is_gone(cast: Cast) -> None:
    Organization.objects.filter(pk=cast.acme.pk).update(deletion_due_at=timezone.now() + timedelta(days=1))
    User.objects.filter(pk=cast.alice.pk).update(deletion_due_at=timezone.now() - timedelta(seconds=1))
    assert deletions_due() == 0
    assert User.objects.get(pk=cast.alice.pk).is_active


@pytest.mark.django_db(transaction=True, databases=["default", "system", "owner"])
def test_an_account_that_is_kept_while_others_are_deleted_stays_and_one_fault_holds_up_no_other(cast: Cast) -> None:
    people = [cast.vera, cast.bob]
    User.objects.filter(pk__in=[user.pk for user in people]).update(deletion_due_at=timezone.now() - timedelta(seconds=1))
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic(using="owner"):
            _ = list(Membership.objects.using("owner").select_for_update().filter(user__in=people))  # the first one's deletion waits here
            deleting = threads.submit(in_own_connections, users_delete_due)
            wait_until_blocked(deleting)
            survivor = User.objects.get(is_active=True, pk__in=[user.pk for user in people])
            account_deletion_cancel(user_id=survivor.pk)
        assert deleting.result(timeout=scaled_to_load(10)) == 1
    assert User.objects.get(pk=survivor.pk).is_active
    assert Membership.objects.filter(user=survivor).exists()

    User.objects.filter(pk__in=[cast.vera.pk, cast.bob.pk]).update(deletion_due_at=timezone.now() - timedelta(seconds=1))
    with first_row_refused(AuditEvent, "57014"), capture_logs() as logs:
        assert users_delete_due() == 1
    [log_line] = [line for line in logs if line["event"] == "user_not_deleted"]
    assert log_line["user_id"] in {str(user.pk) for user in people}
    assert users_delete_due() == 1, "the next round tries it again"


def test_the_only_owner_keeps_the_account(cast: Cast, signed_in: SignedIn) -> None:
    response = signed_in(cast.alice).post(f"{API}deletion/", {"email": "alice@example.org"}, content_type="application/json")
    assert (response.status_code, response.json()["error"]["code"], "Acme" in response.json()["error"]["message"]) == (
        409,
        "last_owner",
        True,
    )


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_the_switcher_marks_organizations_with_unread_answers_of_ones_own(cast: Cast, signed_in: SignedIn) -> None:
    Membership.objects.create(organization=cast.other, user=cast.bob, role="member")
    for user, has_ended in ((cast.bob, True), (cast.charlie, True)):
        _answer(cast, user, has_ended=has_ended)
    bob = signed_in(cast.bob)
    path = "/o/acme/api/organizations/unread/"
    assert bob.get(path).json() == {"slugs": ["other"]}
    assert signed_in(cast.alice).get(path).json() == {"slugs": []}
    with tenant_tx(cast.other.pk):
        Conversation.objects.update(seen_at=timezone.now() + timedelta(seconds=1))
    assert bob.get(path).json() == {"slugs": []}


def _answer(cast: Cast, user: User, *, has_ended: bool) -> None:
    with tenant_tx(cast.other.pk):
        if not Release.objects.exists():
            seed_organization(cast.other)
        owner = Membership.objects.get(user=user, organization=cast.other)
        conversation = Conversation.objects.create(owner=owner, title="x", updated_at=timezone.now())
        question, answer = (Message.objects.create(conversation=conversation, role=role) for role in ("user", "assistant"))
        Run.objects.create(
            conversation=conversation,
            question=question,
            answer=answer,
            release=Release.objects.latest("number"),
            model_config_id=conversation.pk,
            status="done",
            lease_expires_at=timezone.now(),
            finished_at=timezone.now() + timedelta(milliseconds=1) if has_ended else None,
        )


SIGN_IN = "/o/acme/api/sign-in/"


def test_the_settings_offer_what_works_here(cast: Cast, signed_in: SignedIn, settings: Settings) -> None:
    bob = signed_in(cast.bob)
    settings.ALLOWED_HOSTS, settings.SOCIAL_LOGINS = ["127.0.0.1", "localhost"], {}
    sign_in_settings = bob.get(SIGN_IN, HTTP_HOST="127.0.0.1").json()
    assert (sign_in_settings["passkeysWork"], sign_in_settings["hasOtherAccounts"]) == (False, False)
    settings.SOCIAL_LOGINS = {"github": {}}
    sign_in_settings = bob.get(SIGN_IN, HTTP_HOST="localhost").json()
    assert (sign_in_settings["passkeysWork"], sign_in_settings["hasOtherAccounts"]) == (True, True)


def test_the_settings_tell_how_somebody_signs_in_and_end_their_other_sessions(cast: Cast, signed_in: SignedIn) -> None:
    laptop, phone, tablet, other = (signed_in(user) for user in (cast.bob, cast.bob, cast.bob, cast.vera))
    sign_in_settings = laptop.get(SIGN_IN).json()
    assert (
        sign_in_settings["hasPassword"],
        sign_in_settings["hasAuthenticatorApp"],
        sign_in_settings["passkeys"],
        sign_in_settings["codesLeft"],
    ) == (True, False, [], None)
    assert [device["isCurrent"] for device in sign_in_settings["devices"]] == [True, False, False]
    theirs = sign_in_settings["devices"][1]["id"]
    assert other.delete(f"{SIGN_IN}devices/{theirs}/").status_code == 204  # not Vera's to end
    assert len(laptop.get(SIGN_IN).json()["devices"]) == 3
    assert laptop.delete(f"{SIGN_IN}devices/{theirs}/").status_code == 204
    assert sorted(client.get(SIGN_IN).status_code for client in (phone, tablet)) == [200, 401]
    assert laptop.delete(f"{SIGN_IN}devices/").status_code == 204
    assert [client.get(SIGN_IN).status_code for client in (laptop, phone, tablet, other)] == [200, 401, 401, 200]
    assert signed_in(cast.charlie).get(SIGN_IN).status_code == 404
