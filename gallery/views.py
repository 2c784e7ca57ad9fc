"""REST views of templates (docs/protocol.md)."""

from __future__ import annotations

from uuid import UUID

from rest_framework.response import Response

from gallery.selectors import template_detail, template_page
from gallery.services import template_change, template_create, template_delete, template_fill, template_submit, template_withdraw
from gallery.shapes import (
    FilledTemplate,
    NewTemplate,
    TemplateDetail,
    TemplatePage,
    TemplateQuery,
    TemplatesQuery,
    TemplateText,
    TemplateValues,
)
from tenants.context import tenant_tx
from tenants.rest.schemas import operation
from tenants.rest.views import ActorRequest, RestView

TAG = "templates"


class TemplatesView(RestView):
    """Lists and creates templates."""

    @operation("listTemplates", "Templates of the organization, your own and Parley's", tag=TAG, answer=TemplatePage, query=TemplatesQuery)
    def get(self, request: ActorRequest) -> TemplatePage:
        query = self.query(TemplatesQuery)
        with tenant_tx(request.actor.organization_id):
            return template_page(request.actor, query)

    @operation(
        "createTemplate", "Make a template, which only you see at first", tag=TAG, answer=TemplateDetail, status=201, body=NewTemplate
    )
    def post(self, request: ActorRequest) -> TemplateDetail:
        new, actor = self.body(NewTemplate), request.actor
        with tenant_tx(actor.organization_id):
            version = template_create(actor=actor, kind=new.kind, text=new, owner_id=actor.membership_id)
            return template_detail(actor, version.template_id)


class TemplateView(RestView):
    """Shows, changes and deletes a template."""

    @operation("getTemplate", "A template with its text and placeholders", tag=TAG, answer=TemplateDetail, query=TemplateQuery)
    def get(self, request: ActorRequest, template_id: UUID) -> TemplateDetail:
        query = self.query(TemplateQuery)
        with tenant_tx(request.actor.organization_id):
            return template_detail(request.actor, template_id, number=query.version)

    @operation("changeTemplate", "Add a version to a template", tag=TAG, answer=TemplateDetail, body=TemplateText)
    def put(self, request: ActorRequest, template_id: UUID) -> TemplateDetail:
        text = self.body(TemplateText)
        with tenant_tx(request.actor.organization_id):
            template_change(actor=request.actor, template_id=template_id, text=text)
            return template_detail(request.actor, template_id)

    @operation("deleteTemplate", "Delete a template that is not published", tag=TAG, status=204, errors=(400,))
    def delete(self, request: ActorRequest, template_id: UUID) -> Response:
        with tenant_tx(request.actor.organization_id):
            template_delete(actor=request.actor, template_id=template_id)
        return Response(status=204)


class SubmitView(RestView):
    """Publishes a template, or asks an admin for it."""

    @operation(
        "submitTemplate",
        "Submit the latest version for review; an admin's is published at once",
        tag=TAG,
        answer=TemplateDetail,
        errors=(400,),
    )
    def post(self, request: ActorRequest, template_id: UUID) -> TemplateDetail:
        with tenant_tx(request.actor.organization_id):
            template_submit(actor=request.actor, template_id=template_id)
            return template_detail(request.actor, template_id)


class WithdrawView(RestView):
    """Takes a template back."""

    @operation("withdrawTemplate", "Take a template back from review, else from the gallery", tag=TAG, answer=TemplateDetail, errors=(400,))
    def post(self, request: ActorRequest, template_id: UUID) -> TemplateDetail:
        with tenant_tx(request.actor.organization_id):
            template_withdraw(actor=request.actor, template_id=template_id)
            return template_detail(request.actor, template_id)


class FillView(RestView):
    """Gives a template's text with values."""

    @operation("fillTemplate", "A template's text with values for its placeholders", tag=TAG, answer=FilledTemplate, body=TemplateValues)
    def post(self, request: ActorRequest, template_id: UUID) -> FilledTemplate:
        values = self.body(TemplateValues).values
        with tenant_tx(request.actor.organization_id):
            return template_fill(actor=request.actor, template_id=template_id, values=values)
