"""Services that save models, as edited by admins or updated from the catalogue. All need the organization's `tenant_tx`."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext

from admin_config.defaults.prices import Price, utc_today
from admin_config.errors import ModelNotListed, ReleaseInvalid
from admin_config.models import AppSettings, ModelConfig, ModelPrice, Release
from admin_config.services.configuration import model_save, release_publish
from admin_config.services.model_catalogue import (
    FACTS,
    PRICES,
    ModelUpdate,
    model_update,
    model_update_apply,
    model_updates,
    prices_replace,
)
from admin_config.services.price_list import PRICE_LIST_NAME, ListedModel, listed_model, listed_models
from security.audit import audit

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ModelEdit:
    """An admin's changes of a model."""

    changed: Collection[str]  # names of the changed fields
    price: Price | None = None  # the price from today on; None: unchanged
    gives_up_own: bool = False  # replace the model's own facts by those of the catalogue


@dataclass(frozen=True)
class CatalogueUpdateResult:
    """The result of an update from the catalogue."""

    updates: list[ModelUpdate]
    release: Release | None  # made the updates live; None: nothing to change, or the updates wait in the draft


@transaction.atomic
def model_edit(model: ModelConfig, edit: ModelEdit) -> None:
    """Save an admin's model. The admin's changes are kept from updates; on a new model, unchanged fields are filled in."""
    is_other_model = "model_id" in edit.changed or not ModelConfig.objects.filter(id=model.id).exists()
    model.own_facts = [] if edit.gives_up_own else sorted({*model.own_facts, *_edited_facts(edit)})
    model_save(model)
    if edit.price is not None and not edit.gives_up_own:
        past = ModelPrice.objects.filter(model=model, valid_from__lt=utc_today())
        prices_replace(model, [*(row.price for row in past), edit.price.on(utc_today())], source=ModelPrice.Source.ADMIN)
    update = model_update(model, today=utc_today()) if is_other_model or edit.gives_up_own else None
    if update is not None:
        model_update_apply(update)


@transaction.atomic
def models_update(*, organization_id: UUID, author_id: int | None = None) -> CatalogueUpdateResult:
    """Update the organization's models with what is known today. Writes audit events.

    The update goes live if the organization publishes on save. What can't be published now waits in the draft. Locks the settings row.
    """
    AppSettings.objects.select_for_update().first()  # there is none before the organization was seeded
    updates = model_updates(ModelConfig.objects.select_for_update())
    for update in updates:
        model_update_apply(update)
        audit(
            organization_id=organization_id,
            actor_user_id=author_id,
            action="model.update",
            object_kind="model",
            object_id=update.model.id,
            detail={"fields": [change.what for change in update.changes], "list": PRICE_LIST_NAME},
        )
    return CatalogueUpdateResult(updates, _publish(organization_id, author_id) if updates else None)


def models_available(provider: str) -> list[ListedModel]:
    """Return the provider's current models that the organization doesn't have."""
    ids = ModelConfig.objects.filter(provider=provider).values_list("model_id", flat=True)
    configured_ids = {listing.model_id for listing in (listed_model(provider, model_id) for model_id in ids) if listing}
    return [model for model in listed_models(provider) if model.model_id not in configured_ids]


def model_add(provider: str, model_id: str) -> ModelConfig:
    """Add a model of the price list, disabled, with what is known of it. Raises ModelNotListed."""
    listing = next((model for model in models_available(provider) if model.model_id == model_id), None)
    if listing is None:
        raise ModelNotListed(
            gettext("%(provider)s has no model %(model_id)s in %(price_list_name)s that could be added.")
            % {"provider": provider, "model_id": model_id, "price_list_name": PRICE_LIST_NAME}
        )
    model = ModelConfig(provider=provider, model_id=model_id, display_name=listing.name[:80], is_enabled=False)
    model_edit(model, ModelEdit(changed=()))
    return model


def _edited_facts(edit: ModelEdit) -> list[str]:
    facts = [fact for fact, fields in FACTS.items() if any(field in edit.changed for field in fields)]
    return facts if edit.price is None else [*facts, PRICES]


def _publish(organization_id: UUID, author_id: int | None) -> Release | None:
    if not AppSettings.objects.filter(publish_on_save=True).exists():
        return None
    try:
        return release_publish(organization_id=organization_id, author_id=author_id, note=f"Model data updated from {PRICE_LIST_NAME}")
    except ReleaseInvalid:
        logger.warning("models_not_published", extra={"organization_id": str(organization_id)})
        return None
