"""The Django app configuration of chat."""

from django.apps import AppConfig


class ChatConfig(AppConfig):
    """The chat app."""

    name = "chat"
    default_auto_field = "django.db.models.BigAutoField"
