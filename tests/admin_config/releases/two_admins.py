"""Two admins of one organization, in two transactions, and what each sees while the other one holds the settings."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from django.db import connections
from django.test import Client

from admin_config.models import AgentConfig
from admin_config.services.changes.draft_authors import draft_authors, draft_changes
from admin_config.services.settings_lock import settings_lock
from tenants.context import tenant_tx
from tests.admin_config.pages import ACME, Page
from tests.support.accounts.cast import Cast
from tests.support.stores.locks import is_somebody_waiting
from tests.support.system.product import wait_for

RELEASES = f"{ACME}admin_config/release/"
AGENTS = f"{ACME}admin_config/agentconfig/"
CHAT = "chat_model_agent_google"

BUSY = "Another admin is saving or publishing just now, so nothing of yours was saved. Save again in a moment."


@dataclass(frozen=True)
class Admins:
    """Alice, who discards and rolls back, and Bob, who saves. What is saved is collected in the draft."""

    cast: Cast
    alice: Client
    bob: Client

    def page(self, key: str = CHAT) -> str:
        with tenant_tx(self.cast.acme.pk):
            return f"{AGENTS}{AgentConfig.objects.get(key=key).pk}/change/"

    def draft_hash_on(self, path: str) -> str:
        """What a page remembers of the draft that it shows."""
        return str(re.findall(r'name="seen" value="(\w+)"', self.alice.get(path).content.decode())[0])

    def beside(self, act: Callable[[], object], work: Callable[[], Page]) -> Page:
        """Do `act` in a transaction for which `work`, another one, waits from its beginning. Return what `work` answers."""
        with ThreadPoolExecutor(max_workers=1) as pool:
            with tenant_tx(self.cast.acme.pk):
                settings_lock(self.cast.acme.pk)
                other = pool.submit(in_own_connection, work)
                wait_for(lambda: other.done() or is_somebody_waiting(), "the other transaction to wait")
                assert not other.done(), "it does not wait for the settings"
                act()
            return other.result()

    def authors(self) -> dict[str, set[str]]:
        """Who has what in the draft: names of fields, by person."""
        with tenant_tx(self.cast.acme.pk):
            changes = draft_changes()
            return {
                author.who: {name for each in changes if each.who == author.who for name in each.names} for author in draft_authors(changes)
            }


def in_own_connection(work: Callable[[], Page]) -> Page:
    """Do the work, which waits for a lock as long as it must: a busy machine holds it longer than the two seconds of the product."""
    with connections["default"].cursor() as cursor:
        cursor.execute("set lock_timeout = 0; set statement_timeout = 0")
    try:
        return work()
    finally:
        with connections["default"].cursor() as cursor:
            cursor.execute("reset lock_timeout; reset statement_timeout")  # a pool may give the connection to others
        connections.close_all()


def while_locked(admins: Admins, work: Callable[[], Page], holder: Callable[[], object] = lambda: None) -> Page:
    """Return what `work` answers while somebody else keeps the settings locked for longer than the product waits.

    `holder`: what the other one has done by then, in a transaction that goes on.
    """

    def in_own_thread() -> Page:
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(max_workers=1) as pool, tenant_tx(admins.cast.acme.pk):
        settings_lock(admins.cast.acme.pk)
        holder()
        return pool.submit(in_own_thread).result()


def text_of(response: Page) -> str:
    assert response.status_code == 200
    return html.unescape(response.content.decode())
