"""Abstract model with the columns behind AgentOptions. A blank column means the option's default."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from admin_config.defaults.options import AgentOptions
from admin_config.validation.text_lists import (
    check_pruning,
    check_stop_sequences,
    check_tool_choice,
    check_tool_names,
    parse_lines,
    parse_names,
    parse_pruning,
)

MIN_BUDGET_TOKENS = 1000

_PARSERS = {
    "stop_sequences": parse_lines,
    "active_tools": parse_names,
    "hidden_tools": parse_names,
    "stop_on_tool_call": parse_names,
    "prune_tools": parse_pruning,
}


class ToolPolicy(models.TextChoices):
    PARALLEL = "parallel", "All, side by side"
    SINGLE = "single", "One in each step"


class Completion(models.TextChoices):
    PLAIN_TEXT = "plain_text", "A plain answer"
    MESSAGE_TOOL = "message_tool", "The message tool"


class PruningChoices(models.TextChoices):
    NONE = "none", "None"
    BEFORE_LAST_MESSAGE = "before_last_message", "Before the last message"
    ALL = "all", "All"


def _between(low: float, high: float) -> list[Any]:
    return [MinValueValidator(low), MaxValueValidator(high)]


def _percent(name: str, help_text: str) -> models.PositiveSmallIntegerField[Any, Any]:
    return models.PositiveSmallIntegerField(name, null=True, blank=True, validators=_between(1, 100), help_text=help_text)


class AgentTuning(models.Model):
    """Columns of agent options. The field names are those of AgentOptions."""

    top_p = models.FloatField(
        "top-p", null=True, blank=True, validators=_between(0, 1), help_text="Only the likeliest words that add up to this share."
    )
    top_k = models.PositiveSmallIntegerField(
        "top-k", null=True, blank=True, validators=_between(1, 1000), help_text="Only this many of the likeliest words."
    )
    presence_penalty = models.FloatField(
        null=True, blank=True, validators=_between(-2, 2), help_text="Above 0: rather new words than used ones."
    )
    frequency_penalty = models.FloatField(
        null=True, blank=True, validators=_between(-2, 2), help_text="Above 0: the more often a word was used, the less it comes again."
    )
    seed = models.IntegerField(null=True, blank=True, help_text="Makes answers repeatable as far as the provider can.")
    stop_sequences = models.TextField(
        blank=True, validators=[check_stop_sequences], help_text="The answer ends where one of these would appear. One on each line."
    )

    tool_policy = models.CharField(
        "calls of one step",
        max_length=10,
        blank=True,
        choices=ToolPolicy.choices,
        help_text="One in each step: the others are given back to the model, which may ask again.",
    )
    tool_choice = models.CharField(
        max_length=64,
        blank=True,
        validators=[check_tool_choice],
        help_text="auto: the model decides. required: it must call a tool. none: it may not. Or the name of the tool that it must call.",
    )
    active_tools = models.TextField(
        blank=True, validators=[check_tool_names], help_text="Only these are shown to the model. Names, one on each line. Blank: all."
    )
    hidden_tools = models.TextField(
        blank=True, validators=[check_tool_names], help_text="Never shown to the model, whatever else is set. Names, one on each line."
    )
    ask_first = models.BooleanField(
        "ask the user before each call", default=False, help_text="The user sees what is asked of this agent and allows or refuses it."
    )

    completion = models.CharField(
        "a run ends with",
        max_length=20,
        blank=True,
        choices=Completion.choices,
        help_text="The message tool: the agent speaks through it alone, and may also ask questions and report progress.",
    )
    max_reminders = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=_between(0, 10),
        help_text="How often the model is told that it has not called the message tool, before the run ends.",
    )
    stop_on_tool_call = models.TextField(
        blank=True, validators=[check_tool_names], help_text="A call of one of these ends the run. Names, one on each line."
    )
    max_equal_calls = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=_between(1, 50), help_text="How often one tool may run with the same arguments in a run."
    )
    max_repairs = models.PositiveSmallIntegerField(
        "repairs",
        null=True,
        blank=True,
        validators=_between(0, 10),
        help_text="How often work that is not correct goes back to the agent with the error, before it is shown with that error.",
    )
    token_budget = models.PositiveIntegerField(
        "token budget", null=True, blank=True, validators=[MinValueValidator(MIN_BUDGET_TOKENS)], help_text="Of a run with its sub-agents."
    )
    cost_budget_usd = models.DecimalField(
        "cost budget (US dollars)",
        max_digits=10,
        decimal_places=4,
        null=True,
        blank=True,
        validators=[MinValueValidator(Decimal("0.0001"))],
        help_text="Of a run with its sub-agents. Needs the prices of the models.",
    )

    compact_at_percent = _percent("shorten from (%)", "Share of the model's window. Above it, older messages become one line each.")
    tail_percent = _percent("keep whole (%)", "Share of the window that the newest messages may fill and stay as they are.")
    guard_percent = _percent("drop from (%)", "Share of the window. If it is still exceeded, the oldest messages are left out.")
    prune_reasoning = models.CharField("leave out thinking", max_length=20, blank=True, choices=PruningChoices.choices)
    prune_tool_calls = models.CharField("leave out tool calls", max_length=20, blank=True, choices=PruningChoices.choices)
    prune_tools = models.TextField(
        "leave out calls of",
        blank=True,
        validators=[check_pruning],
        help_text="Where a tool differs: its name and none, before_last_message or all, such as document_agent: all. One on each line.",
    )

    prune_empty = models.BooleanField(
        "leave out empty answers", default=True, db_default=True, help_text="Off: for models that were trained to see each of their turns."
    )

    class Meta:
        abstract = True

    def options(self) -> AgentOptions:
        """Return the options that are set here, over the defaults. Needs fields that passed their checks."""
        set_here = {name: value for name in AgentOptions.model_fields if (value := getattr(self, name)) not in (None, "")}
        return AgentOptions.model_validate({name: _PARSERS[name](value) if name in _PARSERS else value for name, value in set_here.items()})

    def check_options(self) -> None:
        """Raise ValidationError for options that contradict each other."""
        options = self.options()
        if not options.tail_percent < options.compact_at_percent <= options.guard_percent:
            order = f"keep whole {options.tail_percent} < shorten from {options.compact_at_percent} <= drop from {options.guard_percent}"
            raise ValidationError({"compact_at_percent": f"The shares must rise: {order}."})
        if options.completion == "message_tool" and not options.shows("message"):
            raise ValidationError({"completion": "The message tool is hidden, so that no run could end."})
        if options.completion == "message_tool" and options.tool_choice == "none":
            raise ValidationError({"tool_choice": "Runs end with the message tool, so the model must be allowed to call it."})
        if options.tool_choice not in ("auto", "none", "required") and not options.shows(options.tool_choice):
            raise ValidationError({"tool_choice": f"{options.tool_choice} is hidden from the model."})
