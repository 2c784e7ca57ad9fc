"""Model of dated prices."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from admin_config.defaults.prices import FIRST_DAY, USD_DECIMALS, Price
from tenants.models import TenantForeignKey, TenantModel


def _amount_field() -> models.DecimalField[float | None, float | None]:
    return models.DecimalField(max_digits=12, decimal_places=USD_DECIMALS, null=True, blank=True, validators=[MinValueValidator(0)])


class ModelPrice(TenantModel):
    """A Price (admin_config.defaults.prices) as a row.

    The rows of one model and day form one list. The list of a later day replaces it.
    """

    class Source(models.TextChoices):
        LIST = "list", gettext_lazy("price list")
        ADMIN = "admin", gettext_lazy("entered here")

    model = TenantForeignKey("admin_config.ModelConfig", models.CASCADE, related_name="prices")
    valid_from = models.DateField(default=FIRST_DAY)
    above_tokens = models.PositiveIntegerField(default=0)
    input_usd = _amount_field()
    cached_usd = _amount_field()
    cache_write_usd = _amount_field()
    output_usd = _amount_field()
    thinking_usd = _amount_field()
    image_usd = _amount_field()
    search_usd = _amount_field()
    picture_usd = _amount_field()
    source = models.CharField(max_length=10, choices=Source.choices)

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("price")
        ordering = ("valid_from", "above_tokens")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "model", "valid_from", "above_tokens"], name="model_price_once"),
            models.CheckConstraint(
                condition=Q(input_usd__isnull=True, output_usd__isnull=True) | Q(input_usd__isnull=False, output_usd__isnull=False),
                name="model_price_in_and_out",
            ),
        ]

    def __str__(self) -> str:
        return self.price.words()

    @property
    def price(self) -> Price:
        return Price.model_validate({name: getattr(self, name) for name in Price.model_fields})
