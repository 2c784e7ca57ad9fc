"""What the provider of `tests.support.accounts.openid_provider` reads from its state. Imported in its process only."""

from __future__ import annotations

import json
from typing import Any

from allauth.idp.oidc.adapter import DefaultOIDCAdapter
from allauth.idp.oidc.models import PrivateKey
from django.conf import settings


def state() -> dict[str, Any]:
    provider_state: dict[str, Any] = json.loads(getattr(settings, "PROVIDER_STATE").read_text())  # noqa: B009  of that process
    return provider_state


class StateAdapter(DefaultOIDCAdapter):  # type: ignore[misc]  # the library has no types
    """Keys and groups of now."""

    def list_private_keys(self, **filters: Any) -> list[PrivateKey]:
        return [PrivateKey(pem=pem) for pem in state()["keys"]]

    def populate_id_token(self, id_token: dict[str, Any], client: Any, scopes: Any, **kwargs: Any) -> None:
        id_token["groups"] = state()["groups"].get(id_token.get("email"), [])
