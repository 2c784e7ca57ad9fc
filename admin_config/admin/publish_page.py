"""The publish page: what changes, whether it may go live, who gets it. Views of ReleaseAdmin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext

from admin_config.admin.base import TenantModelAdmin
from admin_config.admin.publish_changes import fitting_tokens, left_out_tokens, publish_address, shown_changes, typed_values
from admin_config.errors import ReleaseInvalid, SettingsBusy
from admin_config.models import Release, ScheduledRelease
from admin_config.models.releases import MAX_NOTE_CHARS
from admin_config.release import ReleaseSnapshot
from admin_config.services.canary.lifecycle import Audience, canary_start, open_canary
from admin_config.services.changes.draft_authors import draft_changes
from admin_config.services.configuration import live_in_place_of, release_publish
from admin_config.services.discarding.partial_release import PartialDraft, draft_without, partial_draft
from admin_config.services.editors import other_editors
from admin_config.services.scheduling import open_schedule, release_schedule, schedule_cancel, schedule_publish
from tenants.admin import actor_of
from tenants.errors import BadRequest, Conflict, ParleyError
from tenants.models import MemberGroup, Membership

MAX_REASON_CHARS = 300
LIST_PAGE = "admin:admin_config_release_changelist"

Part = Callable[[HttpRequest, ReleaseSnapshot], dict[str, Any]]


class PublishPage(TenantModelAdmin):
    """Mixin of the admin class of releases."""

    # What apps above add to the page's context, such as checks; and the rules of a canary, from the form.
    publish_parts: ClassVar[list[Part]] = []
    canary_rules: ClassVar[list[Callable[[HttpRequest], dict[str, Any]]]] = []

    def publish_view(self, request: HttpRequest) -> HttpResponse:
        """Show what would go live; a POST publishes it, to everyone or to some members first."""
        if not actor_of(request).can_administer:
            raise Http404
        if request.method == "POST":
            return self._publish(request)
        return self._page(request)

    def _page(self, request: HttpRequest, previous_values: Mapping[str, str] | None = None) -> HttpResponse:
        tokens, form_values = left_out_tokens(request), previous_values or request.GET.dict()
        try:
            draft = partial_draft(tokens)
        except (BadRequest, Conflict) as error:
            if "part" not in request.GET:
                messages.error(request, str(error))
                return redirect(
                    publish_address(fitting_tokens(request, tokens) if isinstance(error, BadRequest) else (), form_values=form_values)
                )
            tokens, draft = [], partial_draft(())
        except SettingsBusy:
            if "part" in request.GET:  # the page's script tries again
                raise
            messages.error(request, gettext("Another admin is saving just now. Open this page again in a moment."))
            return self._busy_page(request, tokens, form_values)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": gettext("Publish"),
            **self._state(request, draft),
            "tokens": tokens,
            "review_again": publish_address(tokens),
        }
        if "part" in request.GET:  # what the page's script renews
            return TemplateResponse(request, "admin/releases/publish_state.html", context)
        if not draft.differs:
            messages.info(request, gettext("There is nothing to publish: the draft is what is live."))
            return redirect(reverse(LIST_PAGE))
        own = {
            "draft": draft,
            **shown_changes(draft, tokens),
            "opened": timezone.now().isoformat(),
            "member_groups": MemberGroup.objects.all(),
            "kept": form_values,
        }
        return TemplateResponse(request, "admin/releases/publish.html", {**context, **own})

    def _busy_page(self, request: HttpRequest, tokens: Sequence[str], form_values: Mapping[str, str]) -> HttpResponse:
        """Return a page that keeps what was left out and typed. What would go live is not known while somebody else has the lock."""
        hidden = [("without", token) for token in tokens]
        if fitting_count := form_values.get("fitting"):
            hidden.append(("fitting", fitting_count))
        values = typed_values(form_values)
        note = values.pop("note", "")
        context = {"opts": self.opts, "title": gettext("Publish"), "hidden": [*hidden, *values.items()], "note": note}
        return TemplateResponse(request, "admin/releases/publish_busy.html", {**self.admin_site.each_context(request), **context})

    def _state(self, request: HttpRequest, draft: PartialDraft) -> dict[str, Any]:
        """Return whether what was chosen may go live, and who changed the draft since the page was opened."""
        reviewed_hashes = request.GET.get("seen") or request.POST.get("seen") or draft.hashes
        context: dict[str, Any] = {
            "seen": reviewed_hashes,
            "news": _changes_since(request.GET.get("opened", "")) if reviewed_hashes != draft.hashes else None,
            "is_changed": reviewed_hashes != draft.hashes,
            "is_nothing": not draft.changes and bool(draft.left_out),
            "canary": open_canary(),
            "schedule": open_schedule(),
            "editors": other_editors(actor_of(request)),
            "is_owner": actor_of(request).role == Membership.Role.OWNER,
            "owners": _owner_names(),
        }
        for part in self.publish_parts:
            context |= part(request, draft.candidate.snapshot)
        return context

    def _publish(self, request: HttpRequest) -> HttpResponse:
        form_values = {name: value for name, value in request.POST.items() if isinstance(value, str)}
        try:
            return self._publish_to_audience(request)
        except ReleaseInvalid as error:
            messages.error(request, gettext("Not published. %(error)s") % {"error": error})
        except Conflict:
            messages.error(
                request,
                gettext("Not published: the draft changed while you looked at it. %(last_change)sReview it, then publish.")
                % {"last_change": _last_change()},
            )
        except ParleyError as error:
            messages.error(request, gettext("Not published. %(error)s") % {"error": error})
            if isinstance(error, SettingsBusy) and (tokens := left_out_tokens(request)):
                return self._busy_page(request, tokens, form_values)  # the whole page would wait for the lock again
        return self._page(request, previous_values=form_values)

    def _publish_to_audience(self, request: HttpRequest) -> HttpResponse:
        """Publish to whom the form says, and show what came of it. Raises what the services of releases raise, and BadRequest."""
        review = _reviewed_draft(request)
        match request.POST.get("audience", "all"):
            case "all":
                release = release_publish(**review)
                messages.success(request, gettext("%(release)s is live.") % {"release": release})
            case "later":
                schedule = release_schedule(publish_at=_time(request.POST.get("publish_at", "")), **review)
                messages.success(
                    request,
                    gettext("Release %(number)s goes live on %(time_words)s.")
                    % {"number": schedule.release.number, "time_words": _time_words(schedule.publish_at)},
                )
            case _:
                canary = canary_start(audience=self._audience(request), **review)
                messages.success(
                    request,
                    gettext("Release %(number)s goes to %(audience)s. All others stay on the live release.")
                    % {"number": canary.release.number, "audience": canary.audience},
                )
                return redirect(reverse("admin:admin_config_canary_change", args=[canary.pk]))
        return redirect(reverse(LIST_PAGE))

    def schedule_publish_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Publish a scheduled release before its time."""
        return self._end_schedule(request, object_id, schedule_publish, live_message)

    def schedule_cancel_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        return self._end_schedule(request, object_id, schedule_cancel, _cancelled_message)

    def _end_schedule(
        self, request: HttpRequest, object_id: UUID, end: Callable[..., ScheduledRelease], words: Callable[[Release], str]
    ) -> HttpResponse:
        if request.method != "POST" or not actor_of(request).can_administer:
            raise Http404
        try:
            schedule = end(schedule_id=object_id, author_id=actor_of(request).user_id)
        except ScheduledRelease.DoesNotExist as error:
            raise Http404 from error
        except ParleyError as error:
            messages.error(request, gettext("Nothing was done. %(error)s") % {"error": error})
        else:
            messages.success(request, words(schedule.release))
        return redirect(reverse(LIST_PAGE))

    def _audience(self, request: HttpRequest) -> Audience:
        """Return who gets the canary, by the form. Raises BadRequest."""
        rules: dict[str, Any] = {}
        for read_rules in self.canary_rules:
            rules |= read_rules(request)
        return audience_of(request, rules)


