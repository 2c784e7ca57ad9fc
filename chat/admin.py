"""Registers the admin pages of the rooms here: feedback, operations with the explorer, and the activity on the overview (SPEC 6.2, 8.7)."""

from __future__ import annotations

from admin_config.admin.sites import operator_site, organization_site
from chat.feedback.admin import FeedbackAdmin
from chat.feedback.selectors import unseen_count
from chat.models import MessageFeedback, Run
from chat.operations.admin import OperationsAdmin, PlatformOperationsAdmin
from chat.overview.page import activity_context

organization_site.register(MessageFeedback, FeedbackAdmin)
organization_site.register(Run, OperationsAdmin)
operator_site.register(Run, PlatformOperationsAdmin)
organization_site.overview_parts.append(activity_context)
organization_site.badges["chat_messagefeedback_changelist"] = unseen_count
