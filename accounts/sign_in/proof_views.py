"""REST views by which a page asks for a proof inside itself, before a dangerous act (tenants.authentication.session_proof)."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import ReauthenticateForm
from allauth.account.internal.flows.reauthentication import reauthenticate_by_password
from allauth.mfa.models import Authenticator
from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict
from redis import RedisError
from rest_framework.response import Response

from accounts.sign_in.factors import ConfirmForm
from tenants.authentication.session_proof import proved_recently
from tenants.errors import BadRequest, Unavailable
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView

TAG = "proof"
CODES = (Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES)


class Proof(ResponseSchema):
    """`isRecent`: none is asked for now. The others: how this person can give one."""

    is_recent: bool
    password: bool
    code: bool
    passkey: bool


class GivenProof(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", hide_input_in_errors=True)

    password: str = ""
    code: str = ""


class ProofView(RestView):
    scope = "session"

    @operation("getProof", "Whether you confirmed lately that it's you, and how you can", tag=TAG, answer=Proof)
    def get(self, request: ActorRequest) -> Proof:
        types = {*Authenticator.objects.filter(user_id=request.actor.user_id).values_list("type", flat=True)}
        return Proof(
            is_recent=proved_recently(self.http.session),
            password=_user(self).has_usable_password(),
            code=not types.isdisjoint(CODES),
            passkey=Authenticator.Type.WEBAUTHN in types,
        )

    @operation("giveProof", "Confirm that it's you", tag=TAG, status=204, body=GivenProof, idempotent=False)
    def post(self, request: ActorRequest) -> Response:
        proof = self.body(GivenProof, 'Send {"password"} or {"code"}.')
        if proof.code:
            self._check_code(proof.code)
        else:
            _raise_first_error(ReauthenticateForm({"password": proof.password}, user=_user(self)))
            reauthenticate_by_password(self.http)
        return Response(status=204)

    def _check_code(self, code: str) -> None:
        form = ConfirmForm({"code": code}, user=_user(self))
        try:
            _raise_first_error(form)
        except RedisError as error:  # which remembers the codes that were used
            raise Unavailable(gettext("Codes don't work right now. Use your password, or try again in a moment.")) from error
        form.save()


def _user(view: RestView) -> Any:
    return view.http.user


def _raise_first_error(form: Any) -> None:
    if not form.is_valid():
        raise BadRequest(next(iter(form.errors.values()))[0])
