"""Models that an endpoint lists and the organization does not have yet. All functions need the organization's `tenant_tx`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction

from admin_config.models import ModelConfig, ProviderEndpoint
from admin_config.services.endpoints.connection_tests import last_test
from admin_config.services.model_configs import ModelEdit, model_edit
from admin_config.services.price_list import listed_model
from admin_config.services.settings_lock import settings_lock
from security.audit import audit
from tenants.context import current_organization_id


@dataclass(frozen=True, slots=True)
class FetchedModel:
    """A model that an endpoint lists. `is_priced`: the price list knows it."""

    model_id: str
    name: str
    context_window: int | None  # in tokens; None: not known
    is_priced: bool


def fetched_models(endpoint: ProviderEndpoint) -> list[FetchedModel]:
    """Return the models of the endpoint's last test that the organization doesn't have; those of the price list first."""
    test = last_test(endpoint)
    known_ids = set(ModelConfig.objects.filter(provider=endpoint.provider).values_list("model_id", flat=True))
    models = [_fetched_model(endpoint.provider, model_id) for model_id in (test.models if test else ()) if model_id not in known_ids]
    return sorted(models, key=lambda model: (not model.is_priced, model.model_id))


@transaction.atomic
def fetched_models_add(
    endpoint: ProviderEndpoint, model_ids: Collection[str], *, is_enabled: bool, author_id: int | None
) -> list[ModelConfig]:
    """Add these of the fetched models, with what is known of each; ids that were not fetched are left out.

    The first enabled model of a provider is its default, because every provider with models needs one. Locks the organization's settings
    row.
    """
    settings_lock(current_organization_id())
    default_models = ModelConfig.objects.filter(provider=endpoint.provider, is_enabled=True, is_default=True)
    rows = [_row(endpoint.provider, model, is_enabled) for model in fetched_models(endpoint) if model.model_id in model_ids]
    if rows and is_enabled and not default_models.exists():
        rows[0].is_default = True
    for row in rows:
        model_edit(row, ModelEdit(changed=()))
        _audit(endpoint, row, author_id)
    return rows


def _row(provider: str, model: FetchedModel, is_enabled: bool) -> ModelConfig:
    return ModelConfig(provider=provider, model_id=model.model_id, display_name=model.name, is_enabled=is_enabled)


def _audit(endpoint: ProviderEndpoint, row: ModelConfig, author_id: int | None) -> None:
    audit(
        organization_id=current_organization_id(),
        actor_user_id=author_id,
        action="modelconfig.create",
        object_kind="modelconfig",
        object_id=row.pk,
        object_label=row.display_name,
        detail={"endpoint": endpoint.name, "model_id": row.model_id},
    )


def _fetched_model(provider: str, model_id: str) -> FetchedModel:
    listing = listed_model(provider, model_id)
    if listing is None:
        return FetchedModel(model_id, model_id[:80], None, is_priced=False)
    return FetchedModel(model_id, listing.name[:80], listing.context_window, is_priced=bool(listing.prices))
