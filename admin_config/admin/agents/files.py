"""Agents and tool sources as a file: download, and taking over with a look at what it changes (SPEC 4.13)."""

from __future__ import annotations

from django.contrib import messages
from django.forms import Widget
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from unfold.widgets import UnfoldAdminFileFieldWidget

from admin_config.admin.base import PublishingAdmin, draft_lock_for
from admin_config.agent_files.content import MAX_FILE_BYTES
from admin_config.agent_files.exporting import agents_export
from admin_config.agent_files.importing import agents_import, agents_import_preview
from admin_config.agent_files.rows import AgentFileInvalid
from admin_config.errors import SettingsBusy
from admin_config.services.changes.change_groups import change_groups
from tenants.admin import actor_of


class AgentFilePage(PublishingAdmin):
    """Adds the two pages to the list of agents."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("file/", view(self.file_view), name="admin_config_agentconfig_file"),
            path("file/agents.yaml", view(self.download_view), name="admin_config_agentconfig_download"),
            *super().get_urls(),
        ]

    def download_view(self, request: HttpRequest) -> HttpResponse:
        """Send the organization's agents and tool sources as YAML, without secrets."""
        if request.method != "GET" or not self.has_change_permission(request):
            raise Http404
        slug = actor_of(request).organization_slug
        headers = {"Content-Disposition": f'attachment; filename="agents-{slug}.yaml"'}
        return HttpResponse(agents_export(), content_type="application/yaml; charset=utf-8", headers=headers)

    def file_view(self, request: HttpRequest) -> HttpResponse:
        """Show what a file would change; taking it over asks for the same file again, which the page holds."""
        if not self.has_change_permission(request):
            raise Http404
        text, problems, groups = "", list[str](), None
        if request.method == "POST":
            try:
                text = _text_of(request)
                draft_lock_for(request)
                changes = agents_import_preview(text)
                if changes and request.POST.get("step") == "take":
                    return self._take_over(request, text)
                groups = change_groups(changes)
            except SettingsBusy as error:
                messages.error(request, str(error))
            except AgentFileInvalid as error:
                problems = str(error).splitlines()
        context = {
            "opts": self.opts,
            "title": gettext("Agents as a file"),
            "text": text,
            "problems": problems,
            "groups": groups,
            "file_field": _file_field(),
        }
        return TemplateResponse(request, "admin/agents/agents_file.html", {**self.admin_site.each_context(request), **context})

    def _take_over(self, request: HttpRequest, text: str) -> HttpResponse:
        number = agents_import(text, author_id=actor_of(request).user_id)
        if number is None:
            messages.info(request, gettext("The file is in the draft. It goes live when you publish it on the releases page."))
        else:
            messages.success(request, gettext("The file is taken over. Release %(number)s is live.") % {"number": number})
        return redirect(reverse("admin:admin_config_agentconfig_changelist"))


def _file_field() -> SafeString:
    widget: Widget = UnfoldAdminFileFieldWidget()
    return widget.render("file", None, {"id": "agents-file", "accept": ".yaml,.yml"})


def _text_of(request: HttpRequest) -> str:
    """Return the uploaded file's text, or else what stands in the page. Raises AgentFileInvalid."""
    upload = request.FILES.get("file")
    if upload is None:
        return request.POST.get("text", "").replace("\r\n", "\n")
    if (upload.size or 0) > MAX_FILE_BYTES:
        raise AgentFileInvalid(
            gettext("The file is larger than %(max_file_bytes)s MB.") % {"max_file_bytes": MAX_FILE_BYTES // 1024 // 1024}
        )
    content: bytes = upload.read()
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise AgentFileInvalid(gettext("The file is not written in UTF-8.")) from error
