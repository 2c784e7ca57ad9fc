"""The sign-in that an admin makes to see whether the settings work. Nobody is signed in by it and nothing about the person is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import SignOn
from accounts.sso.claim_rules import claim_values, rules_for, rules_of
from accounts.sso.domains import proven_domains
from accounts.sso.entry_points import EntryPoint
from accounts.sso.errors import SignOnFailed
from accounts.sso.handshake import Answer, organization_of
from accounts.sso.people import proven_address
from accounts.sso.tokens import signed_in_at
from security.audit import audit
from tenants.context import identity_tx, tenant_tx
from tenants.errors import ParleyError
from tenants.models import Membership

CLAIMS = "accounts.sign_on_claims"  # in the session of the admin who tests, shown to them once
HIDDEN = frozenset({"nonce", "at_hash", "c_hash", "aud", "iss", "exp", "iat", "nbf", "jti", "auth_time", "sid", "s_hash"})


def admin_page(entry_point: EntryPoint) -> str:
    return f"/o/{entry_point.organization.slug}/admin/accounts/signon/"


def trial_finish(request: HttpRequest, entry_point: EntryPoint, answer: Answer) -> str:
    """Write the steps of a test whose answer is valid; return the page that shows them."""
    steps = [
        _step(gettext("Redirected and came back"), gettext("State and PKCE matched.")),
        _step(gettext("The token is valid"), gettext("Issuer, audience, signature, nonce and time.")),
        _check_step(gettext("The e-mail address is proven"), lambda: _address_text(entry_point.sign_on, answer)),
        _check_step(gettext("Role"), lambda: _role_text(entry_point.sign_on, answer)),
        _step(gettext("Confirming that it's you"), _proof_text(answer)),
    ]
    request.session[CLAIMS] = {name: value for name, value in answer.claims.items() if name not in HIDDEN}
    return _write(request, entry_point, steps)


def trial_record_failure(request: HttpRequest, entry_point: EntryPoint, error: ParleyError) -> str:
    """Write the step at which the test ended; return the page that shows it."""
    return _write(
        request, entry_point, [{"name": gettext("Sign-in at the provider"), "text": str(error), "code": error.code, "is_ok": False}]
    )


def is_tested(sign_on: SignOn) -> bool:
    """Return whether the last test had no problem. A change of the provider's fields forgets the test."""
    steps = sign_on.test_report.get("steps", [])
    return bool(steps) and all(step["is_ok"] for step in steps)


def _write(request: HttpRequest, entry_point: EntryPoint, steps: list[dict[str, Any]]) -> str:
    organization_id = organization_of(entry_point.sign_on)
    with identity_tx(organization_id, acting_user_id=request.user.pk):
        SignOn.objects.filter(pk=entry_point.sign_on.pk).update(test_report={"at": timezone.now().isoformat(), "steps": steps})
        audit(
            organization_id=organization_id,
            actor_user_id=request.user.pk,
            action="sso.try",
            object_kind="sso",
            object_id=entry_point.sign_on.pk,
            object_label=str(entry_point.sign_on),
            detail={"problems": [step["code"] for step in steps if not step["is_ok"]]},
        )
    return admin_page(entry_point)


def _step(name: str, text: str, code: str = "") -> dict[str, Any]:
    return {"name": name, "text": text, "code": code, "is_ok": not code}


def _check_step(name: str, work: Callable[[], str]) -> dict[str, Any]:
    try:
        return _step(name, work())
    except SignOnFailed as error:
        return _step(name, str(error), error.code)


def _address_text(sign_on: SignOn, answer: Answer) -> str:
    with tenant_tx(organization_of(sign_on)):
        domains = proven_domains(organization_of(sign_on))
    return proven_address(sign_on, answer.claims, domains)


def _proof_text(answer: Answer) -> str:
    if signed_in_at(answer.claims) is None:
        return gettext(
            "The provider does not say when people sign in (auth_time). Before dangerous acts they need a passkey or a password."
        )
    return gettext("The provider says when people sign in, so signing in again confirms dangerous acts.")


def _role_text(sign_on: SignOn, answer: Answer) -> str:
    labels = dict(Membership.Role.choices)
    rules = rules_of(sign_on.rules)
    default = labels[Membership.Role(sign_on.default_role)]
    if not rules:
        return gettext("New members get the role %(default)s. There are no rules.") % {"default": default}
    values = claim_values(answer.claims, sign_on.groups_claim)
    fitting = rules_for(rules, values)
    if fitting:
        return gettext("The rule for %(value)s fits: %(labels)s.") % {
            "value": fitting[0].value,
            "labels": labels[Membership.Role(fitting[0].role)],
        }
    values_text = gettext("has %(value)s") % {"value": ", ".join(values[:10])} if values else gettext("is not there or empty")
    raise SignOnFailed(
        "no_rule",
        gettext("No rule fits: the claim %(groups_claim)s %(found)s. As set, this person would be %(default)s.")
        % {"groups_claim": sign_on.groups_claim, "found": values_text, "default": default},
    )
