"""The unmodified npm package `ai` 7 against the running product: all that its chat can do, over the socket, over HTTP and with a token."""

from __future__ import annotations

import subprocess
from base64 import b64decode, b64encode
from typing import Any
from uuid import uuid4

import orjson
import pytest

from doubles.script import Call, CitedText, Fault, Picture, Text, Thought
from doubles.signals import Gate
from tests.support.files.documents import PICTURE, PNG
from tests.system.contract.ai_sdk import TRANSPORTS, AiSdk, answer_as_stored, asks_first, is_chat, sdk, texts, without_ids
from tests.system.request_predicates import is_document
from tools.frontend import SOURCES, node_home

__all__ = ["asks_first", "sdk"]


@TRANSPORTS
def test_the_sdk_reads_an_answer_as_it_is_stored(sdk: AiSdk, transport: str) -> None:
    chat_id = str(uuid4())
    sdk.product.double.answer(Thought("Let me think."), Text("# Tea\n\nA **drink**."), when=is_chat)

    report = sdk.run(transport, action="send", chatId=chat_id, text="What is tea?", body={"thinking": True})

    assert (report["status"], report["finishReason"], report["error"]) == ("ready", "stop", None)
    assert answer_as_stored(sdk, chat_id, report)["parts"][-1]["text"] == "# Tea\n\nA **drink**."


@TRANSPORTS
def test_the_sdk_gets_a_document_live_and_as_a_part(sdk: AiSdk, transport: str) -> None:
    chat_id = str(uuid4())
    sdk.product.double.answer(Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "About tea"}), when=is_chat)
    sdk.product.double.answer(Text("# Tea"), when=is_document)
    sdk.product.double.answer(Text("Done."), when=is_chat)

    report = sdk.run(transport, action="send", chatId=chat_id, text="Write a document about tea")

    assert report["error"] is None
    assert "".join(part["data"]["delta"] for part in report["transient"]) == "# Tea"
    assert without_ids(report["messages"][-1]["parts"]) == sdk.member.conversation(chat_id)["messages"][-1]["parts"]


@TRANSPORTS
def test_the_sdk_resumes_a_running_answer_without_doubling_it(sdk: AiSdk, transport: str) -> None:
    chat_id = str(uuid4())
    gate = Gate()
    sdk.product.double.answer(Text("The beginning "), gate, Text("and the end."), when=is_chat)

    sending = sdk.start(transport, action="send", chatId=chat_id, text="Go")
    gate.reached.wait()
    resuming = sdk.start(transport, action="resume", chatId=chat_id)
    gate.release()
    reports = [sdk.result(sending), sdk.result(resuming)]

    assert reports[1]["resumed"] is True
    for report in reports:
        assert [part["text"] for part in report["messages"][-1]["parts"] if part["type"] == "text"] == ["The beginning and the end."]


@pytest.mark.parametrize("transport", ["ws", "token"])
def test_the_sdk_regenerates_and_goes_on(sdk: AiSdk, transport: str) -> None:
    chat_id = str(uuid4())
    for text in ("First.", "Second.", "Third."):
        sdk.product.double.answer(Text(text), when=is_chat)
    report = sdk.run(transport, action="send", chatId=chat_id, text="Go", regenerate=True, again="And on")
    assert [texts(message) for message in report["messages"]] == [["Go"], ["Second."], ["And on"], ["Third."]]
    answer_as_stored(sdk, chat_id, report)
    assert [message["role"] for message in sdk.member.conversation(chat_id)["messages"]] == ["user", "assistant"] * 2


@TRANSPORTS
def test_the_sdk_edits_a_message(sdk: AiSdk, transport: str) -> None:
    chat_id = str(uuid4())
    for text in ("First.", "Second.", "Changed."):
        sdk.product.double.answer(Text(text), when=is_chat)
    report = sdk.run(transport, action="send", chatId=chat_id, text="Green tea?", again="And on", edit="Black tea?")
    assert (report["status"], report["error"]) == ("ready", None)
    assert [texts(message) for message in report["messages"]] == [["Black tea?"], ["Changed."]]
    answer_as_stored(sdk, chat_id, report)
    assert [texts(message) for message in sdk.member.conversation(chat_id)["messages"]] == [["Black tea?"], ["Changed."]]


def test_the_sdk_gets_sources_as_parts(sdk: AiSdk) -> None:
    chat_id = str(uuid4())
    page = ("https://tea.example/green", "Green tea")
    sdk.product.double.answer(CitedText("Green tea is healthy.", pages=[page]), when=is_chat)
    answer = answer_as_stored(sdk, chat_id, sdk.run("token", action="send", chatId=chat_id, text="Is tea healthy?"))
    assert [(part["url"], part["title"]) for part in answer["parts"] if part["type"] == "source-url"] == [page]


