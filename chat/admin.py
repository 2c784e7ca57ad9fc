"""Admin pages of runs, of the members' feedback on answers (SPEC 6.2) and of the organization's prompts (SPEC 6.4)."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.admin import display
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.text import Truncator

from admin_config.admin.base import ReadOnly, TenantModelAdmin, badge
from admin_config.admin.sites import organization_site
from chat.explorer.admin import RunAdmin
from chat.models import MessageFeedback, Run, SavedPrompt

RATING_COLORS = {"Good": "success", "Bad": "danger"}
RATINGS = {MessageFeedback.Rating.UP.value: "Good", MessageFeedback.Rating.DOWN.value: "Bad"}


class FeedbackAdmin(ReadOnly, TenantModelAdmin):
    """What members think of answers. The texts of their conversations are not shown."""

    list_display = ("created_at", "rating_label", "reason_labels", "comment", "model_name", "release_number")
    list_filter = ("rating",)
    search_fields = ("comment",)
    list_select_related = ("message__run",)
    ordering = ("-created_at",)
    sortable_by = ()
    fields = ("created_at", "updated_at", "rating_label", "reason_labels", "comment", "model_name", "release_number")
    readonly_fields = fields

    @badge("rating", RATING_COLORS)
    def rating_label(self, feedback: MessageFeedback) -> str:
        return RATINGS[feedback.rating]

    @display(description="what was wrong")
    def reason_labels(self, feedback: MessageFeedback) -> str:
        return ", ".join(MessageFeedback.Reason(reason).label for reason in feedback.reasons)

    @display(description="model")
    def model_name(self, feedback: MessageFeedback) -> str:
        run = feedback.message.run
        return str(run.display.get("modelName", "")) if run else ""

    @display(description="release")
    def release_number(self, feedback: MessageFeedback) -> str:
        run = feedback.message.run
        return str(run.display.get("release", "")) if run else ""


organization_site.register(MessageFeedback, FeedbackAdmin)
organization_site.register(Run, RunAdmin)


class SavedPromptAdmin(TenantModelAdmin):
    """The organization's prompts. Those of members are their own."""

    list_display = ("title", "beginning", "updated_at")
    search_fields = ("title", "text")
    ordering = ("title",)
    sortable_by = ()
    fields = ("title", "text")
    help_texts: ClassVar = {"text": "Members find it with / in the message box. Gaps to fill stand in double braces: {{customer}}."}

    def get_queryset(self, request: HttpRequest) -> QuerySet[SavedPrompt]:
        prompts: QuerySet[SavedPrompt] = super().get_queryset(request)
        return prompts.filter(owner=None)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, help_texts=self.help_texts, **kwargs)

    @display(description="text")
    def beginning(self, prompt: SavedPrompt) -> str:
        return Truncator(prompt.text).chars(80)


organization_site.register(SavedPrompt, SavedPromptAdmin)
