"""Pages that change the whole draft: discarding it, and loading a release into it. Views of ReleaseAdmin."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext

from admin_config.admin.publish_page import LIST_PAGE, PublishPage
from admin_config.models import Release
from admin_config.release import ReleaseSnapshot
from admin_config.services.changes.change_groups import change_groups
from admin_config.services.changes.diff import release_diff
from admin_config.services.changes.draft_authors import draft_authors, draft_changes
from admin_config.services.discarding.discard import draft_discard, unpublished_draft
from admin_config.services.discarding.loading import others_in_draft, release_load_into_draft, unpublished_by
from admin_config.services.drafts.draft import draft_compose, draft_load
from admin_config.services.drafts.draft_hashes import rows_hash
from tenants.admin import actor_of
from tenants.errors import ParleyError


class DraftPages(PublishPage):
    """Each page shows what would change; a POST does it."""

    def discard_view(self, request: HttpRequest) -> HttpResponse:
        """Show what would be thrown away; a POST throws it away."""
        if request.method == "POST":
            return self._discard(request)
        draft = unpublished_draft()
        if draft is None:
            messages.info(request, gettext("There is nothing to discard: only keys differ from the live release, or nothing."))
            return redirect(reverse(LIST_PAGE))
        context = {
            "opts": self.opts,
            "title": gettext("Discard the draft?"),
            "unpublished": draft,
            "groups": change_groups(draft.discarded_changes),
            "authors": draft_authors(draft_changes()),
        }
        return TemplateResponse(request, "admin/releases/release_discard.html", {**self.admin_site.each_context(request), **context})

    def _discard(self, request: HttpRequest) -> HttpResponse:
        actor = actor_of(request)
        try:
            result = draft_discard(
                organization_id=actor.organization_id, expected_hash=request.POST.get("seen", ""), author_id=actor.user_id
            )
        except ParleyError as error:
            messages.error(request, gettext("Not discarded. %(error)s") % {"error": error})
            return redirect(reverse(LIST_PAGE))
        messages.success(
            request,
            gettext("The draft is discarded. It has the content of release %(number)s again.") % {"number": result.release.number},
        )
        if result.keys_needed:
            messages.warning(
                request,
                gettext("These need their key or secret again: %(keys_needed)s.") % {"keys_needed": ", ".join(result.keys_needed)},
            )
        return redirect(reverse(LIST_PAGE))

    def load_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Show what loading the release would change in the draft, and offer it when it changes something; a POST loads it."""
        release = Release.objects.filter(id=object_id, is_trial=False).first()
        if release is None:
            raise Http404
        if request.method == "POST":
            return self._load(request, release)
        rows = draft_load()
        draft, others = draft_compose(rows), others_in_draft(actor_of(request).user_id)
        context = {
            "opts": self.opts,
            "title": gettext("Load release %(number)s into the draft?") % {"number": release.number},
            "release": release,
            "groups": change_groups(release_diff(draft, release_snapshot(release))),
            "is_same": draft.content_hash() == release.content_hash,
            "seen": rows_hash(rows),
            "overwrites": unpublished_draft() is not None,
            "refusal": unpublished_by(others) if others else "",
            "back": _page_before(request),
        }
        return TemplateResponse(request, "admin/releases/release_load.html", {**self.admin_site.each_context(request), **context})

    def _load(self, request: HttpRequest, release: Release) -> HttpResponse:
        actor, expected_hash = actor_of(request), request.POST.get("seen", "")
        try:
            release_load_into_draft(
                organization_id=actor.organization_id, release_id=release.id, expected_hash=expected_hash, author_id=actor.user_id
            )
        except ParleyError as error:
            messages.error(request, gettext("Not loaded. %(error)s") % {"error": error})
        else:
            messages.success(
                request,
                gettext("The draft has the content of release %(number)s. Nothing changed for your users yet.")
                % {"number": release.number},
            )
        return redirect(_page_before(request))


def _page_before(request: HttpRequest) -> str:
    """Return the address of the agent's history from which a release is loaded, or else of the releases."""
    agent = request.GET.get("agent", "")
    try:
        return reverse("admin:admin_config_agentconfig_change", args=[UUID(agent)]) + "#history"
    except ValueError:
        return reverse(LIST_PAGE)


def release_snapshot(release: Release) -> ReleaseSnapshot:
    """Return the typed content of a release."""
    return ReleaseSnapshot.model_validate(release.content)
