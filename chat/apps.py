"""The Django app configuration of chat."""

from django.apps import AppConfig


class ChatConfig(AppConfig):
    """The chat app."""

    name = "chat"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from accounts.members.owned_kinds import owned_kind_add
        from artifacts.access import conversation_owner_set
        from chat.conversations.ownership import CONVERSATIONS, conversation_owner
        from chat.conversations.purging import prompts_sweep
        from chat.stream.event_log import logs_delete
        from tenants.deletion.registry import REGISTRY

        owned_kind_add(CONVERSATIONS)
        conversation_owner_set(conversation_owner)
        REGISTRY.add_plain_key("artifacts.Artifact", "conversation_id", "chat.Conversation")
        REGISTRY.add_plain_key("files.File", "conversation_id", "chat.Conversation")
        REGISTRY.add_plain_key("files.KnowledgeFile", "project_id", "chat.Project")
        REGISTRY.add_before_delete("chat.Run", logs_delete)
        REGISTRY.add_sweep(prompts_sweep)
