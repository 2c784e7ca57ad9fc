"""The mails of signing in and up, by the names that the accounts library gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_noop

from accounts.mail.languages import moment
from accounts.mail.message import Mail

Context = Mapping[str, Any]
Write = Callable[[Context], Mail]


def mail_for(name: str, context: Context) -> Mail:
    """Return the mail that the library calls `name`, in the language that is active. Raises KeyError for one that we don't know."""
    return MAILS[name](context)


def _code(kind: str, subject: str, sentence: str, url_name: str) -> Write:
    def write(context: Context) -> Mail:
        code = context["code"]
        url = context["request"].build_absolute_uri(f"{reverse(url_name)}?{urlencode({'code': code})}")
        return Mail(
            kind=kind,
            subject=gettext(subject),
            paragraphs=[f"{gettext(sentence)} {gettext('It is valid for 15 minutes, in the browser where you began.')}"],
            code=code,
            button=(gettext("Fill in the code"), url),
            closing=[gettext("If this wasn't you, you can ignore this mail: nobody gets in without the code.")],
        )

    return write


def _unknown_account(context: Context) -> Mail:
    return Mail(
        kind="unknown_account",
        subject=gettext("No account with this address"),
        paragraphs=[
            gettext("Somebody, perhaps you, wanted to sign in to Parley with this address, but it has no account."),
            gettext("If you have an account, sign in with the address that you used for it."),
        ],
        closing=[gettext("If this wasn't you, you can ignore this mail.")],
    )


def _account_exists(context: Context) -> Mail:
    return Mail(
        kind="account_already_exists",
        subject=gettext("You already have an account"),
        paragraphs=[
            gettext(
                "Somebody, perhaps you, wanted to make an account with this address, but it has one. Sign in, or choose a new password."
            )
        ],
        button=(gettext("Choose a new password"), context["password_reset_url"]),
        closing=[gettext("If this wasn't you, you can ignore this mail.")],
    )


def _notice(kind: str, subject: str, sentence: str) -> Write:
    """A mail about something that has happened. `sentence` may name values of the context."""

    def write(context: Context) -> Mail:
        return Mail(
            kind=kind,
            subject=gettext(subject),
            paragraphs=[gettext(sentence) % context, where_and_when(context)],
            closing=[gettext("If this wasn't you, change your password now and check your account's security page.")],
        )

    return write


def where_and_when(context: Context) -> str:
    """Return when something was done, from which address and with what device, as far as that is known."""
    place = gettext("from %(address)s") % {"address": context["ip"]} if context.get("ip") else ""
    when_and_where = ", ".join(filter(None, [moment(context["timestamp"]), place]))
    device = f" ({context['user_agent']})" if context.get("user_agent") else ""
    return f"{when_and_where}{device}."


_ = gettext_noop  # marks a text for the catalogue; it is translated when the mail is written

MAILS: Mapping[str, Write] = {
    "account/email/email_confirmation": _code(
        "verify_address", _("Your code for Parley"), _("This code shows that the address is yours."), "account_email_verification_sent"
    ),
    "account/email/email_confirmation_signup": _code(
        "verify_sign_up", _("Welcome to Parley: your code"), _("This code completes your account."), "account_email_verification_sent"
    ),
    "account/email/login_code": _code(
        "sign_in_code", _("Your code to sign in to Parley"), _("This code signs you in."), "account_confirm_login_code"
    ),
    "account/email/password_reset_code": _code(
        "password_reset_code", _("Your code for a new password"), _("With this code you can choose a new password."),
        "account_confirm_password_reset_code",
    ),
    "account/email/unknown_account": _unknown_account,
    "account/email/account_already_exists": _account_exists,
    "account/email/password_changed": _notice("password_changed", _("Your password was changed"), _("The password of your account was changed.")),
    "account/email/password_set": _notice("password_set", _("Your account has a password now"), _("A password was set for your account.")),
    "account/email/password_reset": _notice("password_reset", _("Your password was reset"), _("A new password was chosen for your account by a code that we sent to you.")),
    "account/email/email_changed": _notice(
        "address_changed", _("Your address was changed"),
        _("The address of your account is no longer %(from_email)s but %(to_email)s."),
    ),
    "account/email/email_deleted": _notice("address_removed", _("An address was removed"), _("%(deleted_email)s was removed from your account.")),
    "mfa/email/totp_activated": _notice("totp_added", _("Authenticator app added"), _("An authenticator app now protects your account.")),
    "mfa/email/totp_deactivated": _notice("totp_removed", _("Authenticator app removed"), _("Your account is no longer protected by the authenticator app.")),
    "mfa/email/webauthn_added": _notice("passkey_added", _("Passkey added"), _("A passkey was added to your account.")),
    "mfa/email/webauthn_removed": _notice("passkey_removed", _("Passkey removed"), _("A passkey was removed from your account.")),
    "mfa/email/recovery_codes_generated": _notice("recovery_codes", _("New recovery codes"), _("New recovery codes were made for your account. The old ones no longer work.")),
    "socialaccount/email/account_connected": _notice(
        "link_added", _("An account was connected"), _("You can now sign in to your account with %(provider_name)s.")
    ),
    "socialaccount/email/account_disconnected": _notice(
        "link_removed", _("An account was disconnected"), _("Your account can no longer be opened with %(provider_name)s.")
    ),
    "accounts/new_device": _notice("new_device", _("New sign-in to Parley"), _("Somebody signed in to your account on a device that we haven't seen before.")),
}  # fmt: skip
