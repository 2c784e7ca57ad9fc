"""Organizations: made, renamed, moved to another address, suspended, handed over, deleted after days of grace."""

from __future__ import annotations

import io
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from PIL import Image
from pytest_django import Settings

from accounts.members.ownership import Handover
from accounts.members.removed_members import removed_members_clear
from accounts.members.services import member_remove
from accounts.models import OutgoingMail
from accounts.organizations.services import organizations_delete_due
from admin_config.services.selectors import live_release
from artifacts.models import Artifact
from chat.models import Conversation, Project
from files.knowledge.models import KnowledgeFile
from security.api_tokens import api_token_create
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import FormerSlug, Membership, Organization, User
from tests.accounts.people import member_of
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME
from tests.support.cast import PASSWORD, Cast

PAGE = f"{ACME}tenants/organization/"
LOOKS = {"part": "looks", "name": "Acme", "slug": "acme", "accent_color": ""}


def acme(cast: Cast) -> Organization:
    return Organization.objects.get(pk=cast.acme.pk)


def png(width: int = 300, height: int = 200) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(content, "PNG")
    return content.getvalue()


@pytest.mark.parametrize("part", ["looks", "policy", "second_factor", "transfer", "delete", "keep"])
@pytest.mark.parametrize(("role", "status"), [("auditor", 404), ("member", 404), ("viewer", 404)])
def test_only_owners_and_admins_reach_the_page(part: str, role: str, status: int, seeded_cast: Cast, signed_in: SignedIn) -> None:
    seeded_cast.bob.memberships.update(role=role)
    for user in (seeded_cast.bob, seeded_cast.charlie):
        assert signed_in(user).post(PAGE, {**LOOKS, "part": part, "name": "Mine"}).status_code == status
    assert acme(seeded_cast).name == "Acme"


@pytest.mark.parametrize("part", ["transfer", "delete", "keep"])
def test_an_admin_can_neither_hand_over_nor_delete(part: str, seeded_cast: Cast, signed_in: SignedIn) -> None:
    dora = member_of(seeded_cast.acme, "Dora", "admin")
    given = {"part": part, "member": str(seeded_cast.bob.memberships.get().pk), "typed_name": "Acme"}
    page = signed_in(dora.user).post(PAGE, given)
    assert (page.status_code, "Only an owner" in page.content.decode()) == (200, True)
    assert (seeded_cast.alice.memberships.get().role, acme(seeded_cast).deletion_due_at) == ("owner", None)


def test_a_new_address_works_and_the_old_one_leads_there_for_members_only(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    answer = alice.post(PAGE, {**LOOKS, "name": "Acme Ltd", "slug": "acme-ltd", "accent_color": "#0B6E4F"})
    assert answer.headers["Location"] == "/o/acme-ltd/admin/tenants/organization/"
    row = acme(seeded_cast)
    assert (row.name, row.slug, row.accent_color) == ("Acme Ltd", "acme-ltd", "#0b6e4f")
    bob, charlie = signed_in(seeded_cast.bob), signed_in(seeded_cast.charlie)
    for path in ("/o/acme/", "/o/acme/api/me/?x=1", "/o/acme/admin/"):
        moved = alice.get(path)
        assert (moved.status_code, moved.headers["Location"]) == (307, path.replace("/acme/", "/acme-ltd/"))
    assert bob.get("/o/acme/").headers["Location"] == "/o/acme-ltd/"
    assert charlie.get("/o/acme/").status_code == charlie.get("/o/missing/").status_code == 404
    seeded_cast.bob.memberships.update(is_active=False)
    assert bob.get("/o/acme/").status_code == 404
    assert alice.post(PAGE.replace("acme", "acme-ltd"), LOOKS).headers["Location"] == "/o/acme/admin/tenants/organization/"
    assert alice.get("/o/acme/api/me/").status_code == 200


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"slug": "other"}, "This address is taken."),
        ({"slug": "Not good"}, "An address has small letters"),
        ({"slug": "-x"}, "An address has small letters"),
        ({"accent_color": "red"}, "Write the color as #"),
        ({"name": " "}, "This field is required."),
    ],
)
def test_what_makes_no_sense_is_said(values: dict[str, str], sentence: str, alice: Client, seeded_cast: Cast) -> None:
    assert sentence in alice.post(PAGE, {**LOOKS, **values}).content.decode()
    assert acme(seeded_cast).slug == "acme"


