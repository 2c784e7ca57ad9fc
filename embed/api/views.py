"""REST calls of visitors: those of the chat's own API that an embedded chat needs, on the visitor's conversations alone.

They differ from the members' calls in one thing, who asks: the bearer in the header, and neither session nor API token.
"""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext_lazy
from rest_framework.request import Request
from rest_framework.response import Response

from artifacts.selectors import artifact_get_for_member, version_get
from chat.api.rest.conversation_views import ConversationView
from chat.api.rest.message_views import FeedbackView, MessageView
from chat.api.rest.run_views import ApprovalView, InputView, StopView, ToolOutputView
from chat.api.rest.schemas import Decision
from chat.conversations.filing import Filing, conversations_file
from chat.conversations.shapes import ConversationDetail
from embed.api.earlier_messages import conversation_begin
from embed.api.schemas import EarlierMessages, StartedConversation, VisitorTransfer, VisitorVersion
from embed.api.visibility import visible_message
from embed.transfer.codes import transfer_code_new
from embed.visitors.bearers import Visit, request_visit
from tenants.authentication.tokens import TokenActor
from tenants.context import tenant_tx
from tenants.errors import NotAllowed, NotFound
from tenants.rest.http import OrganizationRequest
from tenants.rest.views import ActorRequest, RestView

VISITORS_ALLOW_NOTHING = gettext_lazy("A visitor can't allow this.")


class VisitorView(RestView):
    """Mixin that lets visitors in, and nobody else."""

    key = ""  # of the embed
    visit: Visit

    def dispatch(self, request: HttpRequest, *args: Any, slug: str | None = None, **kwargs: Any) -> HttpResponseBase:
        self.key = kwargs.pop("site")
        return super().dispatch(request, *args, **kwargs)

    def perform_authentication(self, request: Request) -> None:
        mine, http = cast(ActorRequest, request), cast(OrganizationRequest, self.http)
        nobody: TokenActor | None = None
        self.visit = request_visit(self.http, self.key)
        mine.actor, mine.token = self.visit.actor, nobody
        http.actor, http.token = mine.actor, nobody
        self._raise_if_form()


class VisitorConversationView(VisitorView, ConversationView):
    http_method_names = ["get", "delete"]

    def get(self, request: ActorRequest, key: str) -> ConversationDetail:
        detail = cast(ConversationDetail, super().get(request, key))
        messages = [visible_message(message) for message in detail.messages]
        return detail.model_copy(update={"messages": messages, "artifacts": [], "model_id": None, "assistant": ""})


class VisitorArchiveView(VisitorView):
    """Puts the conversation away, so that the next visit begins another one."""

    write = True
    http_method_names = ["post"]

    def post(self, request: ActorRequest, key: UUID) -> Response:
        with tenant_tx(request.actor.organization_id):
            conversations_file(actor=request.actor, ids=[key], filing=Filing(archived=True))
        return Response(status=204)


class VisitorConversationsView(VisitorView):
    """Begins a conversation with messages of the page. It takes the place of the present one, which the frame puts away."""

    write = True
    http_method_names = ["post"]

    def post(self, request: ActorRequest) -> StartedConversation:
        messages = self.body(EarlierMessages).messages
        with tenant_tx(request.actor.organization_id):
            conversation = conversation_begin(actor=request.actor, assistant=self.visit.site.assistant, messages=messages)
        return StartedConversation(conversation_id=conversation.pk)


class VisitorTransferView(VisitorView):
    """Gives the address at which a member signs in and takes over what this visitor wrote, where the admins allow it."""

    write = True
    http_method_names = ["post"]

    def post(self, request: ActorRequest) -> VisitorTransfer:
        if not self.visit.site.members_may_keep:
            raise NotFound
        code = transfer_code_new(self.key, request.actor.membership_id)
        return VisitorTransfer(url=f"{settings.PUBLIC_URL}{reverse('embed:keep', args=[self.key, code])}")


class VisitorVersionView(VisitorView):
    """The text of a document that an answer to the visitor made."""

    http_method_names = ["get"]

    def get(self, request: ActorRequest, artifact_id: UUID, number: int) -> VisitorVersion:
        with tenant_tx(request.actor.organization_id):
            artifact = artifact_get_for_member(artifact_id=artifact_id, actor=request.actor)
            version = version_get(artifact=artifact, number=number)
        return VisitorVersion(title=artifact.title, kind=artifact.kind, number=version.number, content=version.content)


class VisitorMessageView(VisitorView, MessageView):
    http_method_names = ["delete"]


class VisitorFeedbackView(VisitorView, FeedbackView):
    pass


class VisitorStopView(VisitorView, StopView):
    pass


class VisitorInputView(VisitorView, InputView):
    pass


class VisitorToolOutputView(VisitorView, ToolOutputView):
    pass


class VisitorApprovalView(VisitorView, ApprovalView):
    """Refuses a tool call: what has to be allowed is the organization's own, and a visitor is none of its people."""

    def post(self, request: ActorRequest, key: str, approval_id: UUID) -> Any:
        if self.body(Decision).approved:
            raise NotAllowed(VISITORS_ALLOW_NOTHING)
        return super().post(request, key, approval_id)
