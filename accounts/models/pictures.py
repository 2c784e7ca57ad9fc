"""Models of the pictures of people and organizations: small, square, re-encoded by us.

Their limits are in tenants.input.pictures.
"""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext

from tenants.models import TenantModel


class UserPicture(models.Model):
    """A person's picture, for themselves and for those who share an organization with them."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="picture")
    content = models.BinaryField()  # PNG
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return gettext("Picture of user %(user_id)s") % {"user_id": self.user_id}


class OrganizationLogo(TenantModel):
    """An organization's logo."""

    content = models.BinaryField()  # PNG
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization"], name="organization_logo_once")
        ]

    def __str__(self) -> str:
        return gettext("Logo")