@pytest.mark.parametrize("transport", ["ws", "token"])
def test_the_sdk_is_told_of_errors(sdk: AiSdk, transport: str) -> None:
    sdk.product.double.answer(Fault.blocked(), when=is_chat)
    failure = sdk.run(transport, action="send", chatId=str(uuid4()), text="Go")
    refusal = sdk.run(transport, action="send", chatId=str(uuid4()), text="Go", body={"temperature": 2})
    assert [report["status"] for report in (failure, refusal)] == ["error", "error"]
    assert "safety" in failure["error"]
    assert "temperature" in refusal["error"]


@TRANSPORTS
def test_the_sdk_sends_files_as_data_and_by_their_address(sdk: AiSdk, transport: str) -> None:
    chat_id, double = str(uuid4()), sdk.product.double
    note = sdk.member.upload("notes.md", b"# Tea")
    cup = f"data:image/png;base64,{b64encode(PICTURE).decode()}"
    files = [{"type": "file", "mediaType": "image/png", "url": cup}, {"type": "file", "mediaType": "text/markdown", "url": note["url"]}]
    double.answer(Text("A cup and a note."), when=is_chat)

    report = sdk.run(transport, action="send", chatId=chat_id, text="What is this?", files=files)

    assert (report["status"], report["error"]) == ("ready", None)
    answer_as_stored(sdk, chat_id, report)
    [chat_request] = [request for request in double.requests if is_chat(request) and "What is this?" in request.user_text][-1:]
    parts = chat_request.contents[-1]["parts"]
    assert [b64decode(part["inlineData"]["data"]) for part in parts if "inlineData" in part] == [PICTURE]
    assert any("# Tea" in part.get("text", "") for part in parts)
    question = sdk.member.conversation(chat_id)["messages"][0]
    assert [part.get("filename") for part in question["parts"]] == [None, "file.png", "notes.md"]


@TRANSPORTS
def test_the_sdk_shows_a_file_that_the_model_made(sdk: AiSdk, transport: str) -> None:
    chat_id = str(uuid4())
    sdk.product.double.answer(Text("Here."), Picture(PNG), when=is_chat)
    answer = answer_as_stored(sdk, chat_id, sdk.run(transport, action="send", chatId=chat_id, text="Draw"))
    [file_part] = [part for part in answer["parts"] if part["type"] == "file"]
    assert (file_part["mediaType"], file_part["url"].split(":")[0]) == ("image/png", "parley-file")
    assert sdk.member.call("GET", f"files/{file_part['url'].split(':')[1]}/")["sizeBytes"] == len(PNG)


@pytest.mark.parametrize("transport", ["ws", "token"])
def test_the_sdk_is_told_which_files_are_not_taken(sdk: AiSdk, transport: str) -> None:
    def refusal(url: str) -> str:
        files = [{"type": "file", "mediaType": "image/png", "url": url}]
        report = sdk.run(transport, action="send", chatId=str(uuid4()), text="What is this?", files=files)
        assert report["status"] == "error"
        return str(report["error"])

    assert "data URL" in refusal("https://pictures.example/cup.png")
    assert "This file type isn't supported" in refusal("data:image/png;base64,AAECAw==")


@pytest.mark.parametrize("transport", ["ws", "token"])
def test_a_disconnect_stops_no_answer(sdk: AiSdk, transport: str) -> None:
    chat_id = str(uuid4())
    gate = Gate()
    sdk.product.double.answer(Text("The beginning ", pieces=["The beginning "]), gate, Text("and the end."), when=is_chat)
    report = sdk.run(transport, action="send", chatId=chat_id, text="Go", leave=True)
    gate.release()
    sdk.product.finished(chat_id)
    assert texts(report["messages"][-1]) == ["The beginning "]
    assert texts(sdk.member.conversation(chat_id)["messages"][-1]) == ["The beginning and the end."]


@pytest.mark.parametrize("transport", ["ws", "token"])
def test_a_stop_ends_the_answer_for_the_sdk(sdk: AiSdk, transport: str) -> None:
    chat_id = str(uuid4())
    gate = Gate()
    sdk.product.double.answer(Text("The beginning ", pieces=["The beginning "]), gate, Text("and the end."), when=is_chat)
    sending = sdk.start(transport, action="send", chatId=chat_id, text="Go")
    gate.reached.wait()
    sdk.member.call("POST", f"conversations/{chat_id}/stop/")
    report = sdk.result(sending)
    gate.release()
    assert (report["status"], report["finishReason"], report["error"]) == ("ready", "interrupted", None)
    assert texts(answer_as_stored(sdk, chat_id, report)) == ["The beginning "]


