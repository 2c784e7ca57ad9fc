"""REST views of conversations (docs/protocol.md)."""

from __future__ import annotations

from functools import partial

from asgiref.sync import async_to_sync
from rest_framework.response import Response

from chat.api.rest.schemas import (
    KEY_PARAMETER,
    ConversationBatch,
    ConversationChange,
    ConversationQuery,
    DetailQuery,
    MessageQuery,
    NewConversation,
)
from chat.conversations.admin_reading import conversation_readers, conversation_share_with_admins, conversation_stop_sharing
from chat.conversations.branch_pages import branch_messages, branch_messages_from, message_list
from chat.conversations.deletion import (
    conversation_delete,
    conversation_restore,
    conversations_delete,
    conversations_restore,
)
from chat.conversations.filing import conversations_file
from chat.conversations.lists import ListFilters, conversation_items, conversation_list
from chat.conversations.selectors import conversation_detail, conversation_get_for_user, conversation_state
from chat.conversations.services import conversation_change, conversation_create, conversation_mark_read, require_writer
from chat.conversations.shapes import (
    BatchResult,
    ConversationDetail,
    ConversationItem,
    ConversationPage,
    ConversationReaders,
    MessagePage,
)
from chat.models import Conversation
from chat.runs.announcements import announce_changed, announce_conversation, announce_deletion, announce_restored
from tenants.context import tenant_tx
from tenants.errors import NotFound
from tenants.postgres.replica import read_from_replica
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView

TAG = "conversations"


class ConversationsView(RestView):
    """Lists and creates conversations."""

    @operation(
        "listConversations",
        "Your conversations: pinned ones first, then the newest activity",
        tag=TAG,
        answer=ConversationPage,
        query=ConversationQuery,
        etag=True,
    )
    def get(self, request: ActorRequest) -> ConversationPage:
        query = self.query(ConversationQuery)
        filters = ListFilters(query.updated_since, query.q, query.running, query.archived, query.project_id)
        read = partial(conversation_list, actor=request.actor, filters=filters, cursor=query.cursor, limit=query.limit)
        if query.cursor:
            page = read_from_replica(request.actor.organization_id, read)
        else:  # the newest ones may just have been written
            with tenant_tx(request.actor.organization_id):
                page = read()
        # Without the revisions, which also change when the conversations do not.
        self.etag_check(page.next_cursor, *(item.model_copy(update={"revision": None}) for item in page.items))
        return ConversationPage(items=page.items, next_cursor=page.next_cursor)

    @operation(
        "createConversation",
        "Begin an empty conversation",
        tag=TAG,
        answer=ConversationItem,
        status=201,
        body=NewConversation,
        errors=(409,),
    )
    def post(self, request: ActorRequest) -> ConversationItem:
        body = self.body(NewConversation)
        with tenant_tx(request.actor.organization_id):
            row = conversation_create(
                actor=request.actor,
                title=body.title,
                model_config_id=body.model_config_id,
                assistant=body.assistant,
                project_id=body.project_id,
            )
            item = _item(row)
        _announce(row)
        return item


class ConversationView(RestView):
    """Returns, changes and deletes a conversation."""

    @operation(
        "getConversation",
        "A conversation with its newest messages",
        tag=TAG,
        answer=ConversationDetail,
        query=DetailQuery,
        path=KEY_PARAMETER,
        etag=True,
    )
    def get(self, request: ActorRequest, key: str) -> ConversationDetail:
        query = self.query(DetailQuery)
        with tenant_tx(request.actor.organization_id):
            row, state, artifacts = conversation_detail(actor=request.actor, key=key)
            if query.start:
                messages, has_more = branch_messages_from(row, start=query.start, limit=query.limit)
            elif query.since:
                messages, has_more = branch_messages_from(row, since=query.since, limit=query.limit)
            else:
                messages, has_more = branch_messages(row, before=query.before, limit=query.limit)
        return ConversationDetail(
            id=row.pk,
            title=row.title,
            model_id=row.model_config_id,
            project_id=row.project_id,
            archived=row.archived_at is not None,
            expires_at=row.expires_at,
            assistant=row.assistant,
            messages=messages,
            artifacts=artifacts,
            has_more=has_more,
            **state,
        )

    @operation(
        "changeConversation",
        "Rename, pin, archive or move a conversation, or choose its model or assistant",
        tag=TAG,
        answer=ConversationItem,
        body=ConversationChange,
        path=KEY_PARAMETER,
        errors=(409,),
    )
    def patch(self, request: ActorRequest, key: str) -> ConversationItem:
        change = self.body(ConversationChange)
        with tenant_tx(request.actor.organization_id):
            row = conversation_change(
                actor=request.actor,
                key=key,
                title=change.title,
                model_config_id=change.model_config_id,
                assistant=change.assistant,
                filing=change.filing,
            )
            item = _item(row)
        _announce(row)
        return item

    @operation("deleteConversation", "Delete a conversation with its artifacts", tag=TAG, status=204, path=KEY_PARAMETER)
    def delete(self, request: ActorRequest, key: str) -> Response:
        with tenant_tx(request.actor.organization_id):
            deleted = conversation_delete(actor=request.actor, key=key)
        announce_deletion(request.actor.membership_id, deleted)
        return Response(status=204)


