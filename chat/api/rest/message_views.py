"""REST views of single messages (docs/protocol.md)."""

from __future__ import annotations

from uuid import UUID

from asgiref.sync import async_to_sync
from rest_framework.response import Response

from chat.api.rest.schemas import KEY_PARAMETER, BranchChoice, Feedback
from chat.conversations.branch_pages import message_place
from chat.conversations.messages import branch_show, feedback_clear, feedback_set, message_delete
from chat.conversations.selectors import conversation_get_for_user
from chat.conversations.shapes import MessagePlace
from chat.runs.announcements import announce_conversation
from tenants.context import tenant_tx
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView

TAG = "conversations"


class BranchView(RestView):
    """Chooses the branch that is shown."""

    @operation(
        "showBranch",
        "Show the branch with a message",
        tag=TAG,
        status=204,
        body=BranchChoice,
        path=KEY_PARAMETER,
        errors=(409,),
    )
    def post(self, request: ActorRequest, key: str) -> Response:
        choice = self.body(BranchChoice)
        with tenant_tx(request.actor.organization_id):
            conversation_id = branch_show(actor=request.actor, key=key, message_id=choice.message_id)
        return _announce(request, conversation_id)


class MessageView(RestView):
    """Says where a message is, and deletes one."""

    @operation("findMessage", "Where a message is in its conversation", tag=TAG, answer=MessagePlace, path=KEY_PARAMETER)
    def get(self, request: ActorRequest, key: str, message_id: UUID) -> MessagePlace:
        with tenant_tx(request.actor.organization_id):
            conversation = conversation_get_for_user(actor=request.actor, key=key)
            is_shown, newer = message_place(conversation, message_id)
        return MessagePlace(shown=is_shown, newer=newer)

    @operation("deleteMessage", "Delete a message and all below it", tag=TAG, status=204, path=KEY_PARAMETER, errors=(409,))
    def delete(self, request: ActorRequest, key: str, message_id: UUID) -> Response:
        with tenant_tx(request.actor.organization_id):
            conversation_id = message_delete(actor=request.actor, key=key, message_id=message_id)
        return _announce(request, conversation_id)


class FeedbackView(RestView):
    """Stores and removes feedback on an answer."""

    @operation("setFeedback", "Say what you think of an answer", tag=TAG, status=204, body=Feedback, path=KEY_PARAMETER)
    def put(self, request: ActorRequest, key: str, message_id: UUID) -> Response:
        body = self.body(Feedback)
        with tenant_tx(request.actor.organization_id):
            feedback_set(
                actor=request.actor, key=key, message_id=message_id, rating=body.rating, reasons=body.reasons, comment=body.comment
            )
        return Response(status=204)

    @operation("clearFeedback", "Take your feedback on an answer back", tag=TAG, status=204, path=KEY_PARAMETER)
    def delete(self, request: ActorRequest, key: str, message_id: UUID) -> Response:
        with tenant_tx(request.actor.organization_id):
            feedback_clear(actor=request.actor, key=key, message_id=message_id)
        return Response(status=204)


def _announce(request: ActorRequest, conversation_id: UUID) -> Response:
    async_to_sync(announce_conversation)(organization_id=request.actor.organization_id, conversation_id=conversation_id)
    return Response(status=204)
