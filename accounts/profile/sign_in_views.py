"""REST views of how a person signs in and where they are signed in. Passwords and factors change on the pages of `accounts.sign_in.security_views`."""

from __future__ import annotations

from datetime import datetime

from allauth.mfa.models import Authenticator
from rest_framework.response import Response

from accounts.sessions.session_list import session_end, sessions_end_others, sessions_of
from accounts.sign_in.factor_removal import why_factor_stays
from accounts.sign_in.factors import factors_of, passkeys_work
from accounts.social.linked_accounts import sign_on_links
from accounts.social.views import social_links
from tenants.authentication.sessions import session_hash, sessions_use_note
from tenants.models import User
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView

TAG = "sign-in"


class Passkey(ResponseSchema):
    id: int
    name: str
    created_at: datetime
    last_used_at: datetime | None


class Device(ResponseSchema):
    id: str
    name: str
    address: str
    last_used_at: datetime
    is_current: bool


class SignInOverview(ResponseSchema):
    """`passkeysWork`: whether browsers offer them at this address. `codesLeft`: null without recovery codes.

    `whyFactorStays`: why the only second factor can't be removed, or empty. `hasOtherAccounts`: whether there are accounts elsewhere by which
    this person signs in, or can.
    """

    has_password: bool
    has_authenticator_app: bool
    passkeys: list[Passkey]
    passkeys_work: bool
    codes_left: int | None
    why_factor_stays: str
    has_other_accounts: bool
    devices: list[Device]


class SignInView(RestView):
    scope = "session"

    @operation("getSignIn", "How you sign in, and where you are signed in", tag=TAG, answer=SignInOverview)
    def get(self, request: ActorRequest) -> SignInOverview:
        user, current = User.objects.get(pk=request.actor.user_id), self.http.session.session_key
        sessions_use_note([session_hash(current)])
        factors = factors_of(user.pk)
        return SignInOverview(
            has_password=user.has_usable_password(),
            has_authenticator_app=factors.authenticator_app is not None,
            passkeys=[_passkey(row) for row in factors.passkeys],
            passkeys_work=passkeys_work(self.http),
            codes_left=factors.codes_left,
            why_factor_stays=why_factor_stays(user),
            has_other_accounts=bool(social_links(user.pk) or sign_on_links(user)),
            devices=_devices(user.pk, current),
        )


class DevicesView(RestView):
    scope = "session"

    @operation("signOutElsewhere", "Sign out on all your other devices", tag=TAG, status=204)
    def delete(self, request: ActorRequest) -> Response:
        sessions_end_others(user_id=request.actor.user_id, session_key=self.http.session.session_key)
        return Response(status=204)


class DeviceView(RestView):
    scope = "session"

    @operation("signOutDevice", "Sign out on one of your devices", tag=TAG, status=204)
    def delete(self, request: ActorRequest, device_id: str) -> Response:
        session_end(user_id=request.actor.user_id, session_id=device_id)
        return Response(status=204)


def _passkey(row: Authenticator) -> Passkey:
    return Passkey(id=row.pk, name=str(row), created_at=row.created_at, last_used_at=row.last_used_at)


def _devices(user_id: int, current: str | None) -> list[Device]:
    return [
        Device(id=one.id, name=one.device, address=one.address, last_used_at=one.last_used_at, is_current=one.is_current)
        for one in sessions_of(user_id=user_id, current=current)
    ]
