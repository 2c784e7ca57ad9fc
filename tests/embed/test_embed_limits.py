"""Limits of one embedded chat: set on its page, checked before an answer begins, and shown among its figures."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from chat.models import Message, Part, Run
from doubles.script import Call, Text, Usage
from embed.admin.limit_rows import TWICE
from embed.admin.statistics import site_figures
from embed.models import EmbedSite
from limits.counters import counters_forget
from limits.models import Budget, RateLimit
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.pages import ACME, errors, save
from tests.embed.support import begin, host_token, make_site, visitor_socket
from tests.support.accounts.cast import Cast
from tests.support.chat.workspace import Workspace, make_workspace
from tests.support.stores.audit_log import counted_to_rows

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])
# What an answer used beyond the limit depends on the time of day.
LIMIT_NOTICE = r"This chat has answered (all that|more than) it may in a day\. You can send the next message in \d+ \w+\."

PAGES = f"{ACME}embed/embedsite/"
WRITE = Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "About tea"})
NUMBERS = {"visitor": 2, "stranger": 1, "embed": 4}


def limit(organization: Organization, name: str, scope: str, number: int, measure: str = "messages") -> None:
    with tenant_tx(organization.pk):
        site = EmbedSite.objects.get(name=name)
        RateLimit.objects.create(scope=scope, embed_site=site, measure=measure, per_day=number)


def figures(organization: Organization, name: str) -> Any:
    with tenant_tx(organization.pk):
        return site_figures(EmbedSite.objects.get(name=name))


async def send(key: str, bearer: str) -> str:
    """Send a message. Return why it was refused; blank when it was answered."""
    async with visitor_socket(key, bearer) as socket:
        request_id = await socket.send(str(uuid4()), "What tea at night?")
        frame = await socket.receive()
        if frame["type"] == "error":
            return str(frame["errorText"])
        assert frame["type"] == "start", frame
        await socket.chunks(request_id)
        return ""


async def bearer_of(key: str, secret: str = "", subject: str = "") -> str:
    fields = {"hostToken": host_token(secret, key, sub=subject, jti=str(uuid4()))} if secret else {}
    answer = await sync_to_async(begin)(key, address="127.0.0.21", **fields)
    return str(answer.json()["bearer"])


async def test_an_embeds_limits_refuse_before_an_answer_begins(acme: Workspace, cast: Cast) -> None:
    other = await sync_to_async(make_workspace)(cast.other, acme.double)
    acme.double.default(Text("Hojicha."))
    key, secret = await sync_to_async(make_site)(cast, cast.alice)
    second_key, _ = await sync_to_async(make_site)(cast, cast.alice, name="Help")
    foreign_key, _ = await sync_to_async(make_site)(cast, cast.charlie)
    for scope, number in NUMBERS.items():
        await sync_to_async(limit)(cast.acme, "Shop", scope, number)
    stranger, kim = await bearer_of(key), await bearer_of(key, secret, "kim")
    assert await send(key, stranger) == ""
    assert (await send(key, stranger)).startswith("You may send 1 message in a day. You can send the next one in ")
    assert [await send(key, kim) for _ in range(2)] == ["", ""]
    assert (await send(key, kim)).startswith("You may send 2 messages in a day.")
    assert await send(key, await bearer_of(key)) == ""
    together = "All visitors of this chat together may send 4 messages in a day. You can send the next one in "
    assert (await send(key, await bearer_of(key, secret, "lee"))).startswith(together)
    # Neither another embed of the organization nor one of another organization has any of it.
    assert [await send(each, await bearer_of(each)) for each in (second_key, foreign_key) for _ in range(2)] == [""] * 4
    assert [len(await acme.rows(model)) for model in (Run, Message)] == [6, 12]
    assert len(await other.rows(Run)) == 2

    await sync_to_async(counted_to_rows)()
    shop_figures = await sync_to_async(figures)(cast.acme, "Shop")
    assert (shop_figures.messages, shop_figures.refusals, shop_figures.usage_texts) == (4, 3, ["4 of 4 messages in a day"])
    assert [(await sync_to_async(figures)(of, name)).refusals for of, name in ((cast.acme, "Help"), (cast.other, "Shop"))] == [0, 0]


async def test_visitors_read_nothing_of_tokens_and_money(acme: Workspace, cast: Cast) -> None:
    acme.double.default(Text("Hojicha."))
    key, _ = await sync_to_async(make_site)(cast, cast.alice)
    await sync_to_async(limit)(cast.acme, "Shop", "embed", 1, "tokens")
    assert await send(key, await bearer_of(key)) == ""
    assert re.fullmatch(LIMIT_NOTICE, await send(key, await bearer_of(key)))
    await sync_to_async(spend_by_budget)(cast)
    assert await send(key, await bearer_of(key)) == "This chat has answered all that it may this month."


@pytest.mark.parametrize("fields", [{"scope": "organization"}, {"scope": "role", "role": "visitor"}, {"scope": "each_member"}])
async def test_visitors_read_nothing_of_what_the_organization_may_spend(acme: Workspace, cast: Cast, fields: dict[str, str]) -> None:
    """The limits and budgets of all are told to members, with their amounts."""
    acme.double.default(Text("Hojicha."), Usage(1_000_000, 100_000))
    key, _ = await sync_to_async(make_site)(cast, cast.alice)

    def limit_by(model: Any, **values: Any) -> None:
        with tenant_tx(cast.acme.pk):
            RateLimit.objects.all().delete()
            model.objects.create(**fields, **values)

    for measure in ("cost", "tokens"):
        await sync_to_async(limit_by)(RateLimit, measure=measure, per_day=Decimal("0.01") if measure == "cost" else 1)
        visitor = await bearer_of(key)
        assert await send(key, visitor) == ""
        assert re.fullmatch(LIMIT_NOTICE, await send(key, visitor))
        await sync_to_async(counters_forget)(cast.acme.pk, cast.acme.pk, measure)
    if fields["scope"] == "organization":
        await sync_to_async(limit_by)(RateLimit, measure="messages", per_day=0)
        assert await send(key, await bearer_of(key)) == "This chat takes no messages at the moment."
    await sync_to_async(limit_by)(Budget, amount_usd=0)
    assert await send(key, await bearer_of(key)) == "This chat has answered all that it may this month."


async def test_a_limit_that_an_answer_uses_up_ends_it_without_a_word_of_money(acme: Workspace, cast: Cast, chat_id: str) -> None:
    acme.double.answer(Text("I begin."), WRITE, Usage(10, 10))
    acme.double.answer(Text("# Tea"), Usage(1_000_000, 100_000), when=lambda request: "<instruction>" in request.user_text)
    key, _ = await sync_to_async(make_site)(cast, cast.alice)

    def limit_all() -> None:
        with tenant_tx(cast.acme.pk):
            RateLimit.objects.create(scope="organization", measure="cost", per_month=Decimal("0.50"))

    await sync_to_async(limit_all)()
    async with visitor_socket(key, await bearer_of(key)) as socket:
        chunks_json = json.dumps(await socket.answer(chat_id, "Write"))
    [run] = await acme.rows(Run)
    assert (run.status, run.error_code) == ("failed", "limit_reached")
    assert "This chat has answered all that it may in 30 days." in chunks_json
    assert "$" not in chunks_json
    assert "organization" not in chunks_json


async def test_an_agent_without_room_is_no_end_of_the_chat_and_no_figure(acme: Workspace, cast: Cast, chat_id: str) -> None:
    """The calling agent tells the visitor what it reads."""
    acme.double.answer(WRITE, Usage(10, 10))
    acme.double.answer(Text("I can't write it now."), Usage(10, 10))
    key, _ = await sync_to_async(make_site)(cast, cast.alice)

    def limit_agent() -> None:
        with tenant_tx(cast.acme.pk):
            RateLimit.objects.create(scope="agent", agent="document_agent", measure="runs", per_month=0)

    await sync_to_async(limit_agent)()
    async with visitor_socket(key, await bearer_of(key)) as socket:
        chunks_json = json.dumps(await socket.answer(chat_id, "Write"))
    assert "can't write it now" in chunks_json
    [result] = [part.content for part in await acme.rows(Part) if part.content.get("is_error")]
    assert "This agent can't work at the moment. Go on without it." in json.dumps(result)


def spend_by_budget(cast: Cast) -> None:
    with tenant_tx(cast.acme.pk):
        RateLimit.objects.filter(scope="embed").delete()
        Budget.objects.create(scope="embed", embed_site=EmbedSite.objects.get(), amount_usd=0)


def line(number: int, **values: str) -> dict[str, str]:
    """A line of the table, as the page's form sends it."""
    fields = {"scope": "visitor", "measure": "messages", "when_away": "by_kind", **values}
    return {f"limits-{number}-{name}": value for name, value in fields.items()}


