"""The base of every row that belongs to an organization, and the keys between such rows."""

from __future__ import annotations

import uuid
from typing import Any, TypeVar

from django.db import models

from tenants.context import current_organization_id
from tenants.managers import TenantManager
from tenants.models.organizations import Organization

Set_contra = TypeVar("Set_contra", contravariant=True)
Get_co = TypeVar("Get_co", covariant=True)


class TenantForeignKey(models.ForeignKey[Set_contra, Get_co]):
    """A foreign key between rows of one organization.

    SecureTenantTable makes the constraint (organization_id, column) -> (organization_id, id). Plain foreign key checks ignore row security,
    so a single-column key would let a row point into another organization.
    """

    def __init__(self, to: Any, on_delete: Any, **kwargs: Any) -> None:
        kwargs["db_constraint"] = False
        super().__init__(to, on_delete, **kwargs)

    def validate(self, value: Any, model_instance: models.Model | None) -> None:
        """Ask nothing about a row of the same organization that is at hand, as a form has read it: the database checks the key."""
        row: Any = self.get_cached_value(model_instance, None) if model_instance is not None else None
        if row is not None and row.pk == value and row.organization_id == getattr(model_instance, "organization_id", None):
            models.Field.validate(self, value, model_instance)
        else:
            super().validate(value, model_instance)

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        name, path, args, kwargs = super().deconstruct()
        kwargs.pop("db_constraint", None)
        return name, path, list(args), kwargs


class OrganizationKey(models.ForeignKey[Set_contra, Get_co]):
    """The organization of a row. A new row belongs to the current one; creating it without one raises NoTenantContext.

    `default=` is not used because type checkers would take the value for optional. Migrations see a plain foreign key with that default.
    """

    def get_default(self) -> uuid.UUID:
        return current_organization_id()

    def validate(self, value: Any, model_instance: models.Model | None) -> None:
        """Ask nothing: the database checks the key, and a form of twenty rows would ask twenty times whether its organization exists."""

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.ForeignKey", list(args), kwargs | {"default": current_organization_id}


class TenantModel(models.Model):
    """Base of every row that belongs to an organization: a random id, and managers that filter by organization.

    Use `unscoped` only in the listed cross-tenant jobs, on the `system` alias.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organization = OrganizationKey(
        Organization,
        on_delete=models.CASCADE,
        editable=False,
        db_index=False,  # the unique (organization_id, id) is its index
        related_name="+",
    )

    objects = TenantManager()
    unscoped = models.Manager()  # noqa: DJ012  ruff knows only `objects` as a manager

    class Meta:
        abstract = True
        base_manager_name = "objects"
        default_manager_name = "objects"
