"""Whose key an endpoint gets: the request's, the session's, the saved one, the organization's, the platform's (SPEC 2.5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from admin_config.defaults.platform import PROVIDERS
from admin_config.models import AppSettings, ProviderEndpoint
from admin_config.release import EndpointSnapshot
from admin_config.services.configuration import credential_remove, credential_set, release_publish
from admin_config.services.own_keys import key_destinations
from agents.errors import KeyMissing
from agents.runtime.key_lookup import NO_KEY_NEEDED, KeyOwner, RequestKeys, header_keys, key_for
from security.secrets.member_keys import KeySession, member_key_save
from security.secrets.secret_text import SecretText
from tenants.access import Actor
from tenants.authentication.sessions import session_hash
from tenants.context import tenant_tx
from tenants.errors import BadRequest
from tenants.models import Organization, User
from tests.support.accounts.cast import Cast
from tests.support.chat.seeding import seed_organization

GOOGLE = PROVIDERS["google"].base_url
GATEWAY = "https://gateway.example"
SESSION = "bobs-session"
OF_REQUEST, OF_SESSION, OF_MEMBER, ORGANIZATION, PLATFORM = (
    f"key-of-the-{name}" for name in ("request", "session", "saved", "organization", "platform")
)


@dataclass
class Keys:
    """What a test gives to whom; the user is Bob of Acme."""

    cast: Cast
    settings: Settings

    @property
    def actor(self) -> Actor:
        return self.cast.actor(self.cast.bob)

    def allow(self, allowed: bool = True) -> None:
        with tenant_tx(self.cast.acme.pk):
            AppSettings.objects.update(own_keys_allowed=allowed)

    def of_member(self, value: str, *, session_only: bool = False, url: str = GOOGLE, user: User | None = None) -> None:
        user = user or self.cast.bob
        actor = self.cast.actor(user)
        session = KeySession(session_hash(SESSION), user.get_session_auth_hash(), timezone.now() + timedelta(hours=1))
        with tenant_tx(actor.organization_id):
            member_key_save(actor=actor, provider="google", value=value, url=url, session=session, session_only=session_only)

    def of_organization(self, value: str | None, organization: Organization | None = None) -> None:
        organization = organization or self.cast.acme
        with tenant_tx(organization.pk):
            endpoint = ProviderEndpoint.objects.get(provider="google")
            if value is None:
                credential_remove(endpoint=endpoint)
            else:
                credential_set(endpoint=endpoint, value=value)
            release_publish(organization_id=organization.pk)

    def of_platform(self, value: str) -> None:
        self.settings.PROVIDER_KEYS = {"google": value}

    def move(self, url: str) -> None:
        """Give Acme's endpoint another address, as an admin does: its key goes."""
        with tenant_tx(self.cast.acme.pk):
            endpoint = ProviderEndpoint.objects.get(provider="google")
            endpoint.base_url = url
            endpoint.save()
            credential_remove(endpoint=endpoint)
            release_publish(organization_id=self.cast.acme.pk)

    def endpoint(self) -> EndpointSnapshot:
        with tenant_tx(self.cast.acme.pk):
            return key_destinations(organization_id=self.cast.acme.pk)["google"].endpoint

    def key_of_run(self, *, request_key: str = "", session: str = SESSION, user: User | None = None, is_lost: bool = False) -> str:
        """The key that a run of this member gets at Acme's endpoint."""
        actor = self.cast.actor(user or self.cast.bob)
        owner = KeyOwner(
            membership_id=actor.membership_id,
            request=RequestKeys(session_hash=session_hash(session), sent_keys={"google": SecretText(request_key)} if request_key else {}),
            lost_providers=frozenset({"google"} if is_lost else ()),
        )
        key = async_to_sync(key_for)(self.endpoint(), self.cast.acme.pk, owner)
        assert key.text is not None
        return key.text.reveal()


