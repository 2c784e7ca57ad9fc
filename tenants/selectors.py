from __future__ import annotations

from django.db.models import QuerySet

from tenants.models import Organization


def organizations_of_user(*, user_id: int) -> QuerySet[Organization]:
    """The active organizations that the user is a member of, by name."""
    return Organization.objects.filter(is_active=True, memberships__user_id=user_id).order_by("name", "id")
