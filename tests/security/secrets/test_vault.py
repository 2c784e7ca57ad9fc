from __future__ import annotations

from uuid import uuid4

import pytest

from security.secrets.vault import Vault, VaultError

OLD, NEW = b"o" * 32, b"n" * 32
ACME, OTHER = uuid4(), uuid4()
BINDING = "security_secret|1|https://api.example:443"


@pytest.fixture
def vault() -> Vault:
    return Vault({"old": OLD}, "old")


def test_a_sealed_text_opens_in_its_place_and_does_not_show(vault: Vault) -> None:
    token = vault.seal("kéy-1234", organization_id=ACME, binding=BINDING)
    assert vault.open(token, organization_id=ACME, binding=BINDING) == "kéy-1234"
    assert token.startswith("v1.old.")
    assert "1234" not in token


def test_the_same_text_is_sealed_differently_each_time(vault: Vault) -> None:
    tokens = {vault.seal("key", organization_id=ACME, binding=BINDING) for _ in range(5)}
    assert len(tokens) == 5


@pytest.mark.parametrize(
    ("organization_id", "binding"),
    [
        (OTHER, BINDING),
        (ACME, BINDING.replace("|1|", "|2|")),
        (ACME, BINDING.replace("security_secret", "other_table")),
        (ACME, BINDING.replace("api.example", "evil.example")),
    ],
    ids=["other organization", "other row", "other table", "other origin"],
)
def test_a_copied_token_does_not_open_elsewhere(vault: Vault, organization_id: object, binding: str) -> None:
    token = vault.seal("key", organization_id=ACME, binding=BINDING)
    with pytest.raises(VaultError):
        vault.open(token, organization_id=organization_id, binding=binding)  # type: ignore[arg-type]


def test_after_rotation_old_tokens_open_and_new_ones_name_the_new_key(vault: Vault) -> None:
    token = vault.seal("key", organization_id=ACME, binding=BINDING)
    new_vault = Vault({"new": NEW, "old": OLD}, "new")
    assert new_vault.open(token, organization_id=ACME, binding=BINDING) == "key"
    assert new_vault.seal("key", organization_id=ACME, binding=BINDING).startswith("v1.new.")


@pytest.mark.parametrize("keys", [{"new": NEW}, {"old": NEW}], ids=["key gone", "another key under its id"])
def test_without_its_key_a_token_does_not_open(vault: Vault, keys: dict[str, bytes]) -> None:
    token = vault.seal("key", organization_id=ACME, binding=BINDING)
    with pytest.raises(VaultError):
        Vault(keys, next(iter(keys))).open(token, organization_id=ACME, binding=BINDING)


@pytest.mark.parametrize("token", ["", "v1.old", "v1.old.", "v1.old.!!!", "v2.old.QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=", "v1.old.QUJD"])
def test_what_is_no_token_is_refused(vault: Vault, token: str) -> None:
    with pytest.raises(VaultError):
        vault.open(token, organization_id=ACME, binding=BINDING)


def test_a_vault_does_not_show_its_keys(vault: Vault) -> None:
    assert "ooo" not in repr(vault)
