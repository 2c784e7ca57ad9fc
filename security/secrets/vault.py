"""Encryption of secret values: AES-256-GCM with a key derived per organization, and the key's id in the sealed text.

A sealed text is `v1.<key id>.<base64 of nonce and ciphertext>`. The organization and a binding (table, row, bound origin) are associated
data, so a sealed text that is copied to another row or organization can't be opened. Keys live in the settings, never in the database.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

VERSION = "v1"
KEY_BYTES = 32
NONCE_BYTES = 12  # NIST SP 800-38D: the size of random nonces


class VaultError(Exception):
    """A sealed text can't be opened: unknown key, damaged, or sealed for another row or organization."""


@dataclass(frozen=True, slots=True)
class Vault:
    """Seals and opens texts."""

    keys: Mapping[str, bytes] = field(repr=False)  # key id to 32 bytes; a sealed text is opened with the key that it names
    current: str  # id of the key that seals new texts

    def seal(self, text: str, *, organization_id: UUID, binding: str) -> str:
        nonce = os.urandom(NONCE_BYTES)
        cipher_text = self._cipher(self.current, organization_id).encrypt(nonce, text.encode(), _associated_data(organization_id, binding))
        return f"{VERSION}.{self.current}.{base64.urlsafe_b64encode(nonce + cipher_text).decode()}"

    def open(self, token: str, *, organization_id: UUID, binding: str) -> str:
        """Return the sealed text. Raises VaultError, whose message names at most the key id."""
        key_id, sealed = _parse(token)
        if key_id not in self.keys:
            raise VaultError(f"The key {key_id!r} is not among the credential keys.")
        try:
            text = self._cipher(key_id, organization_id).decrypt(
                sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], _associated_data(organization_id, binding)
            )
        except InvalidTag as exc:
            raise VaultError("The token was changed, or sealed for another row or organization.") from exc
        return text.decode()

    def _cipher(self, key_id: str, organization_id: UUID) -> AESGCM:
        derive = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=f"parley.secret|{organization_id}".encode())
        return AESGCM(derive.derive(self.keys[key_id]))


def vault_from_settings() -> Vault:
    """Return the vault of settings.CREDENTIAL_KEYS (key id to 32 bytes). The first key is the current one."""
    keys: Mapping[str, bytes] = settings.CREDENTIAL_KEYS
    return Vault(keys=keys, current=next(iter(keys)))


def _associated_data(organization_id: UUID, binding: str) -> bytes:
    return f"{organization_id}|{binding}".encode()


def _parse(token: str) -> tuple[str, bytes]:
    try:
        version, key_id, encoded = token.split(".")
        sealed = base64.b64decode(encoded, altchars=b"-_", validate=True)
    except (ValueError, binascii.Error) as exc:
        raise VaultError("This is not a sealed value.") from exc
    if version != VERSION or len(sealed) <= NONCE_BYTES:
        raise VaultError("This is not a sealed value.")
    return key_id, sealed
