"""The index of the words of messages and documents."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q

from artifacts.models import Artifact
from chat.models.conversations import Conversation, Message
from tenants.models import TenantForeignKey, TenantModel


class SearchText(TenantModel):
    """The words of a message in the index of texts (chat.search). Written in the background, and gone with the message."""

    owner = TenantForeignKey("tenants.Membership", on_delete=models.CASCADE, related_name="+", db_index=False)
    conversation = TenantForeignKey(Conversation, on_delete=models.CASCADE, related_name="+")
    message = TenantForeignKey(Message, on_delete=models.CASCADE, related_name="+", db_index=False)
    at = models.DateTimeField()  # when the message was written
    part_count = models.PositiveIntegerField()  # the parts that it had then
    words = SearchVectorField()  # each with its owner's key in front (chat.search.words)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "message"], name="search_text_once")]
        indexes = [
            GinIndex(fields=["words"], name="search_text_words", fastupdate=False),  # a pending list would be read by each search
            models.Index(fields=["organization", "owner", "-at"], name="search_text_newest"),
        ]

    def __str__(self) -> str:
        return f"words of {self.message_id}"


class SearchDocument(TenantModel):
    """The words of a document's title and newest version in the index of texts (chat.search). Written in the background."""

    owner = TenantForeignKey("tenants.Membership", on_delete=models.CASCADE, related_name="+", db_index=False)
    conversation = TenantForeignKey(Conversation, on_delete=models.CASCADE, related_name="+")
    artifact = TenantForeignKey(Artifact, on_delete=models.CASCADE, related_name="+", db_index=False)
    at = models.DateTimeField()  # when the version was written
    number = models.PositiveIntegerField()  # of the version
    words = SearchVectorField()  # each with its owner's key in front (chat.search.words)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "artifact"], name="search_document_once")]
        indexes = [GinIndex(fields=["words"], name="search_document_words", fastupdate=False)]

    def __str__(self) -> str:
        return f"words of {self.artifact_id}"


class SearchWord(TenantModel):
    """A word that a member's messages or documents have, for queries with a typing error. It goes with the one in which it was met first."""

    owner = TenantForeignKey("tenants.Membership", on_delete=models.CASCADE, related_name="+", db_index=False)
    message = TenantForeignKey(Message, on_delete=models.CASCADE, related_name="+", null=True)
    artifact = TenantForeignKey(Artifact, on_delete=models.CASCADE, related_name="+", null=True)
    word = models.TextField()
    trigrams = ArrayField(models.TextField())  # each with the owner's key in front

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "owner", "word"], name="search_word_once"),
            models.CheckConstraint(
                condition=Q(message=None, artifact__isnull=False) | Q(message__isnull=False, artifact=None), name="search_word_of_one"
            ),
        ]
        indexes = [GinIndex(fields=["trigrams"], name="search_word_trigrams", fastupdate=False)]

    def __str__(self) -> str:
        return self.word
