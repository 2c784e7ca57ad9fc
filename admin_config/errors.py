"""Errors of an organization's configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext_lazy

from tenants.errors import RETRY_HEADERS, ParleyError


@dataclass(frozen=True)
class Problem:
    """One reason why the draft can't be published."""

    text: str
    row_id: UUID | None = None  # the working row; None when the problem lies between rows
    field: str = ""  # the row's field; empty when the problem lies between rows


class ReleaseInvalid(ParleyError):
    """The draft has problems, so nothing was published."""

    code = "release_invalid"
    status = 400
    message = gettext_lazy("The configuration can't be published.")

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(" ".join(problem.text for problem in problems))
        self.problems = tuple(problems)


class PublishBlocked(ReleaseInvalid):
    """The draft could work, but it does not go live: checks failed or have not run, or a canary is under way."""

    code = "publish_blocked"
    status = 409

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__([Problem(reason) for reason in reasons])


class DraftNotRestored(ParleyError):
    """The live release can't be written back into the draft, so nothing was changed. The message names the fields."""

    code = "draft_not_restored"
    status = 409


class SettingsBusy(ParleyError):
    """Somebody else writes the organization's configuration, for longer than the database waits for a lock. Nothing was changed."""

    code = "settings_busy"
    status = 503
    message = gettext_lazy("Another admin is saving or publishing just now, so nothing of yours was saved. Save again in a moment.")
    action = "retry"
    headers = RETRY_HEADERS


class ModelNotListed(ParleyError):
    """The price list has no such model, or the organization has it already."""

    code = "model_not_listed"
    status = 404
    message = gettext_lazy("The price list has no such model.")


class RunConfigError(ParleyError):
    """A run can't start with this release. `str(error)` is a sentence for the user."""

    code = "not_configured"
    status = 409
    message = gettext_lazy("This organization's configuration is not complete.")
    action: str | None = "settings"


class NothingPublished(RunConfigError):
    message = gettext_lazy("This organization has no published configuration yet.")


class AgentNotConfigured(RunConfigError):
    code = "agent_not_configured"


class ModelNotConfigured(RunConfigError):
    code = "model_not_configured"


class AssistantUnavailable(RunConfigError):
    """The assistant was withdrawn, or this member may not use it; both look the same."""

    code = "assistant_unavailable"
    message = gettext_lazy("This assistant is not available to you any more. Choose who should answer, then send your message again.")
    action: str | None = None


class EndpointNotConfigured(RunConfigError):
    code = "endpoint_not_configured"
