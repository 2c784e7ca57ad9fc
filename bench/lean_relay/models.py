"""The lean relay's tables."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models


class Conversation(models.Model):
    """A user's conversation. The client chooses its id."""

    objects: ClassVar[models.Manager[Conversation]] = models.Manager()

    id = models.UUIDField(primary_key=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)


class Message(models.Model):
    """A question or an answer. An answer is empty until it has ended."""

    objects: ClassVar[models.Manager[Message]] = models.Manager()

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE)
    role = models.CharField(max_length=5, choices=[("user", "user"), ("model", "model")])
    text = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
