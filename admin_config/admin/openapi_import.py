"""The page that makes HTTP tools of an OpenAPI document: upload or paste it, review its operations, and tick those to import."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, gettext_lazy, ngettext
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminPasswordWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from admin_config.admin.base import PublishingAdmin, publish_after_save
from admin_config.errors import ReleaseInvalid, SettingsBusy
from admin_config.services.openapi.document import MAX_DOCUMENT_BYTES, OpenApiDocument, OpenApiInvalid, document_read
from admin_config.services.openapi.importing import SharedSecret, operations_import, taken_names
from admin_config.services.openapi.operations import Operation, authentication, operations
from security.egress import origin_of
from security.secrets.services import secret_check
from tenants.admin import actor_of
from tenants.errors import ParleyError

IMPORT = "admin_config_toolsource_openapi"


class DocumentForm(forms.Form):
    """The document as a file or as text, and where its API is if it does not say."""

    file = forms.FileField(label=gettext_lazy("OpenAPI document (JSON or YAML)"), required=False, widget=UnfoldAdminFileFieldWidget)
    document = forms.CharField(
        label=gettext_lazy("Or paste it here"),
        required=False,
        strip=False,  # the first line's indent is YAML's
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 10, "spellcheck": "false"}),
    )
    base_url = forms.CharField(
        label=gettext_lazy("Address of the API"),
        required=False,
        max_length=300,
        help_text=gettext_lazy("Blank: the first server that the document names."),
        widget=UnfoldAdminTextInputWidget,
    )

    def clean(self) -> dict[str, Any]:
        """Put the parsed document in place of its text."""
        cleaned = super().clean() or {}
        text = _file_text(cleaned["file"]) if cleaned.get("file") else cleaned.get("document", "")
        if not text.strip():
            raise ValidationError(gettext("Choose a file, or paste the document."))
        try:
            cleaned["parsed"] = document_read(text)
        except OpenApiInvalid as error:
            raise ValidationError(str(error)) from error
        return {**cleaned, "document": text}


class SecretForm(forms.Form):
    """What all imported tools send to authenticate."""

    secret_header = forms.CharField(
        label=gettext_lazy("Authentication header"), required=False, max_length=64, widget=UnfoldAdminTextInputWidget
    )
    secret_prefix = forms.CharField(label=gettext_lazy("Prefix"), required=False, max_length=40, widget=UnfoldAdminTextInputWidget)
    new_secret = forms.CharField(
        label=gettext_lazy("Secret"),
        required=False,
        max_length=4096,
        help_text=gettext_lazy(
            "Blank: enter it later on each tool's page. Until then the tool can't be called. Clear the header if the API needs no secret."
        ),
        widget=UnfoldAdminPasswordWidget(render_value=False, attrs={"autocomplete": "new-password", "spellcheck": "false"}),
    )

    def check_for(self, urls: Sequence[str]) -> bool:
        """Return whether the secret can be sent to all `urls`, which must be at one host; if not, say why at its field."""
        if not (value := self.cleaned_data["new_secret"]):
            return True
        if len({origin_of(url) for url in urls}) > 1:
            self.add_error("new_secret", gettext("The ticked operations are at several hosts. Import those of one host at a time."))
        try:
            secret_check(value=value, url=urls[0])
        except ParleyError as error:
            self.add_error("new_secret", str(error))
        if not self.cleaned_data["secret_header"]:
            self.add_error("secret_header", gettext("Name the header that takes the secret."))
        return not self.errors


class OpenApiImportAdmin(PublishingAdmin):
    """Base of the sources' admin class, with the page."""

    def get_urls(self) -> list[URLPattern]:
        return [path("openapi/", self.admin_site.admin_view(self.openapi_view), name=IMPORT), *super().get_urls()]

    def openapi_view(self, request: HttpRequest) -> HttpResponse:
        """Ask for the document, then show its operations, then make tools of those that are ticked."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = DocumentForm(request.POST, request.FILES) if request.method == "POST" else DocumentForm()
        if request.method != "POST" or not form.is_valid():
            return self._page(request, form)
        try:
            candidates = operations(form.cleaned_data["parsed"], base_url=form.cleaned_data["base_url"])
        except OpenApiInvalid as error:
            form.add_error(None, str(error))
            return self._page(request, form)
        if "import" not in request.POST:
            return self._preview(request, form, candidates, SecretForm(initial=_authentication(form.cleaned_data["parsed"])))
        return self._import(request, form, candidates)

    def _import(self, request: HttpRequest, form: DocumentForm, candidates: list[Operation]) -> HttpResponse:
        keys, secrets = set(request.POST.getlist("operation")), SecretForm(request.POST)
        selection = [operation for operation in candidates if operation.key in keys and not operation.problem]
        if not selection:
            messages.error(request, gettext("Choose at least one operation."))
        if not selection or not secrets.is_valid() or not secrets.check_for([operation.settings["url"] for operation in selection]):
            return self._preview(request, form, candidates, secrets)
        secret = SharedSecret(*(secrets.cleaned_data[name] for name in ("secret_header", "secret_prefix", "new_secret")))
        author_id = actor_of(request).user_id
        try:
            with transaction.atomic():
                sources = operations_import(selection, ask_keys=request.POST.getlist("ask"), secret=secret, author_id=author_id)
                publish_after_save(request)
        except (OpenApiInvalid, ReleaseInvalid, SettingsBusy) as error:
            messages.error(request, gettext("Not imported. %(error)s") % {"error": error})
            return self._preview(request, form, candidates, secrets)
        messages.success(
            request, ngettext("%(number)s tool imported.", "%(number)s tools imported.", len(sources)) % {"number": len(sources)}
        )
        return redirect(reverse("admin:admin_config_toolsource_changelist"))

    def _page(self, request: HttpRequest, form: DocumentForm) -> HttpResponse:
        return self._render(request, {"form": form, "most_mb": MAX_DOCUMENT_BYTES // 1024 // 1024})

    def _preview(self, request: HttpRequest, form: DocumentForm, candidates: list[Operation], secrets: SecretForm) -> HttpResponse:
        existing_names, post = taken_names(candidates), request.POST
        ask_keys = (
            set(post.getlist("ask")) if "import" in post else {operation.key for operation in candidates if operation.changes_something}
        )
        ticked_keys = set(post.getlist("operation"))
        lines = [(one, one.name in existing_names and not one.problem, one.key in ticked_keys, one.key in ask_keys) for one in candidates]
        hidden_fields = {name: form.cleaned_data[name] for name in ("document", "base_url")}
        return self._render(request, {"lines": lines, "form": secrets, "held": hidden_fields})

    def _render(self, request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
        page_context = {**self.admin_site.each_context(request), "opts": self.opts, "title": gettext("Import HTTP tools from OpenAPI")}
        return TemplateResponse(request, "admin/tools/openapi_import.html", {**page_context, **context})


def _file_text(file: Any) -> str:
    if file.size > MAX_DOCUMENT_BYTES:
        raise ValidationError(gettext("The document is larger than 1 MB. Take out what you don't need."))
    try:
        text: str = file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValidationError(gettext("The file is no text in UTF-8.")) from error
    return text


def _authentication(document: OpenApiDocument) -> dict[str, str]:
    header, prefix = authentication(document)
    return {"secret_header": header, "secret_prefix": prefix}
