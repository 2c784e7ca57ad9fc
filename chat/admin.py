"""Admin pages of runs, and of the members' feedback on answers (SPEC 6.2)."""

from __future__ import annotations

from django.contrib.admin import display

from admin_config.admin.base import ReadOnly, TenantModelAdmin, badge
from admin_config.admin.sites import organization_site
from chat.explorer.admin import RunAdmin
from chat.models import MessageFeedback, Run

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
