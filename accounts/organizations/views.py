"""REST views of organizations: making one, its logo, and leaving it. In the browser only."""

from __future__ import annotations

from django.http import HttpResponse
from pydantic import BaseModel, ConfigDict
from rest_framework.response import Response

from accounts.members.services import member_leave
from accounts.models import OrganizationLogo
from accounts.organizations.services import organization_create_own
from tenants.context import tenant_tx
from tenants.errors import NotFound
from tenants.input.pictures import picture_response
from tenants.models import User
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView

TAG = "organizations"


class NewOrganization(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    name: str


class CreatedOrganization(ResponseSchema):
    slug: str
    name: str


class OrganizationsView(RestView):
    scope = "session"

    @operation("createOrganization", "Make an organization", tag=TAG, answer=CreatedOrganization, status=201, body=NewOrganization)
    def post(self, request: ActorRequest) -> CreatedOrganization:
        new_organization = self.body(NewOrganization, 'Send {"name"}.')
        organization = organization_create_own(user=User.objects.get(pk=request.actor.user_id), name=new_organization.name)
        return CreatedOrganization(slug=organization.slug, name=organization.name)


class MembershipView(RestView):
    scope = "session"

    @operation("leaveOrganization", "Leave the organization", tag=TAG, status=204, errors=(409,))
    def delete(self, request: ActorRequest) -> Response:
        with tenant_tx(request.actor.organization_id):
            member_leave(actor=request.actor)
        return Response(status=204)


class LogoView(RestView):
    scope = "session"

    @operation("getLogo", "The organization's logo", tag=TAG, files=("image/png",))
    def get(self, request: ActorRequest) -> HttpResponse:
        with tenant_tx(request.actor.organization_id):
            row = OrganizationLogo.objects.first()
        if row is None:
            raise NotFound
        return picture_response(bytes(row.content))
