"""Tool sources made of the ticked operations. Needs the organization's `tenant_tx`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction

from admin_config.models import ToolSource
from admin_config.services.configuration import tool_source_secret_set
from admin_config.services.drafts.draft import draft_load, draft_problems
from admin_config.services.openapi.document import OpenApiInvalid
from admin_config.services.openapi.operations import Operation
from admin_config.services.settings_lock import settings_lock
from security.audit import audit
from tenants.context import current_organization_id


@dataclass(frozen=True, slots=True)
class SharedSecret:
    """What all imported tools send to authenticate. A blank `value`: it is entered later; a blank `header`: nothing."""

    header: str = ""
    prefix: str = ""
    value: str = ""


def taken_names(operations: Iterable[Operation]) -> set[str]:
    """Return the names that tools of the organization have already."""
    return set(ToolSource.objects.filter(name__in=[operation.name for operation in operations]).values_list("name", flat=True))


@transaction.atomic
def operations_import(
    operations: Sequence[Operation], *, ask_keys: Collection[str], secret: SharedSecret, author_id: int | None
) -> list[ToolSource]:
    """Make a source of each operation, completely or not at all. `ask_keys`: keys of those that ask the user before each call.

    Locks the organization's settings row. Raises OpenApiInvalid.
    """
    settings_lock(current_organization_id())
    sources = [_source(operation, operation.key in ask_keys, secret, author_id) for operation in operations]
    if problems := draft_problems(draft_load()):
        raise OpenApiInvalid(" ".join(problem.text for problem in problems))
    return sources


def _source(operation: Operation, asks: bool, secret: SharedSecret, author_id: int | None) -> ToolSource:
    authentication = {"secret_header": secret.header, "secret_prefix": secret.prefix} if secret.header else {}
    settings = operation.settings | {name: value for name, value in authentication.items() if value}
    source = ToolSource(name=operation.name, kind="http", settings=settings, confirm=asks)
    try:
        source.full_clean(exclude=["organization"])
    except ValidationError as error:
        raise OpenApiInvalid(f"{operation.name}: {' '.join(error.messages)}") from error
    source.save()
    if secret.value:
        tool_source_secret_set(source=source, value=secret.value, author_id=author_id)
    audit(
        organization_id=current_organization_id(),
        actor_user_id=author_id,
        action="tool_source.import",
        object_kind="tool_source",
        object_id=source.pk,
        object_label=source.name,
        detail={"operation": operation.key},
    )
    return source