@pytest.fixture
def keys(cast: Cast, settings: Settings) -> Keys:
    settings.DEMO_PROVIDER_URL = ""
    settings.PROVIDER_KEYS = {}
    for organization in (cast.acme, cast.other):
        with tenant_tx(organization.pk):
            seed_organization(organization)
    key_setup = Keys(cast, settings)
    key_setup.allow()
    return key_setup


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        ("rsvop", OF_REQUEST),  # r = request, s = session, v = saved, o = organization, p = platform
        ("svop", OF_SESSION),
        ("vop", OF_MEMBER),
        ("op", ORGANIZATION),
        ("p", PLATFORM),
        ("ro", OF_REQUEST),
        ("sp", OF_SESSION),
        ("rv", OF_REQUEST),
    ],
)
def test_the_first_key_there_is_is_used(keys: Keys, there: str, expected: str) -> None:
    give(keys, there)
    assert keys.key_of_run(request_key=OF_REQUEST if "r" in there else "") == expected


@pytest.mark.parametrize(("there", "expected"), [("rsvop", ORGANIZATION), ("rsvp", PLATFORM), ("o", ORGANIZATION)])
def test_where_members_bring_none_theirs_rest(keys: Keys, there: str, expected: str) -> None:
    give(keys, there)
    keys.allow(False)
    assert keys.key_of_run(request_key=OF_REQUEST if "r" in there else "") == expected
    keys.allow()
    assert keys.key_of_run(request_key=OF_REQUEST if "r" in there else "") != expected or there == "o"


def give(keys: Keys, there: str) -> None:
    if "v" in there:
        keys.of_member(OF_MEMBER)
    if "s" in there:
        keys.of_member(OF_SESSION, session_only=True)
    if "o" in there:
        keys.of_organization(ORGANIZATION)
    if "p" in there:
        keys.of_platform(PLATFORM)


class TestNobodyElsesKey:
    def test_a_member_does_not_get_the_key_of_another_member(self, keys: Keys) -> None:
        give(keys, "svo")
        assert keys.key_of_run(user=keys.cast.alice) == ORGANIZATION
        assert keys.key_of_run() == OF_SESSION

    def test_a_member_does_not_get_the_key_of_another_organization(self, keys: Keys) -> None:
        keys.of_member(OF_MEMBER, user=keys.cast.charlie)
        keys.of_organization("key-of-other-ltd", keys.cast.other)
        with pytest.raises(KeyMissing):
            keys.key_of_run()
        charlie = KeyOwner(membership_id=keys.cast.actor(keys.cast.charlie).membership_id)
        with pytest.raises(KeyMissing):
            async_to_sync(key_for)(keys.endpoint(), keys.cast.acme.pk, charlie)

    def test_a_session_does_not_get_the_key_of_another_session(self, keys: Keys) -> None:
        give(keys, "so")
        assert keys.key_of_run(session="another") == ORGANIZATION
        assert keys.key_of_run(session="") == ORGANIZATION
        assert keys.key_of_run() == OF_SESSION

    def test_a_session_key_ends_with_a_change_of_the_password(self, keys: Keys) -> None:
        give(keys, "so")
        assert keys.key_of_run() == OF_SESSION
        keys.cast.bob.set_password("another good one")
        keys.cast.bob.save()
        assert keys.key_of_run() == ORGANIZATION


