"""The two transactions of a change of members: memberships are locked and written in one, and all other rows in the other.

Today both are the organization's own. They are apart so that memberships can be written by a database role of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from tenants.context import tenant_tx


@contextmanager
def membership_tx(organization_id: UUID, *, by_user_id: int | None) -> Iterator[None]:
    """Run the block in the transaction that locks and writes memberships. `by_user_id`: for whom; None: for the platform.

    Everything else that the block writes belongs into a `content_tx` inside it, so that an error there undoes both.
    """
    with tenant_tx(organization_id):
        yield


@contextmanager
def content_tx(organization_id: UUID) -> Iterator[None]:
    """Run the block in the organization's ordinary transaction."""
    with tenant_tx(organization_id, using="default"):
        yield
