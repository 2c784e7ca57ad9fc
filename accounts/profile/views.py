"""REST views of a person's own profile and account (docs/accounts.md). In the browser only."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.http import HttpResponse
from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel
from rest_framework.response import Response

from accounts.models import UserPicture
from accounts.profile.services import account_deletion_cancel, account_deletion_request, picture_set, profile_change
from tenants.errors import BadRequest, NotFound
from tenants.input.pictures import picture_read, picture_response
from tenants.members import picture_path
from tenants.models import User
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView

TAG = "profile"
UPLOAD_FIELD = "picture"
PICTURE_BODY = {
    "multipart/form-data": {
        "type": "object",
        "properties": {UPLOAD_FIELD: {"type": "string", "format": "binary"}},
        "required": [UPLOAD_FIELD],
        "additionalProperties": False,
    }
}


class LanguageChoice(ResponseSchema):
    code: str
    name: str


class Profile(ResponseSchema):
    """`deletionDueAt`: when the account will be deleted, if its owner asked for it."""

    name: str
    email: str
    time_zone: str
    language: str
    languages: list[LanguageChoice]
    picture_url: str | None
    deletion_due_at: datetime | None


class ProfileChange(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)

    name: str | None = None
    time_zone: str | None = None
    language: str | None = None


class AccountDeletion(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    email: str


class ProfileView(RestView):
    scope = "session"

    @operation("getProfile", "Your profile", tag=TAG, answer=Profile)
    def get(self, request: ActorRequest) -> Profile:
        return profile_of(User.objects.get(pk=request.actor.user_id), request.actor.organization_slug)

    @operation("changeProfile", "Change your name, time zone or language", tag=TAG, answer=Profile, body=ProfileChange)
    def patch(self, request: ActorRequest) -> Profile:
        change = self.body(ProfileChange)
        with transaction.atomic(using="auth"):
            user = profile_change(user_id=request.actor.user_id, name=change.name, time_zone=change.time_zone, language=change.language)
        return profile_of(user, request.actor.organization_slug)


class PictureView(RestView):
    scope = "session"
    takes_files = True

    @operation("getPicture", "Your picture", tag=TAG, files=("image/png",))
    def get(self, request: ActorRequest) -> HttpResponse:
        row = UserPicture.objects.filter(user_id=request.actor.user_id).first()
        if row is None:
            raise NotFound
        return picture_response(bytes(row.content))

    @operation("setPicture", "Set your picture", tag=TAG, answer=Profile, body=PICTURE_BODY, idempotent=False)
    def post(self, request: ActorRequest) -> Profile:
        upload = self.http.FILES.get(UPLOAD_FIELD)
        if upload is None:
            raise BadRequest(
                gettext("Send one picture as multipart/form-data, in the field `%(upload_field)s`.") % {"upload_field": UPLOAD_FIELD}
            )
        picture_set(user_id=request.actor.user_id, picture=picture_read(upload.read()))
        return profile_of(User.objects.get(pk=request.actor.user_id), request.actor.organization_slug)

    @operation("removePicture", "Remove your picture", tag=TAG, status=204)
    def delete(self, request: ActorRequest) -> Response:
        picture_set(user_id=request.actor.user_id, picture=None)
        return Response(status=204)


class AccountDeletionView(RestView):
    scope = "session"

    @operation(
        "deleteAccount",
        "Have your account deleted",
        tag=TAG,
        answer=Profile,
        body=AccountDeletion,
        errors=(409,),
        idempotent=False,
        proof=True,
    )
    def post(self, request: ActorRequest) -> Profile:
        deletion = self.body(AccountDeletion, 'Send {"email"}.')
        with transaction.atomic(using="auth"):
            account_deletion_request(user_id=request.actor.user_id, typed_email=deletion.email)
        return profile_of(User.objects.get(pk=request.actor.user_id), request.actor.organization_slug)

    @operation("keepAccount", "Keep your account", tag=TAG, status=204)
    def delete(self, request: ActorRequest) -> Response:
        account_deletion_cancel(user_id=request.actor.user_id)
        return Response(status=204)


def profile_of(user: User, slug: str) -> Profile:
    return Profile(
        name=user.name,
        email=user.email,
        time_zone=user.time_zone,
        language=user.language,
        languages=[LanguageChoice(code=code, name=str(name)) for code, name in settings.LANGUAGES],
        picture_url=picture_path(user, slug),
        deletion_due_at=user.deletion_due_at,
    )
