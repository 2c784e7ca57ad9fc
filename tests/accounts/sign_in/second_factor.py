"""A second factor in tests: setting it up, and an organization's rule about it."""

from __future__ import annotations

import re
from typing import Any

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.test import Client
from django.utils import timezone

from tenants.models import Organization
from tests.support.accounts.cast import PASSWORD


def code_for(secret: str) -> str:
    """The code of now; those of the periods before and after are accepted, too."""
    _, now, _ = yield_hotp_counters_from_time()
    return str(format_hotp_value(hotp_value(secret, now)))


def sign_in(email: str, client: Client | None = None) -> Client:
    client = client or Client()
    client.post("/login/", {"username": email, "password": PASSWORD})
    return client


def set_up_app(client: Client) -> tuple[str, list[str]]:
    """Set up an authenticator app after giving the password once more; return its key and the recovery codes."""
    client.post("/accounts/reauthenticate/", {"password": PASSWORD, "next": "/accounts/2fa/app/"})
    match = re.search(r"data-secret>(\w+)<", client.get("/accounts/2fa/app/").content.decode())
    assert match
    page = client.post("/accounts/2fa/app/", {"code": code_for(match[1])}, follow=True).content.decode()
    codes = re.findall(r"<li>([\w-]+)</li>", page)
    return match[1], codes


def asks(organization: Organization, **rule: Any) -> None:
    organization.policy = {"second_factor": {"since": timezone.now().isoformat(), "grace_days": 0, **rule}}
    organization.save()


def is_in(client: Client, path: str = "/o/acme/api/conversations/") -> bool:
    return bool(client.get(path).status_code == 200)