def test_an_address_that_another_organization_had_is_not_free(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    alice.post(PAGE, {**LOOKS, "slug": "acme-ltd"})
    charlie = signed_in(seeded_cast.charlie)
    page = charlie.post("/o/other/admin/tenants/organization/", {**LOOKS, "name": "Other Ltd"})
    assert "This address is taken." in page.content.decode()


def test_a_logo_is_drawn_again_and_seen_by_members_only(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    hidden = png() + b"<script>alert(1)</script>"
    alice.post(PAGE, {**LOOKS, "logo": SimpleUploadedFile("l.png", hidden, "image/png")})
    logo = signed_in(seeded_cast.bob).get("/o/acme/api/organization/logo/")
    with Image.open(io.BytesIO(logo.content)) as drawn:
        assert (drawn.format, drawn.size) == ("PNG", (256, 256))
    assert b"script" not in logo.content
    assert signed_in(seeded_cast.charlie).get("/o/acme/api/organization/logo/").status_code == 404
    page = alice.post(PAGE, {**LOOKS, "logo": SimpleUploadedFile("l.svg", b"<svg/>", "image/png")})
    assert "This is not a picture that can be used." in page.content.decode()
    alice.post(PAGE, {**LOOKS, "remove_logo": "on"})
    assert alice.get("/o/acme/api/organization/logo/").status_code == 404


def test_the_policy_keeps_what_others_wrote_into_it(alice: Client, seeded_cast: Cast) -> None:
    Organization.objects.filter(pk=seeded_cast.acme.pk).update(policy={"mfa_required": True})
    given = {"part": "policy", "email_domains": "@Acme.example", "invitation_days": "3", "removed_days": "5", "token_max_days": "30"}
    given |= {"session_hours": "12", "session_idle_minutes": ""}
    assert alice.post(PAGE, given).status_code == 302
    expected = {"mfa_required": True, "email_domains": ["acme.example"], "invitation_days": 3, "removed_days": 5, "token_max_days": 30}
    expected |= {"session_hours": 12, "session_idle_minutes": None}
    assert acme(seeded_cast).policy == expected
    with tenant_tx(seeded_cast.acme.pk):
        event = AuditEvent.objects.get(action="organization.policy")
    assert event.detail["after"]["token_max_days"] == 30
    made = alice.post("/o/acme/api/tokens/", {"name": "x", "scopes": ["read"], "days": 31}, content_type="application/json")
    assert "allows tokens for at most 30 days" in made.json()["error"]["message"]


def test_an_admin_asks_for_a_second_factor_and_members_have_days_to_set_it_up(
    alice: Client, seeded_cast: Cast, signed_in: SignedIn
) -> None:
    bob, api = signed_in(seeded_cast.bob), "/o/acme/api/conversations/"
    seeded_cast.bob.memberships.update(created_at=timezone.now() - timedelta(days=30))
    assert alice.post(PAGE, {"part": "second_factor", "asked_of": "everybody", "grace_days": "7"}).status_code == 302
    assert bob.get(api).status_code == 200, "within the days of grace"
    assert alice.post(PAGE, {"part": "second_factor", "asked_of": "everybody", "grace_days": "0"}).status_code == 302
    assert bob.get(api).json()["error"]["code"] == "second_factor_needed"
    with tenant_tx(seeded_cast.acme.pk):
        event = AuditEvent.objects.filter(action="organization.second_factor").latest("created_at")
    assert (event.before["grace_days"], event.after) == (7, {"asked_of": "everybody", "grace_days": 0})


@pytest.mark.parametrize(("asked_of", "is_asked"), [("admins", False), ("nobody", False), ("everybody", True)])
def test_a_second_factor_is_asked_of_roles(asked_of: str, is_asked: bool, alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    assert alice.post(PAGE, {"part": "second_factor", "asked_of": asked_of, "grace_days": "0"}).status_code == 302
    answer = signed_in(seeded_cast.bob).get("/o/acme/api/conversations/").json()
    assert (answer.get("error", {}).get("code") == "second_factor_needed") == is_asked


def test_a_second_factor_of_nobody_known_is_refused(alice: Client, seeded_cast: Cast) -> None:
    page = alice.post(PAGE, {"part": "second_factor", "asked_of": "robots", "grace_days": "400"})
    assert (page.status_code, acme(seeded_cast).policy.get("second_factor")) == (200, None)


def test_a_suspended_organization_says_so_to_its_members_only(seeded_cast: Cast, signed_in: SignedIn) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        _, text = api_token_create(actor=seeded_cast.actor(seeded_cast.bob), name="x", scopes=["read"], days=1)
    bob, charlie = signed_in(seeded_cast.bob), signed_in(seeded_cast.charlie)
    Organization.objects.filter(pk=seeded_cast.acme.pk).update(is_active=False, suspension_message="The bill is open.")
    html = {"Accept": "text/html"}
    assert bob.get("/", follow=True, headers=html).status_code == 403
    for path in ("/o/acme/", "/o/acme/admin/"):
        page = (bob if path == "/o/acme/" else signed_in(seeded_cast.alice)).get(path, headers=html)
        assert (page.status_code, "Acme is suspended. The bill is open." in page.content.decode()) == (403, True)
        assert charlie.get(path, headers=html).status_code == 404
    for answer in (bob.get("/o/acme/api/me/"), Client().get("/api/me/", headers={"Authorization": f"Bearer {text}"})):
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "organization_suspended")
    assert charlie.get("/o/acme/api/me/").json()["error"]["code"] == "not_found"


def test_an_organization_can_be_kept_for_days(alice: Client, seeded_cast: Cast) -> None:
    assert "Type the name" in alice.post(PAGE, {"part": "delete", "typed_name": "Other"}).content.decode()
    alice.post(PAGE, {"part": "delete", "typed_name": "acme"})
    told = OutgoingMail.objects.get()
    assert (told.recipient, told.subject) == ("alice@example.org", "Acme will be deleted")
    assert "Keep the organization" in alice.get(PAGE).content.decode()
    assert organizations_delete_due() == 0
    alice.post(PAGE, {"part": "keep"})
    assert acme(seeded_cast).deletion_due_at is None


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_an_organization_that_is_due_is_deleted(cast: Cast) -> None:
    Organization.objects.filter(pk=cast.acme.pk).update(deletion_due_at=timezone.now())
    FormerSlug.objects.create(slug="acme-old", organization=cast.acme)
    assert (organizations_delete_due(), organizations_delete_due()) == (1, 0)
    row = acme(cast)
    assert (row.is_active, row.name == "Acme", row.deletion_due_at, FormerSlug.objects.exists()) == (False, False, None, False)
    assert Organization.objects.get(pk=cast.other.pk).is_active


def own_things(cast: Cast, user: User) -> Conversation:
    with tenant_tx(cast.acme.pk):
        owner = user.memberships.get()
        project = Project.objects.create(owner=owner, name="Harbour", instructions="Euros only.")
        KnowledgeFile.objects.create(project_id=project.pk, path="rates.md", kind="text", size_bytes=4, text="Fees", state="ready")
        made = Conversation.objects.create(owner=owner, title="Plan", updated_at=timezone.now(), client_id="mine", project=project)
        Artifact.objects.create(conversation_id=made.pk, owner=owner, title="Paper", kind="text")
        return made


def test_what_a_removed_member_owns_goes_to_a_named_member(seeded_cast: Cast) -> None:
    made, dora = own_things(seeded_cast, seeded_cast.bob), member_of(seeded_cast.acme, "Dora", "member")
    bob, alice = seeded_cast.bob.memberships.get(), seeded_cast.actor(seeded_cast.alice)
    with tenant_tx(seeded_cast.acme.pk):
        member_remove(actor=alice, membership_id=bob.pk, handovers=[Handover("conversations", "hand_over", dora.pk)])
        assert {Conversation.objects.get(pk=made.pk).owner_id, Artifact.objects.get().owner_id, Project.objects.get().owner_id} == {dora.pk}


@pytest.mark.parametrize("to", ["foreign", "nobody", "missing", "self"])
def test_nobody_else_gets_it(to: str, alice: Client, seeded_cast: Cast) -> None:
    own_things(seeded_cast, seeded_cast.bob)
    bob = seeded_cast.bob.memberships.get()
    receiver = {"foreign": seeded_cast.charlie.memberships.get().pk, "nobody": "", "missing": uuid4(), "self": bob.pk}[to]
    page = alice.post(f"{ACME}tenants/membership/{bob.pk}/remove/", {"action": "remove", "conversations": f"to:{receiver}"})
    assert (page.status_code, seeded_cast.bob.memberships.get().is_active) == (200, True)


def test_what_is_not_handed_over_is_deleted_after_the_policys_days(alice: Client, seeded_cast: Cast) -> None:
    made, bob = own_things(seeded_cast, seeded_cast.bob), seeded_cast.bob.memberships.get()
    page = f"{ACME}tenants/membership/{bob.pk}/remove/"
    assert "1 conversation, with its documents and files" in alice.get(page).content.decode()
    alice.post(page, {"action": "remove", "conversations": "delete"})
    assert removed_members_clear() == 0
    Membership.objects.filter(pk=bob.pk).update(removed_at=timezone.now() - timedelta(days=31))
    assert (removed_members_clear(), removed_members_clear()) == (1, 0)
    with tenant_tx(seeded_cast.acme.pk):
        assert Conversation.objects.get(pk=made.pk).deleted_at is not None
        assert Artifact.objects.get().deleted_at is not None
        assert (Project.objects.count(), KnowledgeFile.objects.count()) == (0, 0)


def test_what_is_archived_outlives_the_policys_days(alice: Client, seeded_cast: Cast) -> None:
    made, bob = own_things(seeded_cast, seeded_cast.bob), seeded_cast.bob.memberships.get()
    dora = member_of(seeded_cast.acme, "Dora", "member")
    page = f"{ACME}tenants/membership/{bob.pk}/remove/"

    def state() -> tuple[bool, bool, bool]:
        with tenant_tx(seeded_cast.acme.pk):
            row, artifact = Conversation.objects.get(pk=made.pk), Artifact.objects.get()
            return row.kept_at is not None, row.deleted_at is not None, artifact.deleted_at is not None

    def clear() -> None:
        Membership.objects.filter(pk=bob.pk).update(removed_at=timezone.now() - timedelta(days=31))
        removed_members_clear()

    alice.post(page, {"action": "remove", "conversations": "archive"})
    clear()
    assert state() == (True, False, False)
    with tenant_tx(seeded_cast.acme.pk):
        assert Project.objects.get().owner_id == bob.pk, "what is kept has its project"
    alice.post(page, {"action": "activate"})
    assert state() == (False, False, False)
    alice.post(page, {"action": "remove", "conversations": "archive"})
    clear()
    assert "1 conversation, with its documents and files" in alice.get(page).content.decode()
    alice.post(page, {"action": "settle", "conversations": f"to:{dora.pk}"})
    with tenant_tx(seeded_cast.acme.pk):
        assert Conversation.objects.get(pk=made.pk).owner_id == dora.pk
    assert state() == (False, False, False)


def test_what_was_archived_can_be_deleted_after_all(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    made, bob = own_things(seeded_cast, seeded_cast.bob), seeded_cast.bob.memberships.get()
    page = f"{ACME}tenants/membership/{bob.pk}/remove/"
    assert alice.post(page, {"action": "settle", "conversations": "delete"}).status_code == 200, "of a member who was not removed"
    alice.post(page, {"action": "remove", "conversations": "archive"})
    Membership.objects.filter(pk=bob.pk).update(removed_at=timezone.now() - timedelta(days=31))
    removed_members_clear()
    assert signed_in(seeded_cast.charlie).post(page.replace("acme", "other"), {"action": "settle"}).status_code == 404
    alice.post(page, {"action": "settle", "conversations": "delete"})
    removed_members_clear()
    with tenant_tx(seeded_cast.acme.pk):
        assert Conversation.objects.get(pk=made.pk).deleted_at is not None


def test_people_make_organizations_where_the_operator_allows_it(seeded_cast: Cast, signed_in: SignedIn, settings: Settings) -> None:
    bob = signed_in(seeded_cast.bob)
    path = "/o/acme/api/organizations/"
    assert bob.post(path, {"name": "Bob's"}, content_type="application/json").status_code == 403
    settings.USERS_MAKE_ORGANIZATIONS = True
    made = [bob.post(path, {"name": " Acme  "}, content_type="application/json").json() for _ in range(2)]
    assert made == [{"slug": "acme-2", "name": "Acme"}, {"slug": "acme-3", "name": "Acme"}]
    organization = Organization.objects.get(slug="acme-2")
    assert Membership.objects.get(organization=organization).role == "owner"
    with tenant_tx(organization.pk):
        assert live_release(organization_id=organization.pk).number == 1


def test_a_member_leaves(seeded_cast: Cast, signed_in: SignedIn) -> None:
    bob, alice = signed_in(seeded_cast.bob), signed_in(seeded_cast.alice)
    refused = alice.delete("/o/acme/api/membership/")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "last_owner")
    assert bob.delete("/o/acme/api/membership/").status_code == 204
    assert bob.get("/o/acme/api/me/").status_code == 404


def test_the_operator_invites_the_first_owner(cast: Cast, signed_in: SignedIn) -> None:
    operator = signed_in(User.objects.create_superuser("rita@example.org", PASSWORD, name="Rita"))
    given = {"name": "New Ltd", "slug": "new", "is_active": "on", "owner_email": "Nina@example.org"}
    assert operator.post("/operator/tenants/organization/add/", given).status_code == 302
    path = OutgoingMail.objects.get(recipient="nina@example.org").text.split("/invitation/")[1].split("/")[0]
    nina = signed_in(User.objects.create_user("nina@example.org", PASSWORD))
    assert nina.post(f"/invitation/{path}/").headers["Location"] == "/o/new/"
    assert Membership.objects.get(organization__slug="new").role == "owner"


def test_an_operator_keeps_their_own_rights(cast: Cast, signed_in: SignedIn) -> None:
    rita = User.objects.create_superuser("rita@example.org", PASSWORD, name="Rita")
    page = f"/operator/tenants/user/{rita.pk}/change/"
    answer = signed_in(rita).post(page, {"email": rita.email, "name": "Rita", "is_active": "on"})
    assert "You can&#x27;t take this from yourself." in answer.content.decode()
    rita.refresh_from_db()
    assert (rita.is_superuser, rita.is_active) == (True, True)


def test_the_switch_operator_opens_the_operators_site(cast: Cast, signed_in: SignedIn) -> None:
    rita = signed_in(User.objects.create_superuser("rita@example.org", PASSWORD, name="Rita"))
    rita.post(f"/operator/tenants/user/{cast.bob.pk}/change/", {"email": cast.bob.email, "is_active": "on", "is_superuser": "on"})
    assert signed_in(User.objects.get(pk=cast.bob.pk)).get("/operator/").status_code == 200
