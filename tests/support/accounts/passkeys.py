"""A passkey in memory, which answers a challenge as a device does."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_bytes

from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

from tenants.models import User

SITE = "testserver"
_FLAGS = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV


def encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass
class Passkey:
    """A passkey of a person, for https://testserver."""

    user: User
    _id: bytes = field(default_factory=lambda: token_bytes(16))
    _key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def register(self) -> None:
        """Store it as the library does after the page that adds one."""
        public = AttestedCredentialData.create(b"\0" * 16, self._id, ES256.from_cryptography_key(self._key.public_key()))  # type: ignore[no-untyped-call]
        authenticator_data = AuthenticatorData.create(_site_hash(), _FLAGS | AuthenticatorData.FLAG.AT, 0, public)
        response = {
            "clientDataJSON": encoded(_client_data("webauthn.create", encoded(b"0" * 16))),
            "attestationObject": encoded(AttestationObject.create("none", authenticator_data, {})),
        }
        credential = {"id": encoded(self._id), "rawId": encoded(self._id), "type": "public-key", "response": response}
        data = {"name": "Laptop", "credential": credential}
        Authenticator.objects.create(user=self.user, type=Authenticator.Type.WEBAUTHN, data=data)

    def answer(self, challenge: str) -> str:
        """Return what the page sends as `credential`."""
        authenticator_data, client_data = AuthenticatorData.create(_site_hash(), _FLAGS, 1), _client_data("webauthn.get", challenge)
        signature = self._key.sign(authenticator_data + sha256(client_data).digest(), ec.ECDSA(hashes.SHA256()))
        response = {
            "clientDataJSON": encoded(client_data),
            "authenticatorData": encoded(authenticator_data),
            "signature": encoded(signature),
            "userHandle": encoded(user_pk_to_url_str(self.user).encode()),
        }
        return json.dumps({"id": encoded(self._id), "rawId": encoded(self._id), "type": "public-key", "response": response})


def _site_hash() -> bytes:
    return sha256(SITE.encode()).digest()


def _client_data(kind: str, challenge: str) -> bytes:
    return CollectedClientData.create(kind, challenge, f"https://{SITE}")
