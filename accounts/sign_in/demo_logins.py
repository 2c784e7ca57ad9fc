"""The published logins of the demo, which `manage.py demo_seed` makes and the sign-in page shows."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings


class DemoLogin(NamedTuple):
    """An account whose password everybody may know."""

    email: str
    password: str
    name: str


DEMO_LOGIN = DemoLogin("demo@parley.local", "parley-demo", "Dana Demo")
OPERATOR_LOGIN = DemoLogin("operator@parley.local", "parley-operator", "Parley Operator")


def demo_logins() -> list[DemoLogin]:
    """Return the published logins: none outside the demo."""
    return [DEMO_LOGIN, OPERATOR_LOGIN] if settings.DEMO_PROVIDER_URL else []
