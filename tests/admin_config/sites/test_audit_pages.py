"""The pages of the audit logs: who may open them, what they show, and how the filters and the export work."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from security.audit import audit, exports as audit_exports
from security.models import AuditEvent, AuditExport
from security.tasks import audit_export_make, audit_exports_overdue
from tenants.context import tenant_tx
from tenants.models import User
from tenants.request_context import RequestContext, request_context
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME
from tests.support.accounts.cast import PASSWORD, Cast
from tests.support.files.downloads import body_of
from tests.support.stores.audit_log import events

LOG = f"{ACME}security/auditevent/"


@pytest.fixture
def alice(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    client = signed_in(seeded_cast.alice)
    with request_context(RequestContext("r" * 32, "84.23.118.77")):
        audit(
            organization_id=seeded_cast.acme.pk,
            actor_user_id=seeded_cast.bob.pk,
            action="membership.change",
            object_kind="membership",
            object_id="7",
            object_label="Jonas",
            before={"role": "member"},
            after={"role": "admin"},
        )
    audit(
        organization_id=seeded_cast.acme.pk, actor_user_id=None, action="limit.hit", object_kind="limit", object_id="x", outcome="refused"
    )
    audit(organization_id=seeded_cast.other.pk, actor_user_id=None, action="role.foreign", object_kind="limit", object_id="secret of Other")
    return client


def lines(response: Any) -> list[str]:
    assert response.status_code == 200
    return [f"{line.who} {line.what}" for line in response.context["lines"]]


def test_only_owners_and_admins_find_the_log(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    assert alice.get(LOG).status_code == 200
    for user in (seeded_cast.bob, seeded_cast.vera, seeded_cast.charlie):
        assert signed_in(user).get(LOG).status_code == 404
        assert signed_in(user).post(f"{LOG}export/", {"format": "csv"}).status_code == 404


def test_events_read_as_sentences(alice: Client) -> None:
    sentences = lines(alice.get(LOG))
    assert "Bob made Jonas an admin" in sentences
    assert "Alice signed in" in sentences
    assert not any("foreign" in line for line in sentences)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"q": "jon"}, ["Bob made Jonas an admin"]),
        ({"q": "84.23."}, ["Bob made Jonas an admin"]),
        ({"q": "r" * 32}, []),
        ({"who": "bob"}, ["Bob made Jonas an admin"]),
        ({"who": "charlie"}, []),
        ({"what": "members"}, ["Bob made Jonas an admin"]),
        ({"outcome": "refused"}, ["Parley hit a limit: a limit"]),
        ({"outcome": "not_done", "who": "parley"}, ["Parley hit a limit: a limit"]),
        ({"kind": "membership", "period": "all"}, ["Bob made Jonas an admin"]),
        ({"period": "dates", "since": "2001-01-01", "until": "2001-02-01", "tz": "Europe/Berlin"}, []),
        ({"period": "dates", "since": "2001-01-01", "tz": "no/such", "what": "members"}, ["Bob made Jonas an admin"]),
        ({"q": "\x00", "period": "x", "what": "nothing", "cursor": "1", "event": "7"}, None),
    ],
)
def test_the_filters_are_in_the_address(alice: Client, query: dict[str, str], expected: list[str] | None) -> None:
    sentences = lines(alice.get(LOG, query))
    assert sentences == expected if expected is not None else sentences


def test_an_event_opens_beside_the_list(alice: Client, seeded_cast: Cast) -> None:
    [event] = events(seeded_cast.acme, "membership.change")
    response = alice.get(LOG, {"event": str(event.pk), "what": "keys"})
    details = response.context["opened"]
    assert details.title == "Bob made Jonas an admin"
    assert [(change.field, change.before, change.after) for change in details.changes] == [("Role", "member", "admin")]
    facts = dict(details.facts)
    assert (facts["From"], facts["Request"]) == ("84.23.118.0/24", "r" * 32)
    [foreign] = events(seeded_cast.other, "role.foreign")
    assert alice.get(LOG, {"event": str(foreign.pk)}).context["opened"] is None


def test_pages_follow_each_other_without_gaps(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        AuditEvent.objects.bulk_create(
            AuditEvent(action="run.read", category="runs", object_kind="run", object_id=str(number)) for number in range(120)
        )
    query, hrefs = {"what": "runs"}, list[str]()
    with CaptureQueriesContext(connection) as first:
        response = alice.get(LOG, query)
    while True:
        hrefs += [line.href for line in response.context["lines"]]
        if not response.context["older"]:
            break
        response = alice.get(LOG + response.context["older"])
    assert len(hrefs) == len({href.partition("event=")[2][:36] for href in hrefs}) == 120
    with CaptureQueriesContext(connection) as again:
        alice.get(LOG, {"q": "nothing has this name"})
    assert len(again) == len(first)  # not by row
    assert sum("security_auditevent" in query["sql"] for query in first.captured_queries) == 1


def test_nobody_changes_an_event(alice: Client, seeded_cast: Cast) -> None:
    [event] = events(seeded_cast.acme, "membership.change")
    assert alice.get(f"{LOG}{event.pk}/change/").status_code == 404
    assert alice.post(f"{LOG}{event.pk}/delete/", {"post": "yes"}).status_code == 404
    assert alice.get(f"{LOG}add/").status_code == 404


def test_a_small_export_is_streamed_and_is_an_event(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        AuditEvent.objects.create(action="run.read", category="runs", object_kind="run", object_id="1", object_label="=HYPERLINK(1)")
    response: Any = alice.post(f"{LOG}export/", {"format": "csv", "period": "all"})
    text = b"".join(response).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert response.headers["Content-Disposition"] == 'attachment; filename="audit-log.csv"'
    assert {row["object"] for row in rows if row["action"] == "run.read"} == {"'=HYPERLINK(1)"}
    assert "foreign" not in text
    [event] = events(seeded_cast.acme, "audit.export")
    assert (event.actor_user_id, event.detail["format"]) == (seeded_cast.alice.pk, "csv")
    records: Any = alice.post(f"{LOG}export/", {"format": "jsonl", "what": "members"})
    [record] = [orjson.loads(line) for line in b"".join(records).splitlines()]
    assert (record["sentence"], record["before"], record["after"]) == ("Bob made Jonas an admin", {"role": "member"}, {"role": "admin"})
    assert alice.get(f"{LOG}export/", {"format": "csv"}).status_code == 404


def test_a_large_export_is_made_in_the_background(
    alice: Client, seeded_cast: Cast, signed_in: SignedIn, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr(audit_exports, "MAX_STREAMED", 1)
    task_arguments: list[tuple[str, ...]] = []
    monkeypatch.setattr("security.audit.exports.current_app.send_task", lambda name, arguments, **options: task_arguments.append(arguments))
    with django_capture_on_commit_callbacks(execute=True):
        assert alice.post(f"{LOG}export/", {"format": "jsonl", "period": "all"}).status_code == 302
    [(organization_id, export_id)] = task_arguments
    assert alice.get(f"{LOG}exports/{export_id}/").status_code == 404
    assert audit_export_make(organization_id, export_id) >= 3
    assert audit_export_make(organization_id, export_id) == 0  # a worker that got the task twice
    response: Any = alice.get(f"{LOG}exports/{export_id}/")
    assert b"made Jonas an admin" in body_of(response)
    assert f"exports/{export_id}/" in alice.get(LOG).content.decode()
    assert signed_in(seeded_cast.charlie).get(f"/o/other/admin/security/auditevent/exports/{export_id}/").status_code == 404
    with tenant_tx(seeded_cast.acme.pk):
        assert AuditExport.objects.get().rows >= 3


def test_a_large_export_whose_task_was_lost_is_made_after_ten_minutes(
    alice: Client, seeded_cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_exports, "MAX_STREAMED", 1)  # its task is sent after the commit, which a test has not
    assert alice.post(f"{LOG}export/", {"format": "jsonl", "period": "all"}).status_code == 302
    assert audit_exports_overdue() == 0
    with tenant_tx(seeded_cast.acme.pk):
        AuditExport.objects.update(created_at=Now() - timedelta(minutes=11))
    assert (audit_exports_overdue(), audit_exports_overdue()) == (1, 0)
    with tenant_tx(seeded_cast.acme.pk):
        assert AuditExport.objects.get().status == "ready"


@pytest.mark.django_db(databases=["default", "system"], transaction=True)
def test_the_operators_log_is_for_the_operator(cast: Cast, signed_in: SignedIn) -> None:
    rita = signed_in(User.objects.create_superuser("rita@example.org", PASSWORD, name="Rita"))
    rita.get(f"/operator/tenants/organization/{cast.acme.pk}/change/")
    sentences = lines(rita.get("/operator/security/platformevent/"))
    assert sentences[:2] == ["Rita looked at Acme as platform operator", "Rita signed in"]
    assert signed_in(cast.alice).get("/operator/security/platformevent/").status_code == 404
    assert signed_in(cast.alice).post("/operator/security/platformevent/export/", {"format": "csv"}).status_code == 404
    response: Any = rita.post("/operator/security/platformevent/export/", {"format": "jsonl"})
    records = [orjson.loads(line) for line in b"".join(response).splitlines()]
    assert "user.sign_in" in [record["action"] for record in records]
    assert "Rita exported the audit log" in [record["sentence"] for record in records]
