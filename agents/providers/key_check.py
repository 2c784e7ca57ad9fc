"""Checks with one cheap call, listing its models, whether a provider accepts a key. Each adapter knows the call."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Literal

import httpx2
from django.utils.translation import gettext

from agents.providers.connection import Connection
from agents.providers.provider_model import ProviderModel
from agents.providers.registry import adapter_class
from security.egress import EgressRefused

TIMEOUT_S = 15.0
REFUSAL_STATUSES = frozenset({400, 401, 403})  # Google answers an unknown key with 400; the call has nothing else to refuse


@dataclass(frozen=True, slots=True)
class KeyVerdict:
    """The result of a key check."""

    result: Literal["ok", "refused", "unreachable"]  # unreachable: nothing is known about the key
    message: str  # a sentence for the user


async def key_check(provider: str, label: str, connection: Connection) -> KeyVerdict:
    """Check the connection's key, without retries. `label` is the provider's name in the message, which is in the active language."""
    status = await _status(adapter_class(provider)(connection, provider))
    provider_name = {"provider": label}
    if isinstance(status, str):
        return KeyVerdict("unreachable", status)
    if 200 <= status < 300:
        return KeyVerdict("ok", gettext("%(provider)s accepts this key.") % provider_name)
    if status in REFUSAL_STATUSES:
        text = gettext("%(provider)s does not accept this key. Check that it is whole, and that it was not withdrawn.")
        return KeyVerdict("refused", text % provider_name)
    if status == 429:
        return KeyVerdict("unreachable", gettext("%(provider)s is busy or the key's limit is used up. Try again later.") % provider_name)
    text = gettext("%(provider)s could not check the key now (it answered %(status)s). Try again later.")
    return KeyVerdict("unreachable", text % {**provider_name, "status": status})


async def _status(model: ProviderModel[Any]) -> int | str:
    """Return the response's status, or a sentence saying why there is none. Exceptions hold the request with its key, so none escapes."""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await model.key_status()
    except EgressRefused as error:
        return str(error)
    except TimeoutError:
        return gettext("The provider did not answer in time. Try again later.")
    except (httpx2.HTTPError, httpx2.InvalidURL):
        return gettext("The provider could not be reached. Try again later.")
    except ValueError:
        return gettext("The provider's answer could not be read. Try again later.")