def audience_of(request: HttpRequest, rules: dict[str, Any]) -> Audience:
    """Return who a form gives the canary to. Raises BadRequest."""
    post = request.POST
    try:
        if post.get("audience") == "group":
            return Audience(group_id=UUID(post.get("group", "")), rules=rules)
        return Audience(percent=int(post.get("percent", "")), rules=rules)
    except ValueError as error:
        raise BadRequest(gettext("Choose a share of the members, or a group.")) from error


def live_message(release: Release) -> str:
    """Return that a stored release is live for everyone, under the number that it has now."""
    live = live_in_place_of(release)
    if live.pk == release.pk:
        return gettext("Release %(number)d is live for everyone.") % {"number": release.number}
    numbers = {"number": live.number, "stored": release.number}
    return gettext("Release %(number)d is live for everyone: it is release %(stored)d with the keys of today.") % numbers


def _cancelled_message(release: Release) -> str:
    return gettext("Release %(number)d is cancelled. Its changes are still in the draft.") % {"number": release.number}


def _time(text: str) -> datetime:
    """Return the time of a form's field, which is in UTC. Raises BadRequest."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError as error:
        raise BadRequest(gettext("Choose a day and a time.")) from error


def _time_words(at: datetime) -> str:
    return f"{at:%-d %B, %H:%M} UTC"


def _override(request: HttpRequest) -> str:
    """Return an owner's reason for publishing in spite of the checks. Raises BadRequest for others, and without a reason."""
    if "override" not in request.POST:
        return ""
    reason = request.POST.get("override_reason", "").strip()[:MAX_REASON_CHARS]
    if actor_of(request).role != Membership.Role.OWNER:
        raise BadRequest(gettext("Only an owner can override the checks."))
    if not reason:
        raise BadRequest(gettext("Write why the checks are overridden. It goes to the audit log."))
    return reason


def _reviewed_draft(request: HttpRequest) -> dict[str, Any]:
    """Return what each way to publish is given: who publishes, the note, and what was seen and left out. Raises BadRequest."""
    actor, post = actor_of(request), request.POST
    note = post.get("note", "").strip()[:MAX_NOTE_CHARS]
    if not note:
        raise BadRequest(gettext("Write first what changes for members."))
    draft_hash, _, candidate_hash = post.get("seen", "").partition("_")
    return {
        "organization_id": actor.organization_id,
        "author_id": actor.user_id,
        "note": note,
        "expected_hash": draft_hash,
        "override": _override(request),
        "choose": draft_without(left_out_tokens(request), candidate_hash),
    }


def _changes_since(opened_at: str) -> dict[str, Any] | None:
    """Return who changed how many things since the page was opened; None when it was not an edit, such as a discarded draft."""
    since = parse_datetime(opened_at) if opened_at else None
    changes = [change for change in draft_changes() if since is None or change.at > since]
    if not changes:
        return None
    names = list(dict.fromkeys(change.who for change in changes))
    return {
        "who": gettext("%(one)s and %(other)s") % {"one": names[0], "other": names[1]}
        if len(names) == 2
        else names[0]
        if len(names) == 1
        else gettext("Several people"),
        "count": len({change.object_id for change in changes}),
    }


def _last_change() -> str:
    newest = next(iter(draft_changes()), None)
    return f"{newest.who} {newest.what}. " if newest else ""


def _owner_names() -> list[str]:
    owners = Membership.objects.filter(role=Membership.Role.OWNER, is_active=True).select_related("user")[:3]
    return [str(owner.user) for owner in owners]