class TestOnlyToTheAddressItWasEnteredFor:
    def test_a_saved_key_does_not_follow_an_endpoint(self, keys: Keys) -> None:
        give(keys, "v")
        assert keys.key_of_run() == OF_MEMBER
        keys.move(GATEWAY)
        with pytest.raises(KeyMissing, match="has changed since you entered your key"):
            keys.key_of_run()

    def test_a_key_for_a_gateway_goes_there(self, keys: Keys) -> None:
        keys.move(GATEWAY)
        keys.of_member(OF_MEMBER, url=f"{GATEWAY}/v1")
        assert keys.key_of_run() == OF_MEMBER
        keys.move(f"{GATEWAY}:80")
        with pytest.raises(KeyMissing):
            keys.key_of_run()

    def test_a_sent_key_goes_to_the_provider_and_never_to_an_address_of_an_admin(self, keys: Keys) -> None:
        assert keys.key_of_run(request_key=OF_REQUEST) == OF_REQUEST
        keys.move(GATEWAY)
        with pytest.raises(KeyMissing, match="this organization uses another address"):
            keys.key_of_run(request_key=OF_REQUEST)

    def test_the_platforms_key_goes_to_the_provider_only(self, keys: Keys) -> None:
        keys.of_platform(PLATFORM)
        assert keys.key_of_run() == PLATFORM
        keys.move(GATEWAY)
        with pytest.raises(KeyMissing):
            keys.key_of_run()

    def test_a_host_that_only_begins_alike_is_another(self, keys: Keys) -> None:
        keys.of_platform(PLATFORM)
        keys.of_member(OF_MEMBER)
        keys.move(f"{GOOGLE}.evil.example")
        with pytest.raises(KeyMissing):
            keys.key_of_run(request_key=OF_REQUEST)


class TestMissing:
    def test_a_missing_key_says_where_to_enter_one(self, keys: Keys) -> None:
        with pytest.raises(KeyMissing, match=r"“API keys”.*An admin can enter one") as missing:
            keys.key_of_run()
        assert missing.value.action == "settings"
        keys.allow(False)
        with pytest.raises(KeyMissing, match="An admin can enter one") as missing:
            keys.key_of_run()
        assert "API keys" not in str(missing.value)

    def test_a_missing_key_says_that_it_came_with_the_request_only(self, keys: Keys) -> None:
        with pytest.raises(KeyMissing, match="sent with the request only"):
            keys.key_of_run(is_lost=True)
        give(keys, "o")
        assert keys.key_of_run(is_lost=True) == ORGANIZATION

    def test_a_key_that_no_longer_opens_is_asked_for_again(self, keys: Keys, settings: Settings) -> None:
        give(keys, "vo")
        settings.CREDENTIAL_KEYS = {"new": bytes(32)}
        with pytest.raises(KeyMissing, match="Enter it again in your settings under “API keys”"):
            keys.key_of_run()

    def test_a_missing_key_is_no_fault_where_none_is_needed(self, keys: Keys) -> None:
        endpoint = (keys.endpoint()).model_copy(update={"provider": "demo"})
        owner = KeyOwner(membership_id=keys.actor.membership_id)
        with CaptureQueriesContext(connection) as queries:
            assert async_to_sync(key_for)(endpoint, keys.cast.acme.pk, owner) == NO_KEY_NEEDED
        assert len(queries) == 0


class TestHeaders:
    def test_key_headers_name_their_provider_in_any_case_and_with_spaces_around(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for provider in ("openai", "anthropic"):
            monkeypatch.setitem(PROVIDERS, provider, replace(PROVIDERS["google"], base_url=f"https://api.{provider}.com"))
        provider_keys = header_keys(
            {"x-google-api-key": " g ", "x-openai-api-key": "o", "x-anthropic-api-key": "a", "x-other-api-key": "x"}
        )
        assert {provider: key.reveal() for provider, key in provider_keys.items()} == {"google": "g", "openai": "o", "anthropic": "a"}

    def test_empty_key_headers_count_as_none(self) -> None:
        assert header_keys({"x-google-api-key": "  "}) == {}

    @pytest.mark.parametrize("value", ["k\u00e9y", "one\ntwo", "x" * 5000])
    def test_headers_that_hold_no_key_are_refused_without_quoting_them(self, value: str) -> None:
        with pytest.raises(BadRequest) as refusal:
            header_keys({"x-google-api-key": value})
        assert value not in refusal.value.message

    def test_keys_from_headers_do_not_show_their_value(self) -> None:
        request = RequestKeys(session_hash="s", sent_keys=header_keys({"x-google-api-key": "canary"}))
        assert "canary" not in f"{request!r} {KeyOwner(membership_id=None, request=request)!r}"  # type: ignore[arg-type]
