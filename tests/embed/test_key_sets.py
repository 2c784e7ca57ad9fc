"""A host site that signs its tokens with a private key: an admin enters the public ones, and no other key signs anybody in."""

from __future__ import annotations

import hmac
import json
import time
from functools import partial
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from jwt.utils import base64url_encode

from embed.keys import site_key
from embed.models import EmbedSite
from tenants.context import tenant_tx
from tests.admin_config.conftest import SignedIn, seeded_cast, signed_in
from tests.admin_config.pages import errors, save
from tests.embed.support import begin as begin_session, make_site
from tests.support.accounts.cast import Cast

__all__ = ["seeded_cast", "signed_in"]

pytestmark = pytest.mark.django_db

PAGES = "/o/acme/admin/embed/embedsite/"
RSA, SHORT = rsa.generate_private_key(65537, 2048), rsa.generate_private_key(65537, 1024)
EC, ED = ec.generate_private_key(ec.SECP256R1()), ed25519.Ed25519PrivateKey.generate()


def jwks(*keys: dict[str, Any]) -> str:
    return json.dumps({"keys": keys})


RSA_KEY = {**RSAAlgorithm.to_jwk(RSA.public_key(), as_dict=True), "kid": "r"}
EC_KEY = {**ECAlgorithm.to_jwk(EC.public_key(), as_dict=True), "kid": "e"}
ED_KEY = {**OKPAlgorithm.to_jwk(ED.public_key(), as_dict=True), "kid": "d"}
WRONG = {
    "no JSON": "https://shop.example/jwks.json",
    "no set": "[]",
    "a secret one": jwks({**RSAAlgorithm.to_jwk(RSA, as_dict=True), "kid": "r"}),
    "symmetric": jwks({"kty": "oct", "k": "c2VjcmV0", "kid": "s"}),
    "too short": jwks({**RSAAlgorithm.to_jwk(SHORT.public_key(), as_dict=True), "kid": "r"}),
    "another algorithm": jwks({**RSA_KEY, "alg": "RS512"}),
    "of encryption": jwks({**RSA_KEY, "use": "enc"}),
    "broken": jwks({**RSA_KEY, "n": 5}),
    "what PostgreSQL has not: NUL": jwks({**RSA_KEY, "kid": "a\0"}),
    "half of a surrogate pair": jwks({**RSA_KEY, "kid": "\ud83d"}),
    "no number": jwks({**RSA_KEY, "x5t": float("nan")}),
    "twice": jwks(RSA_KEY, {**EC_KEY, "kid": "r"}),
}


def token(private: Any, algorithm: str, key: str, *, kid: str | None = None, **claims: Any) -> str:
    payload = {"sub": "customer-7", "aud": key, "exp": int(time.time()) + 300, **claims}
    return jwt.encode(payload, private, algorithm=algorithm, headers={"kid": kid} if kid else None)


begin = partial(begin_session, address="192.0.2.200")


def signed_with(secret: bytes, key: str) -> str:
    """Return a token of HS256. PyJWT refuses to make one with a public key."""
    parts = ({"alg": "HS256", "kid": "r"}, {"sub": "customer-7", "aud": key, "exp": int(time.time()) + 300})
    signing_input = b".".join(base64url_encode(json.dumps(part).encode()) for part in parts)
    return (signing_input + b"." + base64url_encode(hmac.digest(secret, signing_input, "sha256"))).decode()


def test_keys_that_an_admin_enters_sign_visitors_in_and_no_others(seeded_cast: Cast, signed_in: SignedIn) -> None:
    alice = signed_in(seeded_cast.alice)
    fields = {"name": "Shop", "title": "Ask us", "origins": "https://shop.example"}
    for what, text in WRONG.items():
        assert errors(save(alice, f"{PAGES}add/", **fields, public_keys=text)).keys() == {"public_keys"}, what
    assert save(alice, f"{PAGES}add/", **fields, public_keys=jwks(RSA_KEY, EC_KEY, ED_KEY)).status_code == 302
    with tenant_tx(seeded_cast.acme.pk):
        site = EmbedSite.objects.get(name="Shop")
    key, page = site_key(site), f"{PAGES}{site.pk}/change/"
    foreign_key, _ = make_site(seeded_cast, seeded_cast.charlie)

    for private, algorithm, kid in ((RSA, "RS256", "r"), (EC, "ES256", "e"), (ED, "EdDSA", "d")):
        assert begin(key, hostToken=token(private, algorithm, key, kid=kid)).status_code == 200, algorithm
        assert begin(foreign_key, hostToken=token(private, algorithm, foreign_key, kid=kid)).status_code == 401, algorithm
    once = token(EC, "ES256", key, kid="e", jti="1")
    assert [begin(key, hostToken=once).status_code for _ in range(2)] == [200, 401]
    pem = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    forgeries = {
        "a foreign key": token(ec.generate_private_key(ec.SECP256R1()), "ES256", key, kid="e"),
        "an unknown key": token(EC, "ES256", key, kid="x"),
        "none of several keys": token(EC, "ES256", key),
        "another algorithm of the key": token(RSA, "RS512", key, kid="r"),
        "another key's algorithm": token(EC, "ES256", key, kid="r"),
        "the public key as a secret": signed_with(pem, key),
        "expired": token(EC, "ES256", key, kid="e", exp=int(time.time()) - 60),
        "another audience": token(EC, "ES256", foreign_key, kid="e"),
        "too long a life": token(EC, "ES256", key, kid="e", exp=int(time.time()) + 3600),
    }
    for what, text in forgeries.items():
        answer = begin(key, hostToken=text)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "host_token_refused"), what

    assert '"kid": "e"' in alice.get(page).content.decode().replace("&quot;", '"')
    assert save(alice, page, public_keys=jwks(EC_KEY)).status_code == 302  # the other keys are worth nothing any more
    assert begin(key, hostToken=token(ED, "EdDSA", key, kid="d", jti="2")).status_code == 401
    assert begin(key, hostToken=token(EC, "ES256", key, jti="3")).status_code == 200
