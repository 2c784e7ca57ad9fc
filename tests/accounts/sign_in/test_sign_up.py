"""Making an account, as far as the operator and the organizations allow it."""

from __future__ import annotations

from collections import Counter

import pytest
from allauth.account.models import EmailAddress
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from accounts.models import ProvenDomain
from accounts.sign_in.sign_up_policy import INVITED_EMAIL
from tenants.models import Membership, Organization, Session, User
from tests.accounts.sign_in.test_sign_in import text_of
from tests.support.accounts.cast import Cast
from tests.support.accounts.mailbox import code_in, mails_to, newest_mail

DANA = "dana@northwind.example"
FORM = {"name": "Dana Okafor", "email": DANA, "password1": "seven green umbrellas"}
PATH = "/accounts/sign-up/"
NEW = "/organizations/new/"


def invite(client: Client, email: str) -> None:
    """As the page of an invitation does."""
    session = client.session
    session[INVITED_EMAIL] = email
    session.save()
    client.cookies["parley_session"] = str(session.session_key)


def verify(client: Client, email: str = DANA) -> None:
    client.post("/accounts/verify/", {"code": code_in(newest_mail(email))})


@pytest.fixture
def northwind(cast: Cast) -> Organization:
    organization = Organization.objects.create(name="Northwind", slug="northwind", policy={"sign_up_domains": ["northwind.example"]})
    ProvenDomain.objects.create(domain="northwind.example", organization=organization)
    return organization


@pytest.mark.parametrize(("sign_up", "is_open"), [("closed", False), ("invitation", False), ("domain", True), ("open", True)])
def test_the_page_is_there_where_the_operator_allows_it(sign_up: str, is_open: bool, client: Client, settings: Settings, db: None) -> None:
    settings.SIGN_UP = sign_up
    page = client.get(PATH).content.decode()
    assert ('name="password1"' in page) == is_open
    assert ("by invitation" in page) != is_open
    assert (PATH in client.get("/login/").content.decode()) == is_open
    if not is_open:
        client.post(PATH, FORM)
        assert not User.objects.exists()


def test_an_account_begins_when_its_address_is_confirmed(client: Client, cast: Cast, settings: Settings) -> None:
    settings.SIGN_UP = "open"
    assert client.post(PATH, FORM).headers["Location"] == "/accounts/verify/"
    assert not Session.objects.filter(user__isnull=False).exists()
    client.post("/accounts/verify/", {"code": "WRONG"})
    assert not Session.objects.filter(user__isnull=False).exists()
    verify(client)
    user = User.objects.get(email=DANA)
    assert (user.name, Session.objects.get().user) == ("Dana Okafor", user)
    assert EmailAddress.objects.get(user=user, primary=True, verified=True).email == DANA


def test_an_address_that_is_taken_shows_the_same_page(cast: Cast, settings: Settings) -> None:
    settings.SIGN_UP = "open"
    pages = {}
    for email in (DANA, "bob@example.org"):
        client = Client()
        pages[email] = text_of(client.post(PATH, {**FORM, "email": email}, follow=True).content.decode(), email)
        client.post("/accounts/verify/", {"code": "WRONG"})
    assert pages[DANA] == pages["bob@example.org"]
    assert newest_mail("bob@example.org").subject == "You already have an account"
    assert newest_mail(DANA).subject == "Welcome to Parley: your code"


def test_an_address_that_is_taken_costs_the_same_statements(cast: Cast, settings: Settings) -> None:
    """The time tells nobody that there is an account (measured by test_timing)."""
    settings.SIGN_UP = "open"
    statements = []
    for email in (DANA, "bob@example.org"):
        with CaptureQueriesContext(connections["auth"]) as queries:
            Client().post(PATH, {**FORM, "email": email})
        statements.append(Counter(" ".join(query["sql"].split()[:3]) for query in queries if "SAVEPOINT" not in query["sql"]))
    assert statements[0] == statements[1]


def test_who_has_an_address_of_the_domain_joins_the_organization(client: Client, northwind: Organization, settings: Settings) -> None:
    settings.SIGN_UP = "domain"
    client.post(PATH, FORM)
    assert not Membership.objects.filter(organization=northwind).exists()
    verify(client)
    member = Membership.objects.get(organization=northwind)
    assert (member.user.email, member.role) == (DANA, "member")


