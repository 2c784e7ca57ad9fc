"""The cookie by which a device is known again that has signed in before (accounts.sign_in.throttle)."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from accounts.sign_in.throttle import Attempt, account_hash, network_prefix

MAX_ACCOUNTS = 8  # of one device; the oldest is forgotten
MAX_AGE_S = 365 * 24 * 3600
_SALT = "accounts.device"
_PREFIX_LENGTH = 16  # of an account's hash: enough to tell a few accounts of one device apart


@dataclass(frozen=True)
class Device:
    """A browser and the accounts that were signed in to with it."""

    id: str
    accounts: tuple[str, ...] = ()

    def knows(self, account: str) -> bool:
        return account[:_PREFIX_LENGTH] in self.accounts

    def with_account(self, account: str) -> Device:
        others = [other for other in self.accounts if other != account[:_PREFIX_LENGTH]]
        return Device(self.id, (account[:_PREFIX_LENGTH], *others)[:MAX_ACCOUNTS])


def device_of(request: HttpRequest) -> Device:
    """Return the device that sends the request, a new one if it carries no cookie of ours."""
    try:
        device_id, accounts = signing.loads(request.COOKIES.get(_cookie_name(), ""), salt=_SALT, max_age=MAX_AGE_S)
    except (signing.BadSignature, ValueError, TypeError):
        return Device(secrets.token_urlsafe(12))
    return Device(device_id, tuple(accounts))


def remember_device(request: HttpRequest, response: HttpResponse, email: str) -> None:
    """Set the cookie after somebody signed in as `email`."""
    device = device_of(request).with_account(account_hash(email))
    response.set_cookie(
        _cookie_name(),
        signing.dumps([device.id, [*device.accounts]], salt=_SALT),
        max_age=MAX_AGE_S,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def attempt_of(request: HttpRequest, email: str, address: str) -> Attempt:
    """Return the attempt of a request to prove that the account is theirs; `address` is its IP address."""
    account = account_hash(email)
    device = device_of(request)
    return Attempt(account, network_prefix(address), device.id if device.knows(account) else "")


def _cookie_name() -> str:
    return settings.SESSION_COOKIE_NAME.replace("parley_session", "parley_device")
