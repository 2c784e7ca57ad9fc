"""REST views that stop a run or send it messages, decisions and tool outputs (docs/protocol.md)."""

from __future__ import annotations

from uuid import UUID

from asgiref.sync import async_to_sync

from agents.messages import ClientOutput
from chat.api.rest.schemas import KEY_PARAMETER, Decision, InputAccepted, MessageAccepted, RunMessage, StopAccepted, ToolOutput
from chat.runs import commands
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView

TAG = "runs"


class RunView(RestView):
    """Base class of the views here: they need a writer, the token scope "chat", and count as chat requests."""

    write = True
    scope = "chat"
    rate = "chat"


class StopView(RunView):
    """Stops a run."""

    @operation(
        "stopRun", "Stop the answer that is being written, or end its wait", tag=TAG, answer=StopAccepted, status=202, path=KEY_PARAMETER
    )
    def post(self, request: ActorRequest, key: str) -> StopAccepted:
        stopping = async_to_sync(commands.stop_run)(request.actor, key=key)
        return StopAccepted(stopping=stopping is not None)


class InputView(RunView):
    """Sends a message into an open run."""

    @operation(
        "sendInput",
        "Send a message into the answer that is being written, or that waits",
        tag=TAG,
        answer=MessageAccepted,
        status=202,
        body=RunMessage,
        path=KEY_PARAMETER,
        errors=(409,),
    )
    def post(self, request: ActorRequest, key: str) -> MessageAccepted:
        body = self.body(RunMessage)
        receipt = async_to_sync(commands.send_run_message)(request.actor, key=key, text=body.text, client_id=body.id)
        return MessageAccepted(run_id=receipt.run_id, message_id=receipt.answer_id, resumed=receipt.resumed)


class ApprovalView(RunView):
    """Decides an approval."""

    @operation(
        "decideApproval",
        "Allow or refuse a tool call",
        tag=TAG,
        answer=InputAccepted,
        status=202,
        body=Decision,
        path=KEY_PARAMETER,
        errors=(409,),
    )
    def post(self, request: ActorRequest, key: str, approval_id: UUID) -> InputAccepted:
        body = self.body(Decision)
        receipt = async_to_sync(commands.decide_approval)(
            request.actor, key=key, approval_id=approval_id, approved=body.approved, reason=body.reason, lasts=body.lasts
        )
        return InputAccepted(run_id=receipt.run_id, resumed=receipt.resumed)


class ToolOutputView(RunView):
    """Delivers the output of a client call."""

    @operation(
        "giveToolOutput",
        "Say what came of a tool call that the client carries out",
        tag=TAG,
        answer=InputAccepted,
        status=202,
        body=ToolOutput,
        path=KEY_PARAMETER,
        errors=(409, 413),
    )
    def post(self, request: ActorRequest, key: str) -> InputAccepted:
        body = self.body(ToolOutput)
        failed = body.error_text is not None
        output = ClientOutput(body.tool_call_id, body.error_text if failed else body.output, failed)
        receipt = async_to_sync(commands.accept_client_outputs)(request.actor, key=key, outputs=[output]).receipt
        return InputAccepted(run_id=receipt.run_id, resumed=receipt.resumed)
