"""The Django app configuration of chat."""

from django.apps import AppConfig


class ChatConfig(AppConfig):
    """The chat app."""

    name = "chat"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from accounts.members.ownership import owned_kind_register
        from chat.conversations.ownership import CONVERSATIONS

        owned_kind_register(CONVERSATIONS)
