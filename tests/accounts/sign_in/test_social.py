"""Sign-in with Google, Microsoft and GitHub: who comes in, whose account is entered, and what is kept."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialToken
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from allauth.socialaccount.providers.google.views import GoogleOAuth2Adapter
from django.conf import settings as django_settings
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from doubles.social import CLIENT_ID, CLIENT_SECRET, SocialDouble
from tenants.models import User
from tests.accounts.people import mails
from tests.support.accounts.cast import PASSWORD, Cast
from tests.support.accounts.fresh_sign_in import age_proof
from tests.support.agents.gemini import serve
from tests.support.chat.workspace import allow_egress

GOOGLE = {"sub": "g-1", "email": "Dana@gmail.com", "email_verified": True, "name": "Dana Lee"}
GITHUB = {"id": 7, "login": "dana", "name": "Dana Lee", "email": None, "location": "Bergen"}
MICROSOFT = {"id": "m-1", "displayName": "Dana Lee", "mail": "dana@kestrel.example", "userPrincipalName": "dana@kestrel.example"}


@pytest.fixture
def double(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[SocialDouble]:
    """All three at one server, whose addresses stand where the library has the providers' own."""
    provider = SocialDouble()
    with serve(provider) as provider.base_url, allow_egress(provider.base_url):
        for name in ("access_token_url", "profile_url", "emails_url"):
            monkeypatch.setattr(GitHubOAuth2Adapter, name, f"{provider.base_url}/{'user/emails' if name == 'emails_url' else name}")
        monkeypatch.setattr(GoogleOAuth2Adapter, "access_token_url", f"{provider.base_url}/token")
        pkce = {"oauth_pkce_enabled": True}
        microsoft = {**pkce, "tenant": "common", "login_url": provider.base_url, "graph_url": provider.base_url}
        settings.SOCIAL_LOGINS = {
            name: {"client_id": CLIENT_ID, "secret": CLIENT_SECRET, "settings": more}
            for name, more in {"google": pkce, "microsoft": microsoft, "github": pkce}.items()
        }
        settings.SIGN_UP = "open"
        yield provider


def github(double: SocialDouble, email: str = "dana@example.net", *, verified: bool = True) -> None:
    double.person = {**GITHUB}
    double.emails = [
        {"email": "old@example.net", "primary": False, "verified": True},
        {"email": email, "primary": True, "verified": verified},
    ]


def go(client: Client, double: SocialDouble, path: str, next_url: str = "") -> HttpResponse:
    """Press the button of a provider, and come back."""
    page = client.post(path, {"next": next_url}).content.decode()
    match = re.search(r'href="([^"]+)" data-leave', page)
    assert match, page
    back = double.authorize(html.unescape(match[1]))
    return client.get(back[back.index("/accounts/") :])  # type: ignore[return-value]


def enter(client: Client, double: SocialDouble, provider: str, next_url: str = "") -> HttpResponse:
    return go(client, double, f"/accounts/with/{provider}/", next_url)


def reason(response: Any) -> str:
    match = re.search(r"this reason: <code>(\w+)</code>", response.content.decode())
    assert match, response.content.decode()
    return match[1]


def user_of(client: Client) -> User | None:
    return User.objects.filter(pk=client.session.get("_auth_user_id", 0)).first()


def test_buttons_are_there_for_those_that_the_operator_has_set(client: Client, double: SocialDouble, settings: Settings, db: None) -> None:
    assert [name in client.get("/login/").content.decode() for name in ("with Google", "with Microsoft", "with GitHub")] == [True] * 3
    settings.SOCIAL_LOGINS = {"github": settings.SOCIAL_LOGINS["github"]}
    assert [name in client.get("/login/").content.decode() for name in ("with Google", "with Microsoft", "with GitHub")] == [
        False,
        False,
        True,
    ]
    assert client.post("/accounts/with/google/").status_code == 404
    assert client.post("/accounts/with/nobody/").status_code == 404
    assert client.get("/accounts/with/github/").status_code == 405


def test_google_makes_an_account_and_finds_it_again(cast: Cast, double: SocialDouble, client: Client) -> None:
    double.person = GOOGLE
    enter(client, double, "google")
    user = user_of(client)
    assert user
    assert (user.email, user.name, user.has_usable_password()) == ("dana@gmail.com", "Dana Lee", False)
    assert EmailAddress.objects.get(user=user).verified
    double.person = {**GOOGLE, "email": "dana.lee@gmail.com"}  # the link is to the account, not to the address
    again = Client()
    enter(again, double, "google")
    assert user_of(again) == user


