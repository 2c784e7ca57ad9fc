"""An organization's models: their rows, their prices and what is live."""

from __future__ import annotations

from admin_config.defaults.prices import Price
from admin_config.models import ModelConfig
from admin_config.release import ModelSnapshot
from admin_config.services.model_configs import CatalogueUpdateResult, models_update
from admin_config.services.selectors import live_release
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.pages import ACME

FLASH = "gemini-2.5-flash"

LIST_PRICE = Price(input_usd=0.3, cached_usd=0.03, output_usd=2.5, search_usd=35.0)

PAGES = f"{ACME}admin_config/modelconfig/"


def model(organization: Organization, model_id: str = FLASH) -> ModelConfig:
    with tenant_tx(organization.id):
        return ModelConfig.objects.prefetch_related("prices").get(model_id=model_id)


def prices(organization: Organization, model_id: str = FLASH) -> list[Price]:
    return [row.price for row in model(organization, model_id).prices.all()]


def live_model(organization: Organization, model_id: str = FLASH) -> ModelSnapshot:
    with tenant_tx(organization.id):
        models = live_release(organization_id=organization.id).snapshot.models
    (snapshot,) = [model for model in models if model.model_id == model_id]
    return snapshot


def update(organization: Organization) -> CatalogueUpdateResult:
    with tenant_tx(organization.id):
        return models_update(organization_id=organization.id)


def page_of(organization: Organization, model_id: str = FLASH) -> str:
    return f"{PAGES}{model(organization, model_id).id}/change/"
