"""Models of templates. A version is written once: the app role can add and delete one, but not change it (tenants.postgres.platform_tables)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from tenants.models import TenantForeignKey, TenantModel

MAX_TITLE_CHARS, MAX_DESCRIPTION_CHARS, MAX_CATEGORY_CHARS, MAX_REASON_CHARS = 80, 300, 40, 500


class TemplateKind(models.TextChoices):
    """What a template becomes. All but prompts are kinds of artifacts, under the same names."""

    TEXT = "text", gettext_lazy("Document")
    PYTHON = "python", gettext_lazy("Program")
    MERMAID = "mermaid", gettext_lazy("Diagram")
    SHEET = "sheet", gettext_lazy("Sheet")
    PROMPT = "prompt", gettext_lazy("Prompt")


class TemplateState(models.TextChoices):
    PRIVATE = "private", gettext_lazy("Private")
    IN_REVIEW = "in_review", gettext_lazy("In review")
    PUBLISHED = "published", gettext_lazy("Published")
    WITHDRAWN = "withdrawn", gettext_lazy("Withdrawn")


class Template(TenantModel):
    """A template of one member or, without an owner, of the whole organization. Its texts are in its versions."""

    owner = TenantForeignKey("tenants.Membership", on_delete=models.SET_NULL, null=True, editable=False, related_name="+")
    kind = models.CharField(max_length=8, choices=TemplateKind)
    latest_number = models.PositiveIntegerField(default=0, editable=False)
    review_number = models.PositiveIntegerField(null=True, editable=False)  # the version that waits for an admin
    published_number = models.PositiveIntegerField(null=True, editable=False)  # the version that the organization sees
    is_withdrawn = models.BooleanField(default=False, editable=False)  # it was published before
    # Who published the version that is shown, or sent the last one back; and why.
    reviewer = TenantForeignKey("tenants.Membership", on_delete=models.SET_NULL, null=True, editable=False, related_name="+")
    reason = models.CharField(max_length=MAX_REASON_CHARS, blank=True, default="", editable=False)
    uses = models.PositiveIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=Q(review_number=None) | Q(review_number__lte=F("latest_number")), name="template_review_exists"
            ),
            models.CheckConstraint(condition=Q(published_number=None) | Q(is_withdrawn=False), name="template_withdrawn_is_hidden"),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["organization", "owner"], name="template_of_owner")]

    def __str__(self) -> str:
        return gettext("template %(pk)s") % {"pk": self.pk}

    @property
    def state(self) -> TemplateState:
        """What waits for an admin comes first: a published template may have a newer version in review."""
        if self.review_number is not None:
            return TemplateState.IN_REVIEW
        if self.published_number is not None:
            return TemplateState.PUBLISHED
        return TemplateState.WITHDRAWN if self.is_withdrawn else TemplateState.PRIVATE


class TemplateVersion(TenantModel):
    """One complete state of a template. `placeholders`: as gallery.placeholders.Placeholder, in the order of the form."""

    template = TenantForeignKey(Template, on_delete=models.CASCADE, editable=False, related_name="versions")
    number = models.PositiveIntegerField(editable=False)  # from 1
    title = models.CharField(max_length=MAX_TITLE_CHARS)
    description = models.CharField(max_length=MAX_DESCRIPTION_CHARS, blank=True, default="")
    category = models.CharField(max_length=MAX_CATEGORY_CHARS, blank=True, default="")
    body = models.TextField()
    placeholders = models.JSONField(default=list, editable=False)
    author = TenantForeignKey("tenants.Membership", on_delete=models.SET_NULL, null=True, editable=False, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta(TenantModel.Meta):
        verbose_name = "template"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "template", "number"], name="template_version_number")
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["organization", "-created_at", "-id"], name="template_newest_first")]

    def __str__(self) -> str:
        return self.title
