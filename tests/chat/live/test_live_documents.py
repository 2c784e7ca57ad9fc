"""Several writers of one text: nothing that was typed is lost, whoever writes and whatever breaks."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async

from artifacts.edits import agent_version_save
from artifacts.live.documents import LiveChange, live_changes_store
from artifacts.live.text import LiveText
from artifacts.models import Artifact, LiveDocument, Version
from artifacts.selectors import version_latest_complete
from artifacts.tasks import live_versions_save
from chat.api.member_socket import CLOSE_ACCESS_ENDED
from sharing.models import Share
from sharing.services import share_create, share_stop
from sharing.shapes import NewShare, ReaderId
from tenants.context import tenant_tx
from tenants.errors import ParleyError
from tenants.models import Membership
from tests.artifacts.support import agent_version, make_artifact
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import Browser
from tests.support.chat.live_writer import LiveWriter

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system", "auth"])

# Well-formed changes that Yjs for Python can't apply: it raises an error for one, and panics at the other.
UNKNOWN_PARENT = (
    "010787adcfce90bf7900040107636f6e74656e740268658187adcfce90bf7901098487adcfce90bf7902166c6f20c3bc056c"
    "c3a4757420f09f988020776f726c64c187adcfce90bf790287adcfce90bf7903032801016d0178017c3f8000002701016d01"
    "7402040087adcfce90bf791901710187adcfce90bf790202011503"
)
OVERFLOW = (
    "0107ecf2abf898a9c10400040107636f6e74656e7402686581ecf2abf898a9c10401ffffffffffffffffff040184ecf2abf8"
    "98a9c10402016c84ecf2abf898a9c10403156f20c3bc6d6cc3a4757420f09f988020776f726c64c1ecf2abf898a9c10402ec"
    "f2abf898a9c104030346ecf2abf898a9c1040004626f6c640474727565c6ecf2abf898a9c10403ecf2abf898a9c104040462"
    "6f6c64046e756c6c01ecf2abf898a9c1040202011503"
)
TEXT = "# Tea\n\nIt comes from China.\n\nDrink it hot.\n"


@pytest.fixture
def artifact(cast: Cast) -> Artifact:
    return make_artifact(cast.actor(cast.alice), TEXT).artifact


@sync_to_async
def agent_writes(artifact: Artifact, text: str, parent: int) -> Version:
    with tenant_tx(artifact.organization_id):
        return agent_version_save(artifact=Artifact.objects.get(pk=artifact.pk), version=agent_version(text, parent=parent))


@sync_to_async
def newest(artifact: Artifact) -> Version:
    with tenant_tx(artifact.organization_id):
        version = version_latest_complete(artifact=artifact)
    assert version is not None
    return version


async def test_writers_see_each_other_and_a_cut_network_loses_nothing(artifact: Artifact, alice: Browser) -> None:
    one, two = LiveWriter(alice, artifact.pk), LiveWriter(alice, artifact.pk)
    await one.join()
    await two.join()
    await one.read_until(lambda: one.people == ["Alice"])
    assert str(one.text) == str(two.text) == TEXT

    await one.write(0, "Green ")
    await two.read_until(lambda: str(two.text).startswith("Green "))
    await two.cut()
    await two.write(str(two.text).index("hot"), "very ")
    await one.write(0, "Good ")
    await one.settle()
    await two.join()
    await two.settle()
    await one.read_until(lambda: "very hot" in str(one.text))
    assert str(one.text) == str(two.text) == "Good Green " + TEXT.replace("hot", "very hot")

    await one.send("cursor", cursor={"anchor": {"tname": "content", "assoc": 0}, "head": {"item": {"client": 7, "clock": 2}}})
    await two.read_until(lambda: two.frames_of("cursors"))
    await one.send("save")
    await one.read_until(lambda: one.frames_of("save-done"))
    version = await newest(artifact)
    assert (version.number, version.parent, version.content) == (2, 1, str(one.text))
    await one.read_until(lambda: one.saved_seq == one.seq)
    await one.write(0, "Very ")
    await one.settle()
    for writer in (one, two):
        await writer.cut()
    while (last := await newest(artifact)).number < 3:  # the test run's own limit ends it
        pass
    assert last.content.startswith("Very Good Green ")


async def test_an_agent_is_one_more_writer(artifact: Artifact, alice: Browser) -> None:
    writer = LiveWriter(alice, artifact.pk)
    await writer.join()
    await writer.write(str(writer.text).index("hot"), "very ")
    await writer.settle()
    version = await agent_writes(artifact, TEXT.replace("China", "Yunnan"), parent=1)
    await writer.read_until(lambda: "Yunnan" in str(writer.text))
    assert str(writer.text) == version.content == TEXT.replace("China", "Yunnan").replace("hot", "very hot")
    assert (version.number, version.metadata["merged"]) == (3, True)  # the second one has what was typed

    await writer.write(str(writer.text).index("Drink"), "Please. ")
    await writer.settle()
    conflict = await agent_writes(artifact, version.content.replace("Drink it", "Have it"), parent=3)
    assert conflict.is_conflict
    assert "Please. Drink it very hot." in str(writer.text)
    merge = {"content": version.content.replace("Drink it", "Please have it"), "base": conflict.number, "operation": "merge"}
    answer = await alice.call("POST", f"/o/acme/api/artifacts/{artifact.pk}/versions/", merge)
    assert answer.status_code == 201
    await writer.read_until(lambda: "Please have it very hot." in str(writer.text))


async def test_nobody_else_comes_in_and_a_right_that_ends_closes_the_socket(
    artifact: Artifact, cast: Cast, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    assert not await LiveWriter(bob, artifact.pk).connect()
    assert not await LiveWriter(charlie, artifact.pk, slug="other").connect()
    missing = LiveWriter(alice, UUID(int=0))
    assert not await missing.connect()
    assert missing.close_code == CLOSE_ACCESS_ENDED
    writer = LiveWriter(alice, artifact.pk)
    await writer.join()
    await writer.send("cursor", cursor={"anchor": {"item": 2}, "head": {}})
    await writer.read_until(lambda: writer.frames_of("error"))
    assert writer.frames_of("error")[0]["code"] == "bad_request"
    writer.frames.clear()
    await writer.send("update", id=9, document=writer.document, content="anVuaw==")
    await writer.read_until(lambda: writer.frames_of("error"))
    assert writer.frames_of("error")[0]["code"] == "live_update_invalid"

    await sync_to_async(_demote)(cast)
    await writer.read_until(lambda: writer.close_code == CLOSE_ACCESS_ENDED)


async def test_a_member_whom_the_owner_names_writes_until_the_link_is_stopped(artifact: Artifact, cast: Cast, bob: Browser) -> None:
    share = await sync_to_async(_let_edit)(cast, artifact)
    writer = LiveWriter(bob, artifact.pk)
    await writer.join()
    await writer.write(0, "Green ")
    await writer.settle()
    await sync_to_async(_stop)(cast, share)
    await writer.read_until(lambda: writer.close_code == CLOSE_ACCESS_ENDED)
    assert not await LiveWriter(bob, artifact.pk).connect()


def _let_edit(cast: Cast, artifact: Artifact) -> Share:
    with tenant_tx(artifact.organization_id):
        reader = ReaderId(kind="member", id=cast.bob.memberships.get().pk)
        new = NewShare(of="artifact", target_id=artifact.pk, audience="named", readers=[reader], right="edit", follows=True)
        return share_create(actor=cast.actor(cast.alice), new=new)


def _stop(cast: Cast, share: Share) -> None:
    with tenant_tx(share.organization_id):
        share_stop(actor=cast.actor(cast.alice), share_id=share.pk)


@pytest.mark.parametrize("hostile", [UNKNOWN_PARENT, OVERFLOW], ids=["unknown-parent", "overflow"])
async def test_a_change_that_nobody_can_apply_is_refused_and_the_text_stays(artifact: Artifact, alice: Browser, hostile: str) -> None:
    writer = LiveWriter(alice, artifact.pk)
    await writer.join()
    await writer.send("update", id=9, document=writer.document, content=b64encode(bytes.fromhex(hostile)).decode())
    await writer.read_until(lambda: writer.frames_of("error"))
    assert [(frame["id"], frame["code"]) for frame in writer.frames_of("error")] == [(9, "live_update_invalid")]
    await writer.write(0, "Green ")
    await writer.settle()
    await writer.send("save")
    await writer.read_until(lambda: writer.frames_of("save-done"))
    assert (await newest(artifact)).content == f"Green {TEXT}"
    await writer.cut()


def _demote(cast: Cast) -> None:
    membership = cast.alice.memberships.get()
    membership.role = Membership.Role.VIEWER
    membership.save()


async def test_changes_stored_together_are_one_update_and_a_bad_one_spoils_no_other(artifact: Artifact, cast: Cast, alice: Browser) -> None:
    reader = LiveWriter(alice, artifact.pk)
    await reader.join()
    actor = await sync_to_async(cast.actor)(cast.alice)
    changes = [LiveChange(actor, UUID(reader.document), insertion(word)) for word in ("Black ", "Green ", "White ")]
    assert await store(artifact, changes) == [None, None, None]
    await reader.read_until(lambda: reader.seq == 1)
    assert all(word in str(reader.text) for word in ("Black ", "Green ", "White "))

    hostile, foreign = replace(changes[0], content=bytes.fromhex(OVERFLOW)), replace(changes[0], document_id=UUID(int=0))
    last = replace(changes[0], content=insertion("Red "))
    refusals = await store(artifact, [hostile, foreign, last])
    assert [error and error.code for error in refusals] == ["live_update_invalid", "live_document_replaced", None]
    await reader.read_until(lambda: "Red " in str(reader.text))
    await reader.cut()


def insertion(word: str) -> bytes:
    """Return the change of a page that types this before it has seen the text."""
    return LiveText().replace(word)


@sync_to_async
def store(artifact: Artifact, changes: list[LiveChange]) -> list[ParleyError | None]:
    with tenant_tx(artifact.organization_id):
        return live_changes_store(artifact_id=artifact.pk, changes=changes).refusals


async def test_what_nobody_saved_becomes_a_version_after_a_while(artifact: Artifact, alice: Browser) -> None:
    writer = LiveWriter(alice, artifact.pk)
    await writer.join()
    await writer.write(0, "Green ")
    await writer.settle()
    assert await sync_to_async(live_versions_save)() == 0
    await sync_to_async(_age)(artifact)
    assert await sync_to_async(live_versions_save)() == 1
    assert (await newest(artifact)).content == f"Green {TEXT}"
    await writer.cut()


def _age(artifact: Artifact) -> None:
    with tenant_tx(artifact.organization_id):
        LiveDocument.objects.update(changed_at="2026-01-01T00:00:00Z")
