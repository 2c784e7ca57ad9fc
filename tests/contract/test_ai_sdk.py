"""The unmodified npm package `ai` 7 against the running product: chat, resume and 204, over the socket and over HTTP."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import orjson
import pytest

from agents.providers.doubles.script import Answer, Call, ReceivedRequest, Text, Thought
from agents.providers.doubles.signals import Gate
from tests.support.product import Product, product
from tests.system.client import Member
from tests.system.scripts import is_document, is_title
from tools.frontend import SOURCES, node_home

TRANSPORTS = pytest.mark.parametrize("transport", ["ws", "http"])


def is_chat(request: ReceivedRequest) -> bool:
    return not is_title(request) and not is_document(request)


def without_ids(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The SDK notes the stream's ids on text and reasoning; a stored message has none."""
    return [{key: value for key, value in part.items() if key != "id" or part["type"].startswith("data-")} for part in parts]


@dataclass
class AiSdk:
    """Runs frontend/contract/drive.mjs, which is a foreign client of the AI SDK, as the signed-in member."""

    product: Product
    member: Member

    def start(self, transport: str, **action: Any) -> subprocess.Popen[str]:
        cookies = {cookie.name: str(cookie.value) for cookie in self.member.http.cookies.jar}
        header = "; ".join(f"{name}={value}" for name, value in cookies.items())
        token = next(value for name, value in cookies.items() if "csrf" in name)
        command = [str(node_home() / "bin" / "node"), "contract/drive.mjs", transport, self.product.url, header, token, "demo"]
        return subprocess.Popen([*command, json.dumps(action)], cwd=SOURCES, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def result(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        output, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        report: dict[str, Any] = json.loads(output)
        return report

    def run(self, transport: str, **action: Any) -> dict[str, Any]:
        return self.result(self.start(transport, **action))


@pytest.fixture(scope="module")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AiSdk]:
    with product(tmp_path_factory.mktemp("contract") / "data") as running:
        running.double.respond(lambda request: Answer((Text("A title"),)) if is_title(request) else None)
        yield AiSdk(running, Member(running.url))


@TRANSPORTS
def test_the_sdk_reads_an_answer_as_it_is_stored(sdk: AiSdk, transport: str) -> None:
    chat_id = str(uuid4())
    sdk.product.double.answer(Thought("Let me think."), Text("# Tea\n\nA **drink**."), when=is_chat)

    report = sdk.run(transport, action="send", chatId=chat_id, text="What is tea?", body={"thinking": True})

    assert (report["status"], report["finishReason"], report["error"]) == ("ready", "stop", None)
    answer = report["messages"][-1]
    stored = sdk.member.conversation(chat_id)["messages"][-1]
    assert answer["id"] == stored["id"]
    assert without_ids(answer["parts"]) == stored["parts"]
    assert stored["parts"][-1]["text"] == "# Tea\n\nA **drink**."


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

    checked = subprocess.run(
        [str(node_home() / "bin" / "node"), "contract/check-chunks.mjs"],
        cwd=SOURCES,
        input=b"\n".join(map(orjson.dumps, chunks)),
        capture_output=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr.decode()
