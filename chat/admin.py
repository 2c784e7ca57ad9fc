"""Admin pages of runs, of the members' feedback on answers (SPEC 6.2) and of the organization's prompts (SPEC 6.4)."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.admin import display
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.text import Truncator

from admin_config.admin.base import TenantModelAdmin
from admin_config.admin.sites import organization_site
from chat.explorer.admin import RunAdmin
from chat.feedback.admin import FeedbackAdmin
from chat.feedback.selectors import unseen_count
from chat.models import MessageFeedback, Run, SavedPrompt
from chat.overview.page import activity_context

organization_site.register(MessageFeedback, FeedbackAdmin)
organization_site.register(Run, RunAdmin)
organization_site.overview_parts.append(activity_context)
organization_site.badges["chat_messagefeedback_changelist"] = unseen_count


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
