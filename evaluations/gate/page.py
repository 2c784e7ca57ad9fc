"""The checks on the publish page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from admin_config.release import ReleaseSnapshot
from evaluations.gate.checks import checks_of


def checks_part(request: HttpRequest, draft: ReleaseSnapshot) -> dict[str, Any]:
    """Return the checks of the draft with what stands against publishing, for the template of the publish page."""
    checks = checks_of(draft)
    states = {check.state for check in checks}
    return {
        "checks": checks,
        "is_checking": "running" in states,
        "can_check": "missing" in states,
        "is_failed": "failed" in states,
        "can_check_again": "failed" in states and "running" not in states,
        "missing_answers": sum(check.missing_answers for check in checks),
        "reasons": [reason for check in checks for reason in check.reasons],
    }