class RestoreView(RestView):
    """Undoes the deletion of a conversation."""

    @operation(
        "restoreConversation",
        "Undo the deletion of a conversation, within ten minutes",
        tag=TAG,
        answer=ConversationItem,
        path=KEY_PARAMETER,
    )
    def post(self, request: ActorRequest, key: str) -> ConversationItem:
        with tenant_tx(request.actor.organization_id):
            row = conversation_restore(actor=request.actor, key=key)
            item = _item(row)
        async_to_sync(announce_restored)(membership_id=request.actor.membership_id, items=[item])
        return item


class BatchesView(RestView):
    """Archives, moves, deletes or restores several conversations: one transaction, one statement for each table."""

    @operation(
        "changeConversations", "Archive, move, delete or restore several conversations", tag=TAG, answer=BatchResult, body=ConversationBatch
    )
    def post(self, request: ActorRequest) -> BatchResult:
        batch = self.body(ConversationBatch)
        actor = request.actor
        if batch.act == "delete":
            with tenant_tx(actor.organization_id):
                deleted = conversations_delete(actor=actor, ids=batch.ids)
            announce_deletion(actor.membership_id, deleted)
            return BatchResult(ids=deleted.ids)
        with tenant_tx(actor.organization_id):
            if batch.act == "restore":
                ids = conversations_restore(actor=actor, ids=batch.ids)
            else:
                ids = conversations_file(actor=require_writer(actor), ids=batch.ids, filing=batch.filing)
            items = conversation_items(actor, ids)
        announce = announce_restored if batch.act == "restore" else announce_changed
        async_to_sync(announce)(membership_id=actor.membership_id, items=items)
        return BatchResult(ids=ids)


class ReadersView(RestView):
    """Says and decides who besides the owner may read a conversation."""

    @operation("getReaders", "Who may read a conversation", tag=TAG, answer=ConversationReaders, path=KEY_PARAMETER)
    def get(self, request: ActorRequest, key: str) -> ConversationReaders:
        with tenant_tx(request.actor.organization_id):
            return conversation_readers(actor=request.actor, key=key)

    @operation("shareWithAdmins", "Let admins read a conversation for seven days", tag=TAG, answer=ConversationReaders, path=KEY_PARAMETER)
    def put(self, request: ActorRequest, key: str) -> ConversationReaders:
        with tenant_tx(request.actor.organization_id):
            return conversation_share_with_admins(actor=request.actor, key=key)

    @operation(
        "stopSharingWithAdmins", "Don't let admins read a conversation any longer", tag=TAG, answer=ConversationReaders, path=KEY_PARAMETER
    )
    def delete(self, request: ActorRequest, key: str) -> ConversationReaders:
        with tenant_tx(request.actor.organization_id):
            return conversation_stop_sharing(actor=request.actor, key=key)


class MessagesView(RestView):
    """Lists the messages of a conversation."""

    @operation(
        "listMessages",
        "The messages of the branch that is shown",
        tag=TAG,
        answer=MessagePage,
        query=MessageQuery,
        path=KEY_PARAMETER,
        etag=True,
    )
    def get(self, request: ActorRequest, key: str) -> MessagePage:
        query = self.query(MessageQuery)
        with tenant_tx(request.actor.organization_id):
            row = conversation_get_for_user(actor=request.actor, key=key)
            page = message_list(row, cursor=query.cursor, limit=query.limit)
        return MessagePage(items=page.items, next_cursor=page.next_cursor)


class SeenView(RestView):
    """Marks a conversation as read. Members with a read-only role may do that as well."""

    @operation("seeConversation", "Mark a conversation's answers as read", tag=TAG, status=204, path=KEY_PARAMETER)
    def post(self, request: ActorRequest, key: str) -> Response:
        with tenant_tx(request.actor.organization_id):
            conversation_id = conversation_mark_read(actor=request.actor, key=key)
        if conversation_id is not None:
            async_to_sync(announce_conversation)(organization_id=request.actor.organization_id, conversation_id=conversation_id)
        return Response(status=204)


def _item(row: Conversation) -> ConversationItem:
    state = conversation_state(row.pk)
    if state is None:
        raise NotFound
    return state.item


def _announce(row: Conversation) -> None:
    assert row.organization_id is not None  # the type stubs call a column with a default nullable
    async_to_sync(announce_conversation)(organization_id=row.organization_id, conversation_id=row.pk)
