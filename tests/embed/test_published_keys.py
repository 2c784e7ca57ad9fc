"""A host site that publishes its keys at an address: they are fetched, kept for a time, and sign in nobody of another organization."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Iterator
from functools import partial

import pytest

from embed.admin.forms import ONE_KEY_SET
from embed.host import fetched_keys
from embed.keys import site_key
from embed.models import EmbedSite
from tenants.context import tenant_tx
from tests.admin_config.conftest import SignedIn, seeded_cast, signed_in
from tests.admin_config.pages import errors, save
from tests.e2e.embed.host_page import host_pages
from tests.embed.support import begin as begin_session, make_site
from tests.embed.test_key_sets import EC, EC_KEY, ED, ED_KEY, PAGES, RSA, RSA_KEY, jwks, token
from tests.support.accounts.cast import Cast
from tests.support.chat.workspace import allow_egress

__all__ = ["seeded_cast", "signed_in"]

pytestmark = pytest.mark.django_db

begin = partial(begin_session, address="192.0.2.201")


class KeyFiles(UserDict[str, tuple[str, str]]):
    """The files of the host's server, by path; at first its keys are missing. `request_count`: how often somebody wanted them."""

    request_count = 0

    def __init__(self) -> None:
        super().__init__()
        self.take_down()

    def __getitem__(self, path: str) -> tuple[str, str]:
        self.request_count += 1
        return super().__getitem__(path)

    def publish(self, *keys: dict[str, object]) -> None:
        self["/keys"] = "application/json", jwks(*keys)

    def take_down(self) -> None:
        self["/keys"] = "text/plain", ""


@pytest.fixture
def key_files() -> Iterator[tuple[KeyFiles, str]]:
    files = KeyFiles()
    with host_pages(files, chat="'none'") as port:
        address = f"http://127.0.0.1:{port}/keys"
        with allow_egress(address):
            yield files, address


def test_keys_at_an_address_sign_visitors_in(
    seeded_cast: Cast, signed_in: SignedIn, key_files: tuple[KeyFiles, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files, address = key_files
    alice, charlie = signed_in(seeded_cast.alice), signed_in(seeded_cast.charlie)
    fields = {"name": "Shop", "title": "Ask us", "origins": "https://shop.example"}
    for wrong in ("http://shop.example/keys", "https://127.0.0.1/keys", "ftp://shop.example", "https://kim@shop.example/"):
        assert errors(save(alice, f"{PAGES}add/", **fields, key_set_url=wrong)).keys() == {"key_set_url"}, wrong
    both = errors(save(alice, f"{PAGES}add/", **fields, key_set_url=address, public_keys=jwks(EC_KEY)))
    assert both == {"key_set_url": [str(ONE_KEY_SET)]}
    assert files.request_count == 0
    assert save(alice, f"{PAGES}add/", **fields, key_set_url=address).status_code == 302
    with tenant_tx(seeded_cast.acme.pk):
        site = EmbedSite.objects.get(name="Shop")
    key, page, fetch = site_key(site), f"{PAGES}{site.pk}/change/", f"{PAGES}{site.pk}/keys/"
    number = iter(range(100))

    def comes_in(private: object, algorithm: str, kid: str, to: str = key) -> int:
        return int(begin(to, hostToken=token(private, algorithm, to, kid=kid, jti=str(next(number)))).status_code)

    # What admins read of an address that gives nothing, and what a visitor is told.
    assert "No keys: The address answers with HTTP 404" in alice.post(fetch, follow=True).content.decode()
    files["/keys"] = "text/html", "<html>"
    assert "The address gives no key set" in alice.post(fetch, follow=True).content.decode()
    files["/keys"] = "application/json", jwks(EC_KEY) + " " * 100_000
    assert "larger than 100 KB" in alice.post(fetch, follow=True).content.decode()
    response = begin(key, hostToken=token(EC, "ES256", key, kid="e"))
    assert (response.status_code, "Try again in a minute" in response.json()["error"]["message"]) == (503, True)
    request_count = files.request_count
    assert comes_in(EC, "ES256", "e") == 503
    assert files.request_count == request_count  # at most once a minute

    # An admin's button asks at once, and shows what can be used and what can't.
    files.publish(RSA_KEY, EC_KEY, {**ED_KEY, "use": "enc"}, {**RSA_KEY, "kid": "e"})
    html = alice.post(fetch, follow=True).content.decode()
    for text in ("Keys at the address: r (RS256), e (ES256)", "The key d can&#x27;t be used", "The key e is there twice", "Last fetched"):
        assert text in html, text
    request_count = files.request_count
    assert [comes_in(RSA, "RS256", "r"), comes_in(EC, "ES256", "e"), comes_in(EC, "ES256", "r"), comes_in(ED, "EdDSA", "e")] == [
        *(200, 200),
        *(401, 401),
    ]
    assert files.request_count == request_count

    # A new key of the host: the first token signed with it makes the set load again, and strangers' key ids don't within the minute.
    assert comes_in(ED, "EdDSA", "d") == 401
    assert files.request_count == request_count  # the failed fetch above was less than a minute ago
    monkeypatch.setattr(fetched_keys, "ASK_AGAIN_S", 0)
    _forget_the_minute(site)
    files.publish(EC_KEY, ED_KEY)
    assert comes_in(ED, "EdDSA", "d") == 200
    assert comes_in(RSA, "RS256", "r") == 401  # it was taken out

    # What was fetched holds while the address is away, and not for ever.
    monkeypatch.setattr(fetched_keys, "FRESH_S", 0)
    files.take_down()
    assert comes_in(EC, "ES256", "e") == 200
    monkeypatch.setattr(fetched_keys, "KEEP_S", 0)
    files.publish(ED_KEY)
    assert comes_in(ED, "EdDSA", "d") == 200
    files.take_down()
    assert comes_in(ED, "EdDSA", "d") == 503

    # Another organization has nothing of it.
    files.publish(EC_KEY)
    foreign_key, _ = make_site(seeded_cast, seeded_cast.charlie)
    assert comes_in(EC, "ES256", "e", foreign_key) == 401
    request_count = files.request_count
    assert charlie.post(fetch).status_code == 404
    assert charlie.post(fetch.replace("/acme/", "/other/")).status_code == 404
    assert alice.get(fetch).status_code == 404
    assert address not in charlie.get(page.replace("/acme/", "/other/"), follow=True).content.decode()
    assert files.request_count == request_count


def _forget_the_minute(site: EmbedSite) -> None:
    from django.core.cache import cache

    cache.delete(f"{fetched_keys._place(site)}:asked")
