"""Abstract model with a column for each field of AgentOptions. A blank column means the base's value, or else the platform's default."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from admin_config.defaults.options import OPTIONS, AgentOptions, Option
from admin_config.validation.text_lists import (
    check_pruning,
    check_stop_sequences,
    check_tool_choice,
    check_tool_names,
    parse_lines,
    parse_names,
    parse_pruning,
)

_CHECKS: Mapping[str, Callable[[str], None]] = {
    "lines": check_stop_sequences,
    "tool_names": check_tool_names,
    "tool_choice": check_tool_choice,
    "pruning": check_pruning,
}
_PARSERS: Mapping[str, Callable[[str], object]] = {"lines": parse_lines, "tool_names": parse_names, "pruning": parse_pruning}


class AgentTuning(models.Model):
    """Columns of agent options. `_add_columns` gives it one for each field of AgentOptions, with the same name."""

    # The row for all providers, whose values hold where this one is blank (SPEC 4.15). Whoever loads agents for their values gives it to
    # them (admin_config.services.agents.bases).
    base: AgentTuning | None = None

    class Meta:
        abstract = True

    def default_options(self) -> AgentOptions:
        """Return the options that hold where neither this row nor its base sets them."""
        return AgentOptions()

    def is_own(self, name: str) -> bool:
        """Return whether this row itself sets the field."""
        return getattr(self, name) not in (None, "")

    def value(self, name: str) -> Any:
        """Return the field's value here or else in the base; None or "" where the platform's default holds."""
        return getattr(self.base if self.base is not None and not self.is_own(name) else self, name)

    def is_set(self, name: str) -> bool:
        """Return whether this row or its base sets the field."""
        return self.value(name) not in (None, "")

    def options(self) -> AgentOptions:
        """Return the options that are set here or in the base, over the defaults. Needs fields that passed their checks."""
        return options_over(self.default_options(), {name: self.value(name) for name in OPTIONS if self.is_set(name)})

    def check_options(self) -> None:
        """Raise ValidationError for options that contradict each other."""
        options = self.options()
        if not options.tail_percent < options.compact_at_percent <= options.guard_percent:
            order = gettext("keep whole %(tail_percent)s < shorten from %(compact_at_percent)s <= drop from %(guard_percent)s") % {
                "tail_percent": options.tail_percent,
                "compact_at_percent": options.compact_at_percent,
                "guard_percent": options.guard_percent,
            }
            raise ValidationError({"compact_at_percent": gettext("The shares must rise: %(order)s.") % {"order": order}})
        if options.completion == "message_tool" and not options.shows("message"):
            raise ValidationError({"completion": gettext("The message tool is hidden, so that no run could end.")})
        if options.completion == "message_tool" and options.tool_choice == "none":
            raise ValidationError({"tool_choice": gettext("Runs end with the message tool, so the model must be allowed to call it.")})
        if options.tool_choice not in ("auto", "none", "required") and not options.shows(options.tool_choice):
            raise ValidationError(
                {"tool_choice": gettext("%(tool_choice)s is hidden from the model.") % {"tool_choice": options.tool_choice}}
            )


def options_over(below: AgentOptions, values: Mapping[str, Any]) -> AgentOptions:
    """Return these options with values, as columns hold them, in place of some."""
    return AgentOptions.model_validate({**dict(below), **{name: _parse_value(OPTIONS[name], value) for name, value in values.items()}})


def _parse_value(option: Option, value: Any) -> object:
    return _PARSERS[option.text](value) if option.text in _PARSERS else value


def _column(name: str, option: Option) -> models.Field[Any, Any]:
    """Return the option's column: a switch, a choice, a text, or a number, by its type and its bounds."""
    annotation = AgentOptions.model_fields[name].annotation
    arguments: dict[str, Any] = {
        "verbose_name": option.label and gettext_lazy(option.label),
        "help_text": option.help and gettext_lazy(option.help),
    }
    if annotation is bool:
        return models.BooleanField(null=True, blank=True, **arguments)
    arguments["blank"] = True
    if option.choices is not None:
        return models.CharField(
            max_length=20, choices=[(value, gettext_lazy(label)) for value, label in option.choices.items()], **arguments
        )
    if option.text == "tool_choice":
        return models.CharField(max_length=64, validators=[_CHECKS[option.text]], **arguments)
    if option.text != "line":
        return models.TextField(validators=[_CHECKS[option.text]], **arguments)
    return _number(option, is_whole=annotation in (int, int | None), arguments=arguments)


def _number(option: Option, *, is_whole: bool, arguments: dict[str, Any]) -> models.Field[Any, Any]:
    arguments |= {"null": True, "validators": _bounds(option)}
    if option.decimals is not None:
        return models.DecimalField(max_digits=10, decimal_places=option.decimals, **arguments)
    if not is_whole:
        return models.FloatField(**arguments)
    if option.low is None:
        return models.IntegerField(**arguments)
    return models.PositiveIntegerField(**arguments) if option.high is None else models.PositiveSmallIntegerField(**arguments)


def _bounds(option: Option) -> list[Any]:
    def exact(bound: float) -> Any:
        return bound if option.decimals is None else Decimal(str(bound))

    low = [] if option.low is None else [MinValueValidator(exact(option.low))]
    return low if option.high is None else [*low, MaxValueValidator(exact(option.high))]


def _add_columns() -> None:
    for name, option in OPTIONS.items():
        AgentTuning.add_to_class(name, _column(name, option))


_add_columns()
