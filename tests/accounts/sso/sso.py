"""An organization's sign-on in tests: its provider is the double, and a browser goes there and back."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.test import Client

from accounts.models import ProvenDomain, SignOn, SignOnDomain
from accounts.sso.sign_on_rule import required_write
from doubles.oidc import OidcDouble
from security.secrets.services import secret_create
from tenants.context import identity_tx, tenant_tx
from tenants.models import Membership, Organization, User
from tests.support.accounts.cast import PASSWORD, Cast
from tests.support.agents.gemini import serve
from tests.support.chat.workspace import allow_egress

DANA = {"sub": "dana-1", "email": "dana@acme.example", "email_verified": True, "name": "Dana Lee", "sid": "s1"}


@contextmanager
def provider_of(organization: Organization, *domains: str, **fields: Any) -> Iterator[OidcDouble]:
    """The organization's sign-on at a double of its own."""
    double = OidcDouble(redirect_uris=(f"{settings.PUBLIC_URL}/sso/{organization.pk}/callback/",))
    with serve(double) as double.base_url, allow_egress(double.base_url):
        with tenant_tx(organization.pk):
            secret = secret_create(organization_id=organization.pk, value=double.secret, url=double.base_url, purpose="sign-on")
        with identity_tx(organization.pk, acting_user_id=None):
            SignOn.objects.create(issuer=double.base_url, client_id=double.client_id, secret=secret, **fields)
        for domain in domains:
            proven(organization, domain)
        double.person = {**DANA}
        yield double


def dana(cast: Cast, role: str = "member", password: str | None = PASSWORD) -> Membership:
    user = User.objects.create_user("dana@acme.example", password, name="Dana")
    return Membership.objects.create(organization=cast.acme, user=user, role=role)


def proven(organization: Organization, domain: str) -> None:
    with identity_tx(organization.pk, acting_user_id=None):
        SignOnDomain.objects.create(domain=domain, token="t", is_proven_by_operator=True)
        ProvenDomain.objects.create(domain=domain, organization=organization)
        required_write(organization.pk)


def change(organization: Organization, **fields: Any) -> None:
    with identity_tx(organization.pk, acting_user_id=None):
        SignOn.objects.update(**fields)
        required_write(organization.pk)


def start(client: Client, organization: Organization, next_url: str = "") -> str:
    """Press the button; return the provider's address that the page leads to."""
    page = client.post(f"/sso/{organization.pk}/", {"next": next_url, "username": "x@y.example"})
    match = re.search(r'href="([^"]+)" data-leave', page.content.decode())
    assert match, page.content.decode()
    return html.unescape(match[1])


def come_back(client: Client, double: OidcDouble, address: str) -> HttpResponse:
    return client.get(double.authorize(address).removeprefix(settings.PUBLIC_URL))  # type: ignore[return-value]


def sign_in(client: Client, organization: Organization, double: OidcDouble, next_url: str = "") -> HttpResponse:
    return come_back(client, double, start(client, organization, next_url))


def is_in(client: Client, slug: str = "acme") -> bool:
    return client.get(f"/o/{slug}/api/conversations/").status_code == 200


def reason(response: Any) -> str:
    """The reason on the page of a sign-in that failed."""
    match = re.search(r"this reason: <code>(\w+)</code>", response.content.decode())
    assert match, response.content.decode()
    return match[1]
