"""An auditor reads runs, usage and the audit log, and changes nothing."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.members.groups_admin import MemberGroupAdmin
from admin_config.admin.sites import organization_site
from chat.models import Run
from evaluations.models import Case, DataSet, Experiment, Replay
from security.models import AuditEvent
from tests.accounts.people import make_group, member_of
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME
from tests.support.accounts.cast import Cast


@pytest.fixture
def auditor(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    return signed_in(member_of(seeded_cast.acme, "Audrey", "auditor").user)


def test_an_auditor_sees_the_organizations_usage_and_sends_nothing(auditor: Client) -> None:
    assert auditor.get("/o/acme/api/usage/?whose=organization").status_code == 200
    assert auditor.patch("/o/acme/api/conversations/x/", {"title": "x"}, content_type="application/json").status_code in {403, 404}
    body = {"id": "a", "messages": [{"id": "b", "role": "user", "parts": [{"type": "text", "text": "x"}]}]}
    assert auditor.post("/o/acme/api/chat", body, content_type="application/json").status_code in {400, 403}


def test_the_admin_site_opens_to_an_auditor_and_of_its_pages_the_audit_log_runs_and_evaluations_alone(
    auditor: Client, seeded_cast: Cast
) -> None:
    page = auditor.get(ACME)
    assert (page.status_code, "You are an auditor" in page.content.decode()) == (200, True)
    closed_models = [
        model._meta for model in organization_site._registry if model not in {AuditEvent, Run, DataSet, Case, Experiment, Replay}
    ]
    lists = [f"{meta.app_label}/{meta.model_name}/" for meta in closed_models]
    for path in [*lists, "admin_config/release/publish/", "tenants/membership/service-account/", "accounts/invitation/add/"]:
        assert auditor.get(ACME + path).status_code == auditor.post(ACME + path).status_code == 404, path


def test_an_auditor_reads_the_audit_log_and_exports_nothing(auditor: Client) -> None:
    page = auditor.get(f"{ACME}security/auditevent/")
    assert (page.status_code, "audit-export" in page.content.decode()) == (200, False)
    assert auditor.post(f"{ACME}security/auditevent/export/", {"format": "csv"}).status_code == 404


def test_a_page_that_says_so_is_read_and_not_written(auditor: Client, seeded_cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    group = make_group(seeded_cast.acme, "Sales")
    monkeypatch.setattr(MemberGroupAdmin, "auditors_may_view", True)
    base = f"{ACME}tenants/membergroup/"
    change = f"{base}{group.pk}/change/"
    assert [auditor.get(path).status_code for path in (base, change)] == [200, 200]
    assert [auditor.post(path, {"name": "x"}).status_code for path in (base, change)] == [404, 404]
    assert {auditor.get(f"{base}{path}").status_code for path in ("add/", f"{group.pk}/delete/")} == {404}
