"""The rows of an organization that are old enough for a rule. They can be counted by the app role and deleted by the role `system`."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Now

from artifacts.models import FILE_ID_KEY, Artifact, Version
from chat.models import Conversation, ModelCall, Run
from files.models import File
from sharing.models import Share
from tenants.models import Membership


def expired_conversations(organization_id: UUID, days: int, *, using: str) -> QuerySet[Conversation]:
    """Return conversations that nobody has changed for so long, nor a document in them. `using`: the database's role.

    Not those that are pinned or have a link that still opens, that an answer is open in, or whose owner is an embedded chat's visitor.
    Temporary and deleted ones have an end of their own.
    """
    recent_artifacts = Artifact.unscoped.filter(_in_row(conversation_id="pk"), deleted_at=None, updated_at__gte=_days_ago(days))
    rows = Conversation.unscoped.using(using).filter(organization_id=organization_id, updated_at__lt=_days_ago(days), expires_at=None)
    return _deletable(rows).filter(~Exists(recent_artifacts))


def expired_files(organization_id: UUID, days: int, *, using: str) -> QuerySet[File]:
    """Return files of messages that are so old. Not those of a conversation that is kept, nor what is an image beside a chat."""
    conversation = _deletable(Conversation.unscoped.filter(_in_row(pk="conversation_id")))
    versions = Version.unscoped.filter(_in_row(artifact__conversation_id="conversation_id"), artifact__deleted_at=None)
    versions = versions.annotate(file_id=KT(f"metadata__{FILE_ID_KEY}")).filter(file_id=Cast(OuterRef("pk"), TextField()))
    rows = File.unscoped.using(using).filter(organization_id=organization_id, created_at__lt=_days_ago(days), deleted_at=None)
    return rows.filter(Exists(conversation), ~Exists(versions))


def expired_calls(organization_id: UUID, days: int, *, using: str) -> QuerySet[ModelCall]:
    """Return calls that are so old and still have what was sent."""
    rows = ModelCall.unscoped.using(using).filter(organization_id=organization_id, created_at__lt=_days_ago(days))
    return rows.exclude(prompt_hash="")


def _deletable(conversations: QuerySet[Conversation]) -> QuerySet[Conversation]:
    """Return those that neither people nor another rule keep."""
    return conversations.filter(~Exists(_open_runs()), ~Exists(_links()), ~Exists(_visitors()), deleted_at=None, is_pinned=False)


def _days_ago(days: int) -> object:
    return Now() - timedelta(days=days)


def _in_row(**columns: str) -> Q:
    """A row of the outer row's organization that has its values: column here to column there."""
    return Q(organization_id=OuterRef("organization_id"), **{here: OuterRef(there) for here, there in columns.items()})


def _open_runs() -> QuerySet[Run]:
    return Run.unscoped.filter(_in_row(conversation_id="pk"), finished_at=None)


def _links() -> QuerySet[Share]:
    """Links to the conversation, or to a document in it, that were not stopped and have not ended."""
    own = Q(conversation_id=OuterRef("pk")) | Q(artifact__conversation_id=OuterRef("pk"))
    is_open = Q(expires_at=None) | Q(expires_at__gt=Now())
    return Share.unscoped.filter(own, is_open, organization_id=OuterRef("organization_id"), revoked_at=None)


def _visitors() -> QuerySet[Membership]:
    return Membership.objects.filter(_in_row(pk="owner_id"), role=Membership.Role.VISITOR)
