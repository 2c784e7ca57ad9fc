"""What a member can have so many of: two calls at once do not both take the last place."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from files.models import File
from files.services import MAX_UNSENT_FILES, file_upload
from security.api_tokens import MAX_LIVE_TOKENS, api_token_create
from tenants.access import Actor, actor_refresh
from tenants.context import tenant_tx
from tenants.errors import ParleyError
from tenants.models import ApiToken
from tests.support.accounts.cast import Cast
from tests.support.stores.locks import is_somebody_waiting

pytestmark = pytest.mark.django_db(transaction=True)


def make_token(actor: Actor) -> None:
    with tenant_tx(actor.organization_id):
        api_token_create(actor=actor, name="laptop", scopes=["read"], days=None)


def attach(actor: Actor) -> None:
    file_upload(actor=actor, name="a.txt", content=b"a")


def token_of(actor: Actor, number: int) -> ApiToken:
    return ApiToken(membership_id=actor.membership_id, name="t", digest=f"{number:064}", last_four="abcd", scopes=["read"])


def file_of(actor: Actor, number: int) -> File:
    return File(owner_id=actor.membership_id, name=f"{number}.txt", media_type="text/plain", kind="text", size_bytes=1)


@pytest.mark.parametrize(("take", "limit", "row"), [(make_token, MAX_LIVE_TOKENS, token_of), (attach, MAX_UNSENT_FILES, file_of)])
def test_a_limit_counts_one_call_after_the_other(cast: Cast, take: Callable[[Actor], None], limit: int, row: Any) -> None:
    """Another call of the member takes the last place, and commits only when this one has come to its count."""
    actor = cast.actor(cast.alice)

    def second() -> None:
        try:
            take(actor)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with tenant_tx(actor.organization_id):
            actor_refresh(actor, lock=True)
            rows = [row(actor, number) for number in range(limit)]
            type(rows[0]).objects.bulk_create(rows)
            waiting = pool.submit(second)
            while not waiting.done() and not is_somebody_waiting():
                pass
        with pytest.raises(ParleyError, match="You have"):
            waiting.result(timeout=60)
