"""Check of the rules of single tools of a source: how dangerous each is, and whether it asks."""

from __future__ import annotations

from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

MAX_RULES: Final = 500


def check_tool_rules(rules: Any) -> None:
    """Raise ValidationError for anything but an object of {"danger", "confirm"} by the name of a tool."""
    if not isinstance(rules, dict) or len(rules) > MAX_RULES or not all(_is_rule(rule) for rule in rules.values()):
        raise ValidationError(gettext('Each tool has a rule such as {"danger": "dangerous", "confirm": true}.'))


def _is_rule(rule: Any) -> bool:
    if not isinstance(rule, dict) or not rule.keys() <= {"danger", "confirm"}:
        return False
    return rule.get("danger", "") in {"", "safe", "moderate", "dangerous"} and isinstance(rule.get("confirm", False), bool)