def test_github_brings_its_primary_address_and_nothing_else_is_kept(cast: Cast, double: SocialDouble, client: Client) -> None:
    github(double)
    enter(client, double, "github")
    user = user_of(client)
    assert user
    assert [*EmailAddress.objects.filter(user=user).values_list("email", "verified")] == [("dana@example.net", True)]
    assert SocialAccount.objects.get().extra_data == {"email": "dana@example.net"}
    assert not SocialToken.objects.exists()


@pytest.mark.parametrize("provider", ["microsoft", "github"])
def test_an_address_that_is_not_verified_needs_the_code_from_its_mailbox(
    provider: str, cast: Cast, double: SocialDouble, client: Client
) -> None:
    github(double, "dana@kestrel.example", verified=False)
    double.person = MICROSOFT if provider == "microsoft" else GITHUB
    assert enter(client, double, provider).headers["Location"] == "/accounts/verify/"
    assert user_of(client) is None
    code = next(mail for mail in mails() if mail.recipient == "dana@kestrel.example")
    assert not EmailAddress.objects.get(email="dana@kestrel.example").verified
    assert code.kind == "verify_sign_up"


@pytest.mark.parametrize("provider", ["microsoft", "github", "google"])
def test_an_unverified_address_never_enters_an_account(provider: str, cast: Cast, double: SocialDouble, client: Client) -> None:
    github(double, cast.bob.email, verified=False)
    people: dict[str, dict[str, Any]] = {
        "github": GITHUB,
        "microsoft": {**MICROSOFT, "mail": cast.bob.email},
        "google": {**GOOGLE, "email": cast.bob.email, "email_verified": False, "hd": "example.org"},
    }
    double.person = people[provider]
    unknown = Client()
    answer = enter(client, double, provider)
    assert user_of(client) is None
    assert not SocialAccount.objects.exists()
    github(double, "nobody@example.org", verified=False)
    double.person = {**double.person, "id": 8} if provider == "github" else {**MICROSOFT, "id": "m-2", "mail": "nobody@example.org"}
    if provider != "google":  # nor does it tell whether there is one
        assert enter(unknown, double, provider).headers["Location"] == answer.headers["Location"]


def test_a_verified_address_enters_an_account_only_where_the_provider_runs_the_mailbox(cast: Cast, double: SocialDouble) -> None:
    github(double, cast.bob.email)
    assert reason(enter(Client(), double, "github")) == "known_address"
    double.person = {**GOOGLE, "email": cast.bob.email}
    assert reason(enter(Client(), double, "google")) == "known_address"
    double.person = {**GOOGLE, "email": cast.bob.email, "hd": "elsewhere.example"}
    assert reason(enter(Client(), double, "google")) == "known_address"
    client = Client()
    double.person = {**GOOGLE, "email": cast.bob.email, "hd": "example.org"}
    enter(client, double, "google")
    assert user_of(client) == cast.bob
    cast.bob.refresh_from_db()
    assert cast.bob.check_password(PASSWORD)


def test_a_further_address_of_an_account_is_no_way_in(cast: Cast, double: SocialDouble, client: Client) -> None:
    EmailAddress.objects.create(user=cast.bob, email="bob@gmail.com", verified=True, primary=False)
    double.person = {**GOOGLE, "email": "bob@gmail.com"}
    assert reason(enter(client, double, "google")) == "known_address"


def test_who_waits_with_an_unverified_account_loses_it(cast: Cast, double: SocialDouble, client: Client) -> None:
    waiting = User.objects.create_user("dana@gmail.com", PASSWORD)
    EmailAddress.objects.create(user=waiting, email=waiting.email, verified=False, primary=True)
    double.person = GOOGLE
    enter(client, double, "google")
    assert user_of(client) == waiting
    waiting.refresh_from_db()
    assert not waiting.has_usable_password()


@pytest.mark.parametrize("fields", [{"is_superuser": True}, {"is_active": False}, {"is_service_account": True}])
def test_operators_deactivated_people_and_programs_do_not_come_in(
    fields: dict[str, bool], cast: Cast, double: SocialDouble, client: Client
) -> None:
    user = User.objects.create_user("dana@gmail.com", PASSWORD)
    User.objects.filter(pk=user.pk).update(**fields)
    double.person = GOOGLE
    enter(client, double, "google")
    assert user_of(client) is None


@pytest.mark.parametrize(("sign_up", "enters"), [("closed", False), ("invitation", False), ("domain", False), ("open", True)])
def test_new_accounts_follow_the_operator_s_rule(
    sign_up: str, enters: bool, cast: Cast, double: SocialDouble, client: Client, settings: Settings
) -> None:
    settings.SIGN_UP = sign_up
    double.person = GOOGLE
    enter(client, double, "google")
    assert (user_of(client) is not None) == enters
    assert User.objects.filter(email="dana@gmail.com").exists() == enters