def test_an_admin_sets_limits_on_the_embeds_page(cast: Cast, client: Client) -> None:
    make_site(cast, cast.alice)
    make_site(cast, cast.charlie, name="Theirs")
    with tenant_tx(cast.acme.pk):
        site = EmbedSite.objects.get()
    page = f"{PAGES}{site.pk}/change/"
    client.force_login(cast.alice)
    two = {"limits-TOTAL_FORMS": "2"}
    twice = save(client, page, **two, **line(0, per_hour="5"), **line(1, per_day="9"))
    assert str(TWICE) in twice.content.decode()
    wrong = save(client, page, **two, **line(0, per_hour="1.5"), **line(1, scope="member", per_day="9"))
    assert "Enter a whole number." in wrong.content.decode()
    assert save(client, page, **two, **line(0, per_hour="5"), **line(1, scope="embed", measure="cost", per_day="2.50")).status_code == 302
    with tenant_tx(cast.acme.pk):
        limits = RateLimit.objects.filter(embed_site=site).order_by("scope")
        assert [(row.scope, row.measure, row.per_hour, row.per_day) for row in limits] == [
            ("embed", "cost", None, 2.5),
            ("visitor", "messages", 5, None),
        ]
        assert str(limits[1]) == "Each visitor of the chat Shop"
        assert AuditEvent.objects.filter(action="embedsite.change", object_id=str(site.pk)).exists()
    html = client.get(page).content.decode()
    assert "$0.00 of $2.50 in a day" in html
    assert "Each visitor of the chat Shop" in client.get(f"{ACME}limits/ratelimit/").content.decode()
    assert "Theirs" not in client.get(f"{ACME}limits/budget/add/").content.decode()
    response = save(client, f"{ACME}limits/ratelimit/add/", holder=f"visitor:{site.pk}", per_hour="6")
    assert errors(response) == {"__all__": ["There is already a limit for this. Change that one."]}
    client.force_login(cast.charlie)
    assert client.get(page.replace("/acme/", "/other/")).status_code in {302, 404}
    theirs = save(client, "/o/other/admin/limits/ratelimit/add/", holder=f"visitor:{site.pk}", per_hour="6")
    assert theirs.status_code == 200
    with tenant_tx(cast.other.pk):
        assert not RateLimit.objects.filter(scope="visitor").exists()