@TRANSPORTS
def test_the_sdk_is_told_when_nothing_runs(sdk: AiSdk, transport: str) -> None:
    report = sdk.run(transport, action="resume", chatId=str(uuid4()))
    assert (report["resumed"], report["status"], report["error"]) == (False, "ready", None)


def test_every_chunk_fits_the_sdks_own_schema(sdk: AiSdk) -> None:
    double = sdk.product.double
    double.answer(Thought("Hm."), Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "About tea"}), when=is_chat)
    double.answer(Text("# Tea"), when=is_document)
    double.answer(
        Call("no_such_tool", {}), Call("document_agent", {"operation": "update", "artifact_id": "none", "instruction": "x"}), when=is_chat
    )
    double.answer(Text("Done."), when=is_chat)
    with sdk.member.socket() as socket:
        chunks = socket.chunks(socket.send(str(uuid4()), "Go"))
        chunks += socket.chunks(socket.send(str(uuid4()), "Nothing is scripted for this, so that the provider fails"))
    kinds = {chunk["type"] for chunk in chunks}
    assert {"tool-output-error", "data-artifact-delta", "data-notice", "error", "finish"} <= kinds

    result = subprocess.run(
        [str(node_home() / "bin" / "node"), "contract/check-chunks.mjs"],
        cwd=SOURCES,
        input=b"\n".join(map(orjson.dumps, chunks)),
        capture_output=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr.decode()


@pytest.mark.parametrize(
    ("transport", "result"), [("ws", {"output": {"ok": True}}), ("http", {"errorText": "No form"}), ("token", {"output": 1})]
)
def test_the_sdks_page_carries_out_a_call(sdk: AiSdk, transport: str, result: dict[str, Any]) -> None:
    """`addToolOutput` in `onToolCall`, and `sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls`."""
    chat_id = str(uuid4())
    double = sdk.product.double
    double.answer(Text("I look."), Call("update_page_state", {"title": "Green tea", "price": 7}), when=is_chat)
    double.answer(Call("update_page_state", {"title": "Tea"}), when=is_chat)
    double.answer(Text("So be it."), when=is_chat)

    page = {"tool": "update_page_state", **result}
    report = sdk.run(transport, action="send", chatId=chat_id, text="Change it", body={"pageState": {"title": "Coffee"}}, page=page)

    assert (report["status"], report["error"], report["finishReason"]) == ("ready", None, "stop")
    assert report["inputs"] == [{"title": "Green tea"}, {"title": "Tea"}], "each once, and only what may be written"
    answer = answer_as_stored(sdk, chat_id, report)
    assert texts(answer) == ["I look.", "So be it."]
    tools = [part for part in answer["parts"] if part["type"] == "dynamic-tool"]
    if "errorText" in result:
        assert [tool["errorText"] for tool in tools] == ["The page could not be changed: No form"] * 2
    else:
        assert [tool["output"] for tool in tools] == ["written: title; ignored: price (the page has no such key)", "written: title"]


@pytest.mark.parametrize(("transport", "is_approved"), [("ws", True), ("http", False), ("token", True)])
@pytest.mark.usefixtures("asks_first")
def test_the_sdks_user_decides_about_a_call(sdk: AiSdk, transport: str, is_approved: bool) -> None:
    chat_id = str(uuid4())
    call = Call("document_agent", {"operation": "create", "title": "Tea", "instruction": "About tea"})
    sdk.product.double.answer(Text("I write."), call, when=is_chat)
    if is_approved:
        sdk.product.double.answer(Text("# Tea"), when=is_document)
    sdk.product.double.answer(Text("So be it."), when=is_chat)

    decision = {"approved": is_approved} | ({} if is_approved else {"reason": "Not now."})
    report = sdk.run(transport, action="send", chatId=chat_id, text="Write a document about tea", decide=decision)

    assert (report["status"], report["error"], report["finishReason"]) == ("ready", None, "stop")
    answer = answer_as_stored(sdk, chat_id, report)
    assert texts(answer) == ["I write.", "So be it."]
    [tool] = [part for part in answer["parts"] if part["type"] == "dynamic-tool"]
    assert tool["state"] == ("output-available" if is_approved else "output-denied")
    assert tool["approval"]["approved"] is is_approved
