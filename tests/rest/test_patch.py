""" "Edit just this" (SPEC 7.8): the model sees a selection, and nothing else of the text can change."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from admin_config.models import AgentOperation
from agents.selection_edit import NoReplacement, replacement_clean
from artifacts.edits import Selection, patch_check
from artifacts.errors import OutsideSelection
from artifacts.kinds import PYTHON, TEXT
from artifacts.models import Artifact
from artifacts.text.offsets import to_utf16
from chat.models import ModelCall
from doubles.script import Fault, Text
from tenants.context import tenant_tx
from tests.artifacts.support import make_artifact
from tests.rest.conftest import make_conversation, post, signed_in
from tests.support.accounts.cast import Cast
from tests.support.chat.workspace import Workspace

DRAFT = "# Tea 🍵\n\nTea is god.\n\nIt is drank.\n"
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("unlimited")]


def make_draft(cast: Cast, **fields: Any) -> Artifact:
    artifact: Artifact = make_artifact(
        cast.actor(cast.alice), DRAFT, conversation_id=make_conversation(cast, cast.alice), **fields
    ).artifact
    return artifact


def selected(text: str, part: str) -> dict[str, int]:
    start = text.index(part)
    return {"start": to_utf16(text, start), "end": to_utf16(text, start + len(part))}


def patch(client: Any, artifact: Artifact, part: str = "Tea is god.\n", slug: str = "acme", **fields: Any) -> Any:
    body = {"base": 1, "instruction": "Mend the spelling.", **selected(DRAFT, part), **fields}
    return post(client, f"/o/{slug}/api/artifacts/{artifact.pk}/patch/", body)


def test_the_agent_of_the_kind_writes_what_is_to_stand_there(acme: Workspace, cast: Cast) -> None:
    artifact, alice = make_draft(cast), signed_in(cast.alice)
    acme.double.answer(Text("```markdown\nTea is good.\n```"))
    response = patch(alice, artifact)
    body = response.json()
    assert (response.status_code, body["original"], body["replacement"]) == (200, "Tea is god.\n", "Tea is good.\n")
    assert [line["op"] for line in body["hunks"][0]["lines"]] == ["-", "+"]
    request = acme.double.requests[-1]
    assert "<selection>\nTea is god.\n" in request.user_text
    assert "<before>\n# Tea 🍵" in request.user_text
    assert "<after>\n\nIt is drank." in request.user_text
    with tenant_tx(acme.organization.pk):
        call = ModelCall.objects.get()
        assert (call.agent_key, call.conversation_id, call.usage["output_tokens"] > 0) == (
            "document_agent_google",
            artifact.conversation_id,
            True,
        )
    new_version = {"content": DRAFT.replace("Tea is god.\n", body["replacement"]), "base": 1, "operation": "patch"}
    save_response = post(alice, f"/o/acme/api/artifacts/{artifact.pk}/versions/", {**new_version, **selected(DRAFT, "Tea is god.\n")})
    assert (save_response.status_code, save_response.json()["version"]["operation"]) == (201, "patch")


def test_what_goes_wrong_is_a_sentence_and_changes_nothing(acme: Workspace, cast: Cast) -> None:
    artifact, alice = make_draft(cast), signed_in(cast.alice)
    acme.double.answer(Fault.status(403, "No.", reason="API_KEY_INVALID"))
    response = patch(alice, artifact)
    assert (response.status_code, response.json()["error"]["code"]) == (409, "key_rejected"), response.json()
    acme.double.answer(Text("  \n"))
    assert patch(alice, artifact).json()["error"]["code"] == "no_replacement"
    assert patch(alice, artifact, start=3, end=3).json()["error"]["code"] == "selection_invalid"
    assert patch(alice, artifact, base=2).status_code == 404
    assert patch(alice, make_draft(cast, kind="image")).json()["error"]["code"] == "not_editable"
    with tenant_tx(acme.organization.pk):
        AgentOperation.objects.filter(agent__key="document_agent_google", name="patch").update(is_enabled=False)
    acme.publish()
    assert patch(alice, artifact).json()["error"]["code"] == "agent_not_configured"


def test_other_members_find_no_artifact_and_viewers_may_not_patch(acme: Workspace, cast: Cast) -> None:
    artifact = make_draft(cast)
    assert patch(signed_in(cast.bob), artifact).status_code == 404
    assert patch(signed_in(cast.charlie), artifact, slug="other").status_code == 404
    assert patch(signed_in(cast.vera), artifact).status_code == 403
    assert acme.double.requests == []


@pytest.mark.parametrize(
    ("answer", "selection", "replacement"),
    [
        ("new", "old\n\n", "new\n\n"),
        ("new\n\n\n", "old", "new"),
        ("  indented\n", "  old\n", "  indented\n"),
        ("<nothing/>\n", "old\n", ""),
        ("```\nnew\n```", "old\n", "new\n"),
        ("```js\nnew\n```", "```js\nold\n```\n", "```js\nnew\n```\n"),  # the selection is a fence itself
    ],
)
def test_an_answer_takes_the_place_of_the_selection(answer: str, selection: str, replacement: str) -> None:
    assert replacement_clean(answer, selection, TEXT) == replacement
    with pytest.raises(NoReplacement):
        replacement_clean("\n", selection, PYTHON)


TEXTS = st.text(st.sampled_from("ab\n🍵é"), max_size=12)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS.filter(bool), TEXTS, TEXTS, TEXTS)
def test_only_what_differs_inside_of_the_selection_passes(before: str, inner: str, after: str, new: str, other: str) -> None:
    text = before + inner + after
    selection = Selection(to_utf16(text, len(before)), to_utf16(text, len(before + inner)))
    patch_check(text, before + new + after, selection)
    changed = other + new + after
    if not (changed.startswith(before) and changed.endswith(after) and len(changed) >= len(before) + len(after)):
        with pytest.raises(OutsideSelection):
            patch_check(text, changed, selection)
