"""Admin page of templates: the list with what waits for review first, the review of one, and the form of the organization's own."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.admin import display
from django.db.models import Case, F, OuterRef, QuerySet, Subquery, When
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, get_script_prefix, path
from django.utils.translation import gettext, gettext_lazy

from admin_config.admin.base import ServicePage, badge
from artifacts.text.diffs import diff
from gallery.admin.forms import TemplateForm
from gallery.models import Template, TemplateKind, TemplateState, TemplateVersion
from gallery.placeholders import Placeholder
from gallery.reviews import review_approve, review_send_back, review_withdraw
from gallery.services import template_change, template_create, template_delete, template_submit
from tenants.admin import actor_of
from tenants.errors import BadRequest, NotFound
from tenants.localization.language import date_in_words

LIST, PAGE = "admin:gallery_template_changelist", "admin:gallery_template_change"


class TemplateAdmin(ServicePage):
    """What members published or submitted, and the organization's own templates. What is private is their owners' alone."""

    form = TemplateForm
    list_before_template = "admin/sharing/templates_intro.html"
    list_display = ("title", "kind_label", "category", "author", "state_label", "uses", "changed")
    search_fields = ("versions__title", "versions__category")
    sortable_by = ()

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.decide_view)
        return [path("<uuid:object_id>/decide/", view, name="gallery_template_decide"), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Template]:
        """Each with the texts of the version that it is about: the one that waits, else the published one, else the newest of the organization's own."""
        rows: QuerySet[Template] = super().get_queryset(request)
        about = Coalesce("review_number", "published_number", Case(When(owner=None, then=F("latest_number"))))
        rows = rows.annotate(about=about).exclude(about=None).select_related("owner__user", "reviewer__user")
        version = TemplateVersion.objects.filter(template=OuterRef("pk"), number=OuterRef("about"))
        title, category, created_at = (Subquery(version.values(name)[:1]) for name in ("title", "category", "created_at"))
        rows = rows.annotate(about_title=title, about_category=category, about_created_at=created_at)
        return rows.order_by(Case(When(review_number=None, then=1), default=0), "-about_created_at", "pk")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        response: HttpResponse = super().changelist_view(request, {"gallery_url": _gallery_url(), **(extra_context or {})})
        return response

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A template is withdrawn here; the organization's own can then be deleted."""
        return super().has_delete_permission(request, obj) and obj is not None and obj.owner_id is None and obj.published_number is None

    def get_fields(self, request: HttpRequest, obj: Template | None = None) -> tuple[str, ...]:
        return (*(("kind",) if obj is None else ()), "title", "description", "category", "body")

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Show the template as members see it and what differs from the published version; with ?edit=1 the form of one of the organization's."""
        template = self.get_object(request, object_id)
        if template is None:
            return redirect(LIST)
        if template.owner_id is None and (request.method == "POST" or "edit" in request.GET):
            response: HttpResponse = super().change_view(request, object_id, form_url, extra_context)
            return response
        if request.method == "POST":
            raise Http404
        return self.render_page(request, "admin/sharing/template_review.html", template.about_title, **_review_context(template))

    def decide_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        if request.method != "POST":
            raise Http404
        try:
            messages.success(request, _decide(request, object_id))
        except NotFound as error:
            raise Http404 from error
        except BadRequest as error:
            messages.error(request, error.message)
            return redirect(PAGE, object_id)
        return redirect(LIST)

    def save_model(self, request: HttpRequest, obj: Template, form: TemplateForm, change: bool) -> None:
        """Publish at once, as admins may."""
        actor = actor_of(request)
        if change:
            version = template_change(actor=actor, template_id=obj.pk, text=form.text())
        else:
            version = template_create(actor=actor, kind=TemplateKind(form.cleaned_data["kind"]), text=form.text(), owner_id=None)
        template = template_submit(actor=actor, template_id=version.template_id)
        obj.pk, obj.latest_number = template.pk, template.latest_number

    def delete_model(self, request: HttpRequest, obj: Template) -> None:
        template_delete(actor=actor_of(request), template_id=obj.pk)

    @display(description=gettext_lazy("template"))
    def title(self, template: Any) -> str:
        return str(template.about_title)

    @display(description=gettext_lazy("kind"))
    def kind_label(self, template: Template) -> str:
        return str(TemplateKind(template.kind).label)

    @display(description=gettext_lazy("category"))
    def category(self, template: Any) -> str:
        return template.about_category or gettext("None")

    @display(description=gettext_lazy("by"))
    def author(self, template: Template) -> str:
        return str(template.owner.user) if template.owner else gettext("The organization")

    @badge(gettext_lazy("state"), {TemplateState.IN_REVIEW.value: "warning", TemplateState.PUBLISHED.value: "success"})
    def state_label(self, template: Template) -> tuple[str, str]:
        if template.state == TemplateState.IN_REVIEW and template.published_number is not None:
            return template.state, gettext("In review: a new version")
        return template.state, str(TemplateState(template.state).label)

    @display(description=gettext_lazy("changed"))
    def changed(self, template: Any) -> str:
        return date_in_words(template.about_created_at, "j M Y, H:i")


