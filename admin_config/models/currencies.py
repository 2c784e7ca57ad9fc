"""Model of the dated rates at which costs are shown in another currency."""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from admin_config.defaults.prices import utc_today
from tenants.localization.currency import USD, Currency
from tenants.models import TenantModel


class CurrencyRate(TenantModel):
    """From a day on, costs are shown in this currency, of which a US dollar is worth so much. It changes nothing that is stored."""

    class Code(models.TextChoices):
        EUR = "EUR", gettext_lazy("Euro (EUR)")
        USD = "USD", gettext_lazy("US dollar (USD)")
        GBP = "GBP", gettext_lazy("British pound (GBP)")
        CHF = "CHF", gettext_lazy("Swiss franc (CHF)")
        SEK = "SEK", gettext_lazy("Swedish krona (SEK)")
        NOK = "NOK", gettext_lazy("Norwegian krone (NOK)")
        DKK = "DKK", gettext_lazy("Danish krone (DKK)")
        PLN = "PLN", gettext_lazy("Polish złoty (PLN)")
        CZK = "CZK", gettext_lazy("Czech koruna (CZK)")
        CAD = "CAD", gettext_lazy("Canadian dollar (CAD)")
        AUD = "AUD", gettext_lazy("Australian dollar (AUD)")
        NZD = "NZD", gettext_lazy("New Zealand dollar (NZD)")
        BRL = "BRL", gettext_lazy("Brazilian real (BRL)")
        INR = "INR", gettext_lazy("Indian rupee (INR)")
        CNY = "CNY", gettext_lazy("Chinese yuan (CNY)")
        JPY = "JPY", gettext_lazy("Japanese yen (JPY)")
        KRW = "KRW", gettext_lazy("South Korean won (KRW)")

    valid_from = models.DateField(
        "from", default=utc_today, help_text=gettext_lazy("The first day (UTC). It holds until a later rate begins.")
    )
    currency = models.CharField(max_length=3, choices=Code.choices)
    per_usd = models.DecimalField(
        "one US dollar is",
        max_digits=14,
        decimal_places=6,
        validators=[MinValueValidator(Decimal("0.000001"))],
        help_text=gettext_lazy("In this currency, such as 0.92. For US dollars 1."),
    )

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("currency rate")
        verbose_name_plural = gettext_lazy("currency rates")
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "valid_from"],
                name="currency_rate_once",
                violation_error_message=gettext_lazy("There is already a rate from this day on."),
            ),
            models.CheckConstraint(condition=Q(per_usd__gt=0), name="currency_rate_above_zero"),
            models.CheckConstraint(
                condition=~Q(currency=USD) | Q(per_usd=1),
                name="currency_rate_of_dollars",
                violation_error_message=gettext_lazy("One US dollar is 1 US dollar."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.currency} {self.valid_from}"

    @property
    def as_currency(self) -> Currency:
        return Currency(self.currency, self.per_usd, self.valid_from)
