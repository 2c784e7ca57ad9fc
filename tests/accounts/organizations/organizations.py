"""Organizations of these tests: their page, a logo, and what a member owns."""

from __future__ import annotations

import io

from django.utils import timezone
from PIL import Image

from artifacts.models import Artifact
from chat.models import Conversation, Project
from files.knowledge.models import KnowledgeFile
from tenants.context import tenant_tx
from tenants.models import Organization, User
from tests.admin_config.pages import ACME
from tests.support.accounts.cast import Cast

PAGE = f"{ACME}tenants/organization/"
LOOKS = {"part": "looks", "name": "Acme", "slug": "acme", "accent_color": ""}


def acme(cast: Cast) -> Organization:
    return Organization.objects.get(pk=cast.acme.pk)


def png(width: int = 300, height: int = 200) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(content, "PNG")
    return content.getvalue()


def own_things(cast: Cast, user: User) -> Conversation:
    with tenant_tx(cast.acme.pk):
        owner = user.memberships.get()
        project = Project.objects.create(owner=owner, name="Harbour", instructions="Euros only.")
        KnowledgeFile.objects.create(project_id=project.pk, path="rates.md", kind="text", size_bytes=4, text="Fees", state="ready")
        conversation = Conversation.objects.create(owner=owner, title="Plan", updated_at=timezone.now(), client_id="mine", project=project)
        Artifact.objects.create(conversation_id=conversation.pk, owner=owner, title="Paper", kind="text")
        return conversation
