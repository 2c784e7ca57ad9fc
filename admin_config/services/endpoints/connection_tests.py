"""Tests of an endpoint's connection: one request for its list of models, with the organization's key. The last result is kept in its row."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.conf import settings
from django.utils import timezone

from admin_config.endpoint_models import ModelListing, endpoint_models
from admin_config.models import ProviderEndpoint
from admin_config.release import EndpointSnapshot, endpoint_with_demo_url
from admin_config.services.drafts.draft import endpoint_snapshot
from admin_config.services.endpoints.problems import problem_text
from security.audit import audit
from tenants.context import tenant_tx


@dataclass(frozen=True, slots=True)
class ConnectionTest:
    """The result of a test. `problem`: in the reader's language. `models`: the ids that the endpoint listed."""

    at: datetime
    problem: str
    models: tuple[str, ...]


def connection_test(endpoint_id: UUID, *, organization_id: UUID, author_id: int) -> ModelListing:
    """Ask the endpoint as it is saved, keep the result and write it to the audit log. Opens its own transactions.

    Raises ProviderEndpoint.DoesNotExist.
    """
    with tenant_tx(organization_id):
        endpoint = saved_endpoint(ProviderEndpoint.objects.get(id=endpoint_id))
    listing = async_to_sync(endpoint_models)(endpoint, organization_id)
    with tenant_tx(organization_id):
        ProviderEndpoint.objects.filter(id=endpoint_id).update(last_test=_stored_result(endpoint, listing))
        audit(
            organization_id=organization_id,
            actor_user_id=author_id,
            action="providerendpoint.test",
            object_kind="providerendpoint",
            object_id=endpoint_id,
            object_label=endpoint.name,
            detail={"problem": listing.problem} if listing.problem else {"models": len(listing.models)},
        )
    return listing


def last_test(row: ProviderEndpoint) -> ConnectionTest | None:
    """Return the endpoint's last test; None when its address or its key has changed since."""
    record = row.last_test
    if not record or record["of"] != _tested_values(saved_endpoint(row)):
        return None
    return ConnectionTest(datetime.fromisoformat(record["at"]), problem_text(record["problem"]), tuple(record["models"]))


def saved_endpoint(row: ProviderEndpoint) -> EndpointSnapshot:
    """Return the endpoint as runs would use it if the draft were live."""
    return endpoint_with_demo_url(endpoint_snapshot(row), settings.DEMO_PROVIDER_URL)


def _stored_result(endpoint: EndpointSnapshot, listing: ModelListing) -> dict[str, Any]:
    at = timezone.now().isoformat()
    return {"at": at, "of": _tested_values(endpoint), "problem": listing.problem, "models": list(listing.models)}


def _tested_values(endpoint: EndpointSnapshot) -> list[str]:
    """Return what a test depends on. A replaced key is another secret."""
    return [endpoint.base_url, endpoint.api_version, str(endpoint.secret_id or "")]
