"""The two transactions of a change of members, which are of two database roles (docs/decisions/0030).

Memberships with their groups, tokens, invitations and audit events are locked and written in one, and what members own in the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from tenants.context import identity_tx, tenant_tx


@contextmanager
def membership_tx(organization_id: UUID, *, by_user_id: int | None) -> Iterator[None]:
    """Run the block in the transaction that locks and writes memberships. `by_user_id`: for whom; None: for the platform.

    Rows that only the app role may write belong into a `content_tx` inside it, so that an error there undoes both.
    """
    with identity_tx(organization_id, acting_user_id=by_user_id):
        yield


@contextmanager
def content_tx(organization_id: UUID) -> Iterator[None]:
    """Run the block in the organization's ordinary transaction."""
    with tenant_tx(organization_id, using="default"):
        yield
