"""Form of a model: its facts, today's price, and the switch back to the catalogue's values."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminDecimalFieldWidget, UnfoldBooleanSwitchWidget

from admin_config.defaults.prices import USD_DECIMALS, Price, usd_text
from admin_config.forms.base import ConfigForm, builtin_tools_field
from admin_config.models import ModelConfig
from admin_config.services.model_configs import ModelEdit, model_edit

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

BOTH_OR_NEITHER = gettext_lazy("A model has both an input and an output price, or neither.")


def _amount(label: StrOrPromise, help_text: StrOrPromise) -> forms.DecimalField:
    return forms.DecimalField(
        label=label,
        help_text=help_text,
        required=False,
        min_value=0,
        max_digits=12,
        decimal_places=USD_DECIMALS,
        widget=UnfoldAdminDecimalFieldWidget,
    )


class ModelForm(ConfigForm[ModelConfig]):
    """Form of a model. It shows today's prices; a change of them applies from today on."""

    input_usd = _amount(gettext_lazy("Input price"), gettext_lazy("Of the prompt."))
    cached_usd = _amount(
        gettext_lazy("Cached input price"), gettext_lazy("Of the part of the prompt that the provider had cached. Blank: the input price.")
    )
    cache_write_usd = _amount(
        gettext_lazy("Cache write price"), gettext_lazy("Of the part of the prompt that the provider's cache took. Blank: the input price.")
    )
    output_usd = _amount(gettext_lazy("Output price"), gettext_lazy("Of the answer."))
    thinking_usd = _amount(gettext_lazy("Thinking price"), gettext_lazy("Blank: the output price."))
    image_usd = _amount(gettext_lazy("Picture price"), gettext_lazy("Of pictures in the answer. Blank: the output price."))
    search_usd = _amount(
        gettext_lazy("Search price"),
        gettext_lazy(
            "Of a thousand web searches that the provider runs itself. Blank: not known; then a call with searches has no known cost."
        ),
    )
    picture_usd = _amount(
        gettext_lazy("Price of a picture drawn by a tool"),
        gettext_lazy(
            "Of one picture that another model of the provider draws. Blank: not known; then a call with such pictures has no known cost."
        ),
    )
    builtin_tools = builtin_tools_field(
        gettext_lazy("What the provider can do itself while this model answers. Each agent has switches for them.")
    )
    gives_up_own = forms.BooleanField(label=gettext_lazy("Follow the catalogue again"), required=False, widget=UnfoldBooleanSwitchWidget)

    AMOUNTS = ("input_usd", "cached_usd", "cache_write_usd", "output_usd", "thinking_usd", "image_usd", "search_usd", "picture_usd")

    class Meta:
        model = ModelConfig
        fields = (
            "provider",
            "model_id",
            "display_name",
            "is_enabled",
            "is_default",
            "context_window",
            "max_output_tokens",
            "supports_thinking",
            "thinking_style",
            "supports_tools",
            "supports_images",
            "supports_pdf",
            "builtin_tools",
            "reasons",
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.update(self._amounts_today())
        own = ", ".join(fact.replace("_", " ") for fact in self.instance.own_facts)
        if "reasons" in self.fields:
            widget: Any = self.fields["reasons"].widget
            widget.choices = [("unknown", gettext("Detected from its id")), ("true", gettext("Yes")), ("false", gettext("No"))]
        if "gives_up_own" in self.fields:
            self.fields["gives_up_own"].help_text = (
                gettext("Set here: %(own)s.") % {"own": own} if own else gettext("Nothing of this model was set here.")
            )

    def _amounts_today(self) -> dict[str, Decimal | None]:
        """Return today's prices for the shortest prompts, as exact decimals, so that untouched fields don't look changed."""
        prices = self.instance.prices_today
        amounts = {name: getattr(prices[0], name) for name in self.AMOUNTS} if prices else {}
        return {name: None if usd is None else Decimal(usd_text(usd)) for name, usd in amounts.items()}

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        amounts = {name: self.cleaned_data.get(name) for name in self.AMOUNTS}
        if (amounts["input_usd"] is None) != (amounts["output_usd"] is None) and not self.errors:
            self.add_error("input_usd" if amounts["input_usd"] is None else "output_usd", BOTH_OR_NEITHER)
        return cleaned

    def edit(self) -> ModelEdit:
        """Return the admin's changes, as checked by `is_valid`."""
        amounts = {name: self.cleaned_data.get(name) for name in self.AMOUNTS}
        is_price_new = any(name in self.changed_data for name in self.AMOUNTS)
        return ModelEdit(
            changed=self.changed_data,
            price=Price.model_validate(amounts) if is_price_new else None,
            gives_up_own=self.cleaned_data["gives_up_own"],
        )

    def save_row(self, row: ModelConfig) -> None:
        model_edit(row, self.edit())
