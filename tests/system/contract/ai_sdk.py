"""The AI SDK of a browser as a process, asking the running product."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from doubles.script import ReceivedRequest
from tests.support.system.product import Product
from tests.system.client import Member
from tests.system.request_predicates import is_document, is_title
from tools.embedded.programs import Program
from tools.frontend import SOURCES, node_home

# "token" is DefaultChatTransport as a foreign program has it: a base URL, an API token, and the whole history in each request.
TRANSPORTS = pytest.mark.parametrize("transport", ["ws", "http", "token"])
ASK_FIRST = """
import django
django.setup()
from admin_config.models import AgentConfig
from admin_config.services.configuration import release_publish
from tenants.context import tenant_tx
from tenants.models import Organization
organization = Organization.objects.using("system").get(slug="demo")
with tenant_tx(organization.pk):
    AgentConfig.objects.filter(key="document_agent_demo").update(ask_first=True)
    release_publish(organization_id=organization.pk)
"""


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
    token: str

    def start(self, transport: str, **action: Any) -> subprocess.Popen[str]:
        cookies = {cookie.name: str(cookie.value) for cookie in self.member.http.cookies.jar}
        header = "; ".join(f"{name}={value}" for name, value in cookies.items())
        token = next(value for name, value in cookies.items() if "csrf" in name)
        credential = self.token if transport == "token" else header
        command = [str(node_home() / "bin" / "node"), "contract/drive.mjs", transport, self.product.url, credential, token, "demo"]
        return subprocess.Popen([*command, json.dumps(action)], cwd=SOURCES, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def result(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        output, errors = process.communicate(timeout=150)
        assert process.returncode == 0, errors
        report: dict[str, Any] = json.loads(output)
        return report

    def run(self, transport: str, **action: Any) -> dict[str, Any]:
        return self.result(self.start(transport, **action))


@pytest.fixture(scope="module")
def sdk(product: Product) -> AiSdk:
    member = Member(product.url)
    return AiSdk(product, member, member.api_token("chat")[0])


@pytest.fixture(scope="module")
def asks_first(sdk: AiSdk) -> Iterator[None]:
    """The document agent asks before each call, to the end of the module; so the tests that need it are its last."""
    for script in (ASK_FIRST, ASK_FIRST.replace("=True", "=None")):
        Program("configure", ["-c", script], sdk.product.env, sdk.product.stack.layout.logs).run()
        if script is ASK_FIRST:
            yield


def texts(message: dict[str, Any]) -> list[str]:
    return [part["text"] for part in message["parts"] if part["type"] == "text"]


def answer_as_stored(sdk: AiSdk, chat_id: str, report: dict[str, Any]) -> dict[str, Any]:
    """The SDK's last message, which must be what is stored."""
    answer: dict[str, Any] = report["messages"][-1]
    message = sdk.member.conversation(chat_id)["messages"][-1]
    assert answer["id"] == message["id"]
    assert without_ids(answer["parts"]) == message["parts"]
    return answer
