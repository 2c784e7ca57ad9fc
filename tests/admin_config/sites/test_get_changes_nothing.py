"""A link or a picture on a foreign page can make a browser send a GET with the session: it must change nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.test import Client
from django.urls import URLPattern, URLResolver

from admin_config.admin.sites import operator_site, organization_site
from admin_config.admin.sites.base import ParleySite
from admin_config.models import ToolSource
from files.models import KnowledgeFile
from security.models import AuditEvent, PlatformEvent, RegisteredSecret
from security.secrets.registered_secrets import registered_secret_save
from tenants.context import tenant_tx
from tenants.models import TenantModel
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME
from tests.support.accounts.cast import Cast

OBJECT = re.compile(r"<\w+:object_id>")
APP = re.compile(r"^\^\(\?P<app_label>([^)|]+).*$")


@pytest.fixture
def operator(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    """Someone who may open both sites, where every list has a row."""
    with tenant_tx(seeded_cast.acme.id):
        registered_secret_save(registered=RegisteredSecret(name="api", tool="http"), value="token-0123456789", url="https://api.example")
        KnowledgeFile.objects.create(
            source=ToolSource.objects.earliest("name"), path="tea.md", media_type="text/plain", kind="text", size_bytes=1
        )
    seeded_cast.alice.is_superuser = seeded_cast.alice.is_staff = True
    seeded_cast.alice.save()
    return signed_in(seeded_cast.alice)


@pytest.mark.django_db(databases=["default", "system"])  # the operator's log
@pytest.mark.parametrize(("site", "root"), [(organization_site, ACME), (operator_site, "/operator/")], ids=["organization", "operator"])
def test_no_get_on_an_admin_site_changes_a_row_or_ends_the_session(
    site: ParleySite, root: str, operator: Client, seeded_cast: Cast
) -> None:
    before = all_rows(seeded_cast)
    statuses = {address: operator.get(root + address).status_code for address in addresses(site, seeded_cast)}
    assert len(statuses) > 20
    assert {200, 302, 405} <= set(statuses.values()) <= {200, 302, 403, 404, 405}
    assert statuses["logout/"] == 405
    assert all_rows(seeded_cast) == before
    assert operator.get(root).status_code == 200


def addresses(site: ParleySite, seeded_cast: Cast) -> Iterator[str]:
    """Every address of the site, those of rows with a row of Acme's."""
    for route in routes(site.get_urls()):
        model = re.match(r"(\w+)/(\w+)/", route) if OBJECT.search(route) else None
        yield OBJECT.sub(first_id(seeded_cast, *model.groups()) if model else "", APP.sub(r"\1/", route)).replace(
            "(?P<url>.*)$", "no/such/page/"
        )


def routes(urls: Sequence[URLPattern | URLResolver], prefix: str = "") -> Iterator[str]:
    for url in urls:
        if isinstance(url, URLResolver):
            yield from routes(url.url_patterns, prefix + str(url.pattern))
        else:
            yield prefix + str(url.pattern)


def first_id(seeded_cast: Cast, app: str, model: str) -> str:
    with tenant_tx(seeded_cast.acme.id):
        return str(apps.get_model(app, model)._default_manager.values_list("pk", flat=True).first() or uuid4())


def all_rows(seeded_cast: Cast) -> dict[str, list[Any]]:
    """The whole database, sessions included, by table and organization, but for the audit logs: a look of the operator is an event."""
    rows: dict[str, list[Any]] = {}
    for model in set(apps.get_models()) - {AuditEvent, PlatformEvent}:
        table = model._meta.db_table
        if not issubclass(model, TenantModel):
            rows[table] = list(model._default_manager.order_by("pk").values())
            continue
        for organization in (seeded_cast.acme, seeded_cast.other):
            with tenant_tx(organization.id):
                rows[f"{table} of {organization.slug}"] = list(model._default_manager.order_by("pk").values())
    return rows
