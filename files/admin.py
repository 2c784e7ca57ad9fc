"""Admin page of knowledge files on an organization's site: upload, view and delete (SPEC 4.10)."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib.admin import display
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminTextInputWidget

from admin_config.admin.base import TenantModelAdmin, badge
from admin_config.admin.sites import organization_site
from admin_config.forms.base import TenantForm
from admin_config.models import ToolSource
from files.api.uploads import REJECTION_KEY
from files.knowledge.models import FOLDER_KIND, KnowledgeFile
from files.knowledge.paths import knowledge_path
from files.knowledge.services import knowledge_bytes_remove, knowledge_file_row, knowledge_file_save
from tenants.errors import ParleyError

MAX_PREVIEW_CHARS = 3000
STATE_COLORS = {
    KnowledgeFile.State.READY.value: "success",
    KnowledgeFile.State.PENDING.value: "info",
    KnowledgeFile.State.FAILED.value: "danger",
}


class UploadForm(TenantForm[KnowledgeFile]):
    """Form that uploads one knowledge file."""

    rejection: ClassVar[str] = ""  # why the upload was ended before it was complete
    folder = forms.CharField(
        required=False,
        max_length=200,
        label=gettext_lazy("Place in the folder"),
        help_text=gettext_lazy("Blank: at the top. Names with slashes between them, such as guides/2026."),
        widget=UnfoldAdminTextInputWidget,
    )
    upload = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy("Text or code in UTF-8, UTF-16 or Windows-1252, PDF, Word, Excel or PowerPoint. Agents get its text."),
        widget=UnfoldAdminFileFieldWidget,
        required=False,
    )

    class Meta:
        model = KnowledgeFile
        fields = ("source",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["source"]
        field.queryset = ToolSource.objects.filter(kind=FOLDER_KIND)
        field.help_text = gettext("Folders are made under Tools, as knowledge files.")

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        upload, source = self.cleaned_data.get("upload"), self.cleaned_data.get("source")
        if self.rejection or not upload:
            self.add_error("upload", self.rejection or gettext("Choose a file."))
        elif source is not None:
            self._read_upload(source, upload)
        return cleaned

    def _read_upload(self, source: ToolSource, upload: Any) -> None:
        """Make the file's row and keep its bytes until the form is saved."""
        try:
            path = knowledge_path(self.cleaned_data.get("folder") or "", upload.name)
            self.content = upload.read()
            self.instance = knowledge_file_row(source=source, path=path, content=self.content)
        except ParleyError as error:
            self.add_error("upload", str(error))
            return
        if KnowledgeFile.objects.filter(source=source, path=path).exists():
            self.add_error("upload", gettext("%(path)s is there already. Delete it first.") % {"path": path})


class KnowledgeFileAdmin(TenantModelAdmin):
    """The knowledge files of an organization. Agents can use an upload at once, because files are not part of a release."""

    empty_hint = gettext_lazy("Files go into a folder, which you make under Tools. Agents that have the folder as a tool search its files.")
    form = UploadForm
    list_display = ("path", "source_name", "state_label", "size", "created_at")
    list_filter = ("source", "state")
    search_fields = ("path",)
    ordering = ("source__name", "path")
    list_select_related = ("source",)
    sortable_by = ()

    def get_fields(self, request: HttpRequest, obj: KnowledgeFile | None = None) -> tuple[str, ...]:
        if obj is None:
            return ("source", "folder", "upload")
        return ("path", "source_name", "media_type", "size", "state_label", "reason", "created_at", "shown_text")

    def get_form(self, request: HttpRequest, obj: KnowledgeFile | None = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is not None:
            return super().get_form(request, obj, change, fields=(), form=forms.ModelForm)
        rejection = request.META.get(REJECTION_KEY)
        kwargs["form"] = type("RefusedForm", (UploadForm,), {"rejection": str(rejection)}) if rejection else UploadForm
        return super().get_form(request, obj, change, **kwargs)

    def get_queryset(self, request: HttpRequest) -> QuerySet[KnowledgeFile]:
        files: QuerySet[KnowledgeFile] = super().get_queryset(request)
        return files.filter(project_id=None).defer("text")  # those of members' projects are theirs alone

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Refuse: a file is replaced, not changed, so that what agents have read of it stays true."""
        return False

    def save_model(self, request: HttpRequest, obj: KnowledgeFile, form: UploadForm, change: bool) -> None:
        knowledge_file_save(obj, form.content)

    def delete_model(self, request: HttpRequest, obj: KnowledgeFile) -> None:
        knowledge_bytes_remove(KnowledgeFile.objects.filter(pk=obj.pk))
        super().delete_model(request, obj)

    @display(description=gettext_lazy("folder"))
    def source_name(self, file: KnowledgeFile) -> str:
        return file.source.name if file.source else ""

    @badge(gettext_lazy("state"), STATE_COLORS)
    def state_label(self, file: KnowledgeFile) -> tuple[str, str]:
        return file.state, str(file.get_state_display())

    @display(description=gettext_lazy("size"))
    def size(self, file: KnowledgeFile) -> str:
        return filesizeformat(file.size_bytes)

    @display(description=gettext_lazy("what agents read"))
    def shown_text(self, file: KnowledgeFile) -> str:
        return file.text[:MAX_PREVIEW_CHARS] + ("\u2026" if len(file.text) > MAX_PREVIEW_CHARS else "")


organization_site.register(KnowledgeFile, KnowledgeFileAdmin)
