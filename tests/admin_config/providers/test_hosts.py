"""Admins open hosts for a tool and name hosts that are never called; both are checked, audited and of one organization (docs/security.md)."""

from __future__ import annotations

import pytest

from admin_config.models import AppSettings, ToolSource
from admin_config.services.selectors import live_release, never_hosts
from security.models import AuditEvent
from tenants.context import tenant_tx
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, errors, save, send_each
from tests.support.accounts.cast import Cast

HOSTS = "example.com\n*.example.com\nexample.com:8443\nxn--bcher-kva.example\n[2001:db8::1]"
NO_HOSTS = [
    "https://example.com",
    "example.com/path",
    "Example.com",
    "bücher.example",
    "*.*.com",
    "*",
    "a b",
    "ex\u0430mple.com",
    "a:123456",
]


@pytest.fixture
def settings_page(seeded_cast: Cast) -> str:
    with tenant_tx(seeded_cast.acme.pk):
        return f"{ACME}admin_config/appsettings/{AppSettings.objects.get().pk}/change/"


@pytest.fixture
def tool_page(seeded_cast: Cast) -> str:
    with tenant_tx(seeded_cast.acme.pk):
        return f"{ACME}admin_config/toolsource/{ToolSource.objects.get(kind='fetch_url').pk}/change/"


def test_hosts_that_are_never_called_hold_at_once_and_here_alone(seeded_cast: Cast, signed_in: SignedIn, settings_page: str) -> None:
    assert save(signed_in(seeded_cast.alice), settings_page, never_hosts=HOSTS).status_code == 302
    with tenant_tx(seeded_cast.acme.pk):
        assert never_hosts() == tuple(HOSTS.split("\n"))
        assert AuditEvent.objects.filter(action="appsettings.change", actor_user_id=seeded_cast.alice.pk).exists()
    with tenant_tx(seeded_cast.other.pk):
        assert never_hosts() == ()


def test_opened_hosts_are_part_of_the_release(seeded_cast: Cast, signed_in: SignedIn, tool_page: str) -> None:
    assert save(signed_in(seeded_cast.alice), tool_page, open_hosts=HOSTS).status_code == 302
    with tenant_tx(seeded_cast.acme.pk):
        [source] = [one for one in live_release(organization_id=seeded_cast.acme.pk).snapshot.tool_sources if one.kind == "fetch_url"]
        assert source.open_hosts == tuple(HOSTS.split("\n"))
        assert AuditEvent.objects.filter(action="toolsource.change").exists()


def test_what_is_no_host_is_refused(seeded_cast: Cast, signed_in: SignedIn, settings_page: str, tool_page: str) -> None:
    alice = signed_in(seeded_cast.alice)
    for page, field in ((settings_page, "never_hosts"), (tool_page, "open_hosts")):
        answers = send_each(alice, page, ({field: host} for host in NO_HOSTS))
        assert [[*errors(answer)] for answer in answers] == [[field]] * len(NO_HOSTS)


def test_a_member_changes_neither(seeded_cast: Cast, signed_in: SignedIn, settings_page: str, tool_page: str) -> None:
    bob = signed_in(seeded_cast.bob)
    for page, field in ((settings_page, "never_hosts"), (tool_page, "open_hosts")):
        assert bob.post(page, {field: "example.com"}).status_code in {302, 403, 404}
    with tenant_tx(seeded_cast.acme.pk):
        assert never_hosts() == ()
