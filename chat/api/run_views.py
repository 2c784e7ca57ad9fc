"""REST calls into a run (docs/protocol.md): stop it, tell it something, decide what it asks."""

from __future__ import annotations

from uuid import UUID

from asgiref.sync import async_to_sync
from rest_framework.response import Response

from agents.engine.messages import ClientOutput
from chat.api.request_schemas import KEY, Decision, RunMessage, ToolOutput
from chat.api.schemas import Heard, HeardMessage, Stopping
from chat.runs import commands as steering
from tenants.rest.base import ActorRequest, RestView
from tenants.rest.schema import operation

TAG = "runs"


class RunView(RestView):
    write = True
    scope = "chat"
    rate = "chat"


class StopView(RunView):
    @operation("stopRun", "Stop the answer that is being written, or end its wait", tag=TAG, answer=Stopping, status=202, path=KEY)
    def post(self, request: ActorRequest, key: str) -> Response:
        stopping = async_to_sync(steering.stop)(request.actor, key=key)
        return Response({"stopping": stopping is not None}, status=202)


class InputView(RunView):
    @operation(
        "sendInput",
        "Send a message into the answer that is being written, or that waits",
        tag=TAG,
        answer=HeardMessage,
        status=202,
        body=RunMessage,
        path=KEY,
        errors=(409,),
    )
    def post(self, request: ActorRequest, key: str) -> Response:
        sent = self.body(RunMessage)
        delivered = async_to_sync(steering.message_into_run)(request.actor, key=key, text=sent.text, client_id=sent.id)
        answer = {"runId": str(delivered.run_id), "messageId": str(delivered.answer_id), "resumed": delivered.resumed}
        return Response(answer, status=202)


class ApprovalView(RunView):
    @operation("decideApproval", "Allow or refuse a tool call", tag=TAG, answer=Heard, status=202, body=Decision, path=KEY, errors=(409,))
    def post(self, request: ActorRequest, key: str, approval_id: UUID) -> Response:
        made = self.body(Decision)
        delivered = async_to_sync(steering.decision)(
            request.actor, key=key, approval_id=approval_id, approved=made.approved, reason=made.reason
        )
        return Response({"runId": str(delivered.run_id), "resumed": delivered.resumed}, status=202)


class ToolOutputView(RunView):
    @operation(
        "giveToolOutput",
        "Say what came of a tool call that the client carries out",
        tag=TAG,
        answer=Heard,
        status=202,
        body=ToolOutput,
        path=KEY,
        errors=(409, 413),
    )
    def post(self, request: ActorRequest, key: str) -> Response:
        sent = self.body(ToolOutput)
        failed = sent.error_text is not None
        output = ClientOutput(sent.tool_call_id, sent.error_text if failed else sent.output, failed)
        delivered = async_to_sync(steering.client_outputs)(request.actor, key=key, outputs=[output]).delivered
        return Response({"runId": str(delivered.run_id), "resumed": delivered.resumed}, status=202)