def test_the_account_s_own_second_factor_is_asked(cast: Cast, double: SocialDouble, client: Client) -> None:
    Authenticator.objects.create(user=cast.bob, type=Authenticator.Type.TOTP, data={"secret": "x"})
    double.person = {**GOOGLE, "email": cast.bob.email, "hd": "example.org"}
    assert enter(client, double, "google").headers["Location"] == "/accounts/2fa/authenticate/"
    assert user_of(client) is None


def test_an_account_is_connected_while_signed_in_and_disconnected(cast: Cast, double: SocialDouble, client: Client) -> None:
    client.post("/login/", {"username": cast.bob.email, "password": PASSWORD})
    github(double)
    assert go(client, double, "/accounts/with/github/connect/").headers["Location"] == "/accounts/"
    assert "dana@example.net" in client.get("/accounts/").content.decode()
    assert mails()[-1].kind == "link_added"
    other = Client()
    enter(other, double, "github")
    assert user_of(other) == cast.bob
    assert client.post("/accounts/with/github/remove/").headers["Location"] == "/accounts/"
    assert not SocialAccount.objects.exists()
    assert mails()[-1].kind == "link_removed"
    assert client.post("/accounts/with/github/remove/").status_code == 404


def test_a_link_of_somebody_else_can_not_be_taken(cast: Cast, double: SocialDouble, client: Client) -> None:
    github(double)
    enter(Client(), double, "github")
    client.post("/login/", {"username": cast.bob.email, "password": PASSWORD})
    go(client, double, "/accounts/with/github/connect/")
    assert SocialAccount.objects.get().user.email == "dana@example.net"


@pytest.mark.parametrize("act", ["connect", "remove"])
def test_connecting_needs_a_session_and_a_fresh_proof(act: str, cast: Cast, double: SocialDouble, client: Client) -> None:
    path = f"/accounts/with/github/{act}/"
    assert client.post(path).headers["Location"].startswith("/login/")
    client.force_login(cast.bob)
    age_proof(client)
    assert client.post(path).headers["Location"] == "/accounts/reauthenticate/?next=/accounts/"


def test_nothing_of_the_page_s_address_goes_to_the_provider(cast: Cast, double: SocialDouble, client: Client) -> None:
    page = client.post("/accounts/with/github/?scope=repo&auth_params=prompt%3Dnone&process=connect").content.decode()
    assert "repo" not in page
    assert "prompt" not in page
    assert f"redirect_uri={html.escape(django_settings.PUBLIC_URL)}" in page or "redirect_uri=http" in page


def test_an_answer_works_once_and_in_its_own_browser(cast: Cast, double: SocialDouble, client: Client) -> None:
    double.person = GOOGLE
    page = client.post("/accounts/with/google/").content.decode()
    match = re.search(r'href="([^"]+)" data-leave', page)
    assert match
    back = double.authorize(html.unescape(match[1]))
    back = back[back.index("/accounts/") :]
    stranger = Client()
    assert reason(stranger.get(back)) == "failed"
    assert user_of(stranger) is None
    assert reason(client.get(back.replace("/google/", "/github/"))) == "failed"
    assert "/token" not in double.request_paths
    client.get(back)
    assert user_of(client)
    client.post("/logout/")
    assert reason(client.get(back)) == "failed"


def test_a_provider_that_is_not_allowed_or_away_is_a_plain_page(
    cast: Cast, double: SocialDouble, settings: Settings, client: Client
) -> None:
    settings.EGRESS_ALLOW = frozenset()
    double.person = GOOGLE
    assert reason(enter(client, double, "google")) == "failed"
    assert double.request_paths == []
    assert reason(client.get("/accounts/with/google/callback/?error=access_denied")) == "failed"


def test_a_page_of_the_product_is_where_the_person_ends(cast: Cast, double: SocialDouble, client: Client) -> None:
    double.person = GOOGLE
    assert enter(client, double, "google", "/accounts/sessions/").headers["Location"] == "/accounts/sessions/"
    assert enter(Client(), double, "google", "https://evil.example/").headers["Location"] != "https://evil.example/"


def test_who_has_no_password_proves_who_they_are_at_the_provider(cast: Cast, double: SocialDouble, client: Client) -> None:
    double.person = GOOGLE
    enter(client, double, "google")
    age_proof(client)
    session = client.session
    assert client.post("/accounts/with/google/remove/").headers["Location"] == "/accounts/reauthenticate/?next=/accounts/"
    page = client.get("/accounts/reauthenticate/?next=/accounts/").content.decode()
    assert "Continue with Google" in page
    assert enter(client, double, "google", "/accounts/").headers["Location"] == "/accounts/"
    assert client.session.session_key == session.session_key  # pages that are open go on
    client.post("/accounts/password/set/", {"password1": "seven green umbrellas"})  # else it is the only way in
    assert client.post("/accounts/with/google/remove/").headers["Location"] == "/accounts/"
    assert not SocialAccount.objects.exists()