@pytest.mark.parametrize("email", ["dana@elsewhere.example", "dana@northwind.example.evil.example", "dana@notnorthwind.example"])
def test_other_domains_are_refused(email: str, client: Client, northwind: Organization, settings: Settings) -> None:
    settings.SIGN_UP = "domain"
    assert "This address can&#x27;t have an account here" in client.post(PATH, {**FORM, "email": email}).content.decode()
    assert not User.objects.filter(email=email).exists()


@pytest.mark.parametrize("is_anothers", [True, False])
def test_a_domain_that_the_organization_has_not_proven_lets_nobody_in(
    is_anothers: bool, client: Client, cast: Cast, northwind: Organization, settings: Settings
) -> None:
    """Nor has it, once the proof is lost or another organization's."""
    settings.SIGN_UP = "domain"
    ProvenDomain.objects.all().delete()
    if is_anothers:
        ProvenDomain.objects.create(domain="northwind.example", organization=cast.acme)
    assert "This address can&#x27;t have an account here" in client.post(PATH, FORM).content.decode()
    settings.SIGN_UP = "open"
    client.post(PATH, FORM)
    verify(client)
    assert not Membership.objects.filter(user__email=DANA).exists()


def test_who_was_invited_makes_an_account_for_that_address_only(client: Client, cast: Cast) -> None:
    invite(client, DANA)
    assert "can&#x27;t have an account" in client.post(PATH, {**FORM, "email": "eve@evil.example"}).content.decode()
    assert client.post(PATH, FORM).status_code == 302
    verify(client)
    assert User.objects.filter(email=DANA).exists()


def test_closed_is_closed_for_the_invited_too(client: Client, cast: Cast, settings: Settings) -> None:
    settings.SIGN_UP = "closed"
    invite(client, DANA)
    client.post(PATH, FORM)
    assert not User.objects.filter(email=DANA).exists()


@pytest.mark.parametrize(("password", "says"), [
    ("short", "too short"),
    ("password123", "too common"),
    ("dana@northwind.example", "too similar"),
])  # fmt: skip
def test_weak_passwords_are_refused_and_nothing_typed_is_lost(
    password: str, says: str, client: Client, settings: Settings, db: None
) -> None:
    settings.SIGN_UP = "open"
    page = client.post(PATH, {**FORM, "password1": password}).content.decode()
    assert says in page
    assert 'value="Dana Okafor"' in page
    assert mails_to(DANA) == []


def test_who_has_no_organization_names_one_where_the_operator_allows_it(client: Client, cast: Cast, settings: Settings) -> None:
    settings.SIGN_UP, settings.USERS_MAKE_ORGANIZATIONS = "open", True
    client.post(PATH, FORM)
    verify(client)
    assert client.get("/").headers["Location"] == NEW
    assert "Name your organization" in client.get(NEW).content.decode()
    page = client.post(NEW, {"name": "  "}).content.decode()
    assert "Give the organization a name" in page
    assert client.post(NEW, {"name": " Dana  & Sons"}).headers["Location"] == "/o/dana-sons/"
    member = Membership.objects.get(user__email=DANA)
    assert (member.organization.name, member.role) == ("Dana & Sons", "owner")
    assert client.get("/").headers["Location"] == "/o/dana-sons/"
    assert client.get("/o/acme/").status_code == 404


def test_elsewhere_nobody_makes_an_organization(client: Client, cast: Cast, settings: Settings) -> None:
    settings.SIGN_UP = "open"
    client.post(PATH, FORM)
    verify(client)
    assert "No organization yet" in client.get("/").content.decode()
    for response in (client.get(NEW), client.post(NEW, {"name": "Mine"})):
        assert response.headers["Location"] == "/"
    assert not Organization.objects.filter(name="Mine").exists()
    assert Client().get(NEW).headers["Location"] == f"/login/?next={NEW}"


def test_who_was_let_in_by_domain_is_not_asked_for_a_name(client: Client, northwind: Organization, settings: Settings) -> None:
    settings.SIGN_UP, settings.USERS_MAKE_ORGANIZATIONS = "open", True
    client.post(PATH, FORM)
    verify(client)
    assert client.get("/").headers["Location"] == "/o/northwind/"
