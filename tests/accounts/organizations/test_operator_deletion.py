"""The platform's operator has an organization deleted after some days. Its owners are told, and can't undo it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import OutgoingMail
from accounts.organizations.services import DELETION_DAYS
from security.models import PlatformEvent
from tenants.models import Organization, User
from tests.admin_config.conftest import SignedIn, seeded_cast, signed_in
from tests.support.accounts.cast import Cast
from tests.support.accounts.fresh_sign_in import age_proof
from tests.support.stores.audit_log import events

__all__ = ["seeded_cast", "signed_in"]
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])

OWN_PAGE = "/o/acme/admin/tenants/organization/"


@pytest.fixture
def operator(signed_in: SignedIn) -> Client:
    return signed_in(User.objects.create_superuser("rita@example.org", "correct horse battery", name="Rita"))


@pytest.fixture
def page(seeded_cast: Cast) -> str:
    return f"/operator/tenants/organization/{seeded_cast.acme.pk}/deletion/"


def acme() -> Organization:
    return Organization.objects.get(slug="acme")


def test_the_operator_asks_for_a_deletion_and_keeps_the_organization(
    operator: Client, page: str, seeded_cast: Cast, signed_in: SignedIn
) -> None:
    assert f"{DELETION_DAYS} days after an operator asks for it" in operator.get(page).content.decode()
    wrong = operator.post(page, {"action": "delete", "typed_name": "Other", "reason": "Contract ended"}).content.decode()
    assert "Type the name of the organization, Acme, to delete it." in wrong
    assert "Contract ended" in wrong, "what was typed stays"
    assert "This field is required." in operator.post(page, {"action": "delete", "typed_name": "Acme", "reason": " "}).content.decode()
    assert acme().deletion_due_at is None

    assert operator.post(page, {"action": "delete", "typed_name": "acme", "reason": "Contract ended"}).status_code == 302
    due_at = acme().deletion_due_at
    assert due_at is not None
    assert abs(due_at - timezone.now() - timedelta(days=DELETION_DAYS)) < timedelta(hours=1)
    mail = OutgoingMail.objects.get()
    assert (mail.recipient, mail.subject) == ("alice@example.org", "Acme will be deleted")
    assert "The operator of the installation asked for it." in mail.text
    assert "Its owners can't keep it." in operator.get(page).content.decode()
    assert "Will be deleted on" in operator.get("/operator/", {"health": "deletion"}).content.decode()
    assert [row.figures.slug for row in operator.get("/operator/", {"health": "deletion"}).context["organizations"]] == ["acme"]

    alice = signed_in(seeded_cast.alice)
    html = alice.get(OWN_PAGE).content.decode()
    assert ("asked for it, and can keep it. Write to them." in html, "Keep the organization" in html) == (True, False)
    for form in ({"part": "keep"}, {"part": "delete", "typed_name": "Acme"}):  # the second would put off the day
        assert "Write to them." in alice.post(OWN_PAGE, form).content.decode()
    assert operator.post(page, {"action": "delete", "typed_name": "Acme", "reason": "A second click"}).status_code == 302
    assert (acme().deletion_due_at, OutgoingMail.objects.count()) == (due_at, 1)

    assert operator.post(page, {"action": "keep", "reason": "They paid"}).status_code == 302
    assert (acme().deletion_due_at, acme().deletion_by_operator) == (None, False)
    [request_event] = events(seeded_cast.acme, "organization.operator.deletion_request")
    [cancel_event] = events(seeded_cast.acme, "organization.operator.deletion_cancel")
    assert (request_event.detail["reason"], request_event.after["deletion_by_operator"], cancel_event.detail["reason"]) == (
        "Contract ended",
        True,
        "They paid",
    )
    assert PlatformEvent.objects.using("system").filter(action__startswith="organization.operator.deletion").count() == 2
    assert Organization.objects.get(pk=seeded_cast.other.pk).deletion_due_at is None


def test_a_deletion_that_an_owner_asked_for_keeps_its_day_and_can_be_kept(operator: Client, page: str, seeded_cast: Cast) -> None:
    due_at = timezone.now() + timedelta(days=3)
    Organization.objects.filter(pk=seeded_cast.acme.pk).update(deletion_due_at=due_at)
    assert "An owner asked for it, and can keep it." in operator.get(page).content.decode()
    operator.post(page, {"action": "delete", "typed_name": "Acme", "reason": "Agreed"})
    assert (acme().deletion_due_at, acme().deletion_by_operator) == (due_at, True)
    operator.post(page, {"action": "keep", "reason": "They stay"})
    assert acme().deletion_due_at is None


@pytest.mark.parametrize("by_operator", [True, False])
def test_an_organization_can_not_be_kept_once_its_deletion_has_begun(
    by_operator: bool, operator: Client, page: str, seeded_cast: Cast, signed_in: SignedIn
) -> None:
    due_at = timezone.now()
    Organization.objects.filter(pk=seeded_cast.acme.pk).update(deletion_due_at=due_at, deletion_by_operator=by_operator)
    assert "Its deletion has begun." in operator.post(page, {"action": "keep", "reason": "They paid"}).content.decode()
    signed_in(seeded_cast.alice).post(OWN_PAGE, {"part": "keep"})
    assert acme().deletion_due_at == due_at


def test_a_deletion_needs_a_recent_proof_and_an_operator(operator: Client, page: str, seeded_cast: Cast, signed_in: SignedIn) -> None:
    assert signed_in(seeded_cast.alice).get(page).status_code == 404
    assert operator.get(page.replace(str(seeded_cast.acme.pk), "00000000-0000-4000-8000-000000000000")).status_code == 404
    age_proof(operator)
    for answer in (operator.get(page), operator.post(page, {"action": "delete", "typed_name": "Acme", "reason": "Contract ended"})):
        assert (answer.status_code, answer.headers["Location"].split("?")[0]) == (302, "/accounts/reauthenticate/")
    assert acme().deletion_due_at is None


def test_before_a_suspension_its_members_page_is_shown(operator: Client, seeded_cast: Cast) -> None:
    page = f"/operator/tenants/organization/{seeded_cast.acme.pk}/suspension/"
    assert "<p>Acme is suspended.</p>" in operator.get(page).content.decode()
    html = operator.post(page, {"action": "preview", "message": "The bill is <open>.", "reason": ""}).content.decode()
    assert "<p>Acme is suspended. The bill is &lt;open&gt;.</p>" in html
    assert "The bill is &lt;open&gt;.</textarea>" in html, "what was typed stays"
    assert "This field is required." not in html
    assert acme().is_active