def _decide(request: HttpRequest, template_id: UUID) -> str:
    """Carry out a button of the page and return what was done. Raises NotFound, BadRequest, NotAllowed."""
    actor, post = actor_of(request), request.POST
    number = int(post["number"]) if post.get("number", "").isdecimal() else 0
    match post.get("action"):
        case "approve":
            review_approve(actor=actor, template_id=template_id, number=number)
            return gettext("Published. Everybody in the organization can use it now.")
        case "send_back":
            review_send_back(actor=actor, template_id=template_id, number=number, reason=post.get("reason", ""))
            return gettext("Sent back. Its author sees the reason on the Templates page.")
        case "withdraw":
            review_withdraw(actor=actor, template_id=template_id)
            return gettext("Withdrawn. Its owner still has it.")
    raise BadRequest(gettext("Choose what to do with the template."))


def _review_context(template: Any) -> dict[str, Any]:
    numbers = {template.about, template.published_number}
    versions = {version.number: version for version in template.versions.filter(number__in=numbers - {None}).select_related("author__user")}
    about, published_version = versions[template.about], versions.get(template.published_number)
    differs = published_version is not None and published_version.number != about.number
    return {
        "reviewed": template,
        "kind": TemplateKind(template.kind).label,
        "version": about,
        "placeholders": _placeholder_lines(about).splitlines(),
        "published": published_version,
        "changes": _changes(published_version, about) if published_version and differs else None,
        "is_own": template.owner_id is None,
        "gallery_url": _gallery_url(),
    }


def _gallery_url() -> str:
    """The admin site is mounted below the organization's address, at which the chat page is."""
    return f"{get_script_prefix()}templates/"


def _changes(before: TemplateVersion, after: TemplateVersion) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return what differs, by heading, as lines of the classes of the page's diffs."""
    parts = (
        (gettext("Title, description, category"), _head(before), _head(after)),
        (gettext("Text"), before.body, after.body),
        (gettext("Placeholders"), _placeholder_lines(before), _placeholder_lines(after)),
    )
    return [(heading, _lines(old, new)) for heading, old, new in parts if old != new]


def _head(version: TemplateVersion) -> str:
    return f"{version.title}\n{version.description}\n{version.category}"


def _placeholder_lines(version: TemplateVersion) -> str:
    return "\n".join(map(_placeholder_text, map(Placeholder.model_validate, version.placeholders)))


def _placeholder_text(placeholder: Placeholder) -> str:
    """Return how a placeholder is asked for, on one line."""
    kind = placeholder.kind.replace("_", " ")
    facts = [kind if placeholder.kind != "choice" else gettext("choice of %(choices)s") % {"choices": ", ".join(placeholder.choices)}]
    facts += ["required"] * placeholder.required + (
        [gettext("default “%(default)s”") % {"default": placeholder.default}] if placeholder.default else []
    )
    return f"{placeholder.shown_label}: {', '.join(facts)}"


def _lines(old: str, new: str) -> list[tuple[str, str]]:
    classes = {"+": "added", "-": "removed", " ": "same"}
    return [(classes[line.op], line.text) for hunk in diff(old, new).hunks for line in hunk.lines]
