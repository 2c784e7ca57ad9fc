"""The mails of the front door, by the names that the accounts library gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from accounts.mail.message import Mail

Context = Mapping[str, Any]
Write = Callable[[Context], Mail]

IGNORE = "If this wasn't you, you can ignore this mail: nobody gets in without the code."
WARNING = "If this wasn't you, change your password now and check your account's security page."


def mail_for(name: str, context: Context) -> Mail:
    """Return the mail that the library calls `name`. Raises KeyError for one that we don't know."""
    return MAILS[name](context)


def _code(kind: str, subject: str, sentence: str, url_name: str) -> Write:
    def write(context: Context) -> Mail:
        code = context["code"]
        url = context["request"].build_absolute_uri(f"{reverse(url_name)}?{urlencode({'code': code})}")
        return Mail(
            kind=kind,
            subject=subject,
            paragraphs=[f"{sentence} It is valid for 15 minutes, in the browser where you began."],
            code=code,
            button=("Fill in the code", url),
            closing=[IGNORE],
        )

    return write


def _unknown_account(context: Context) -> Mail:
    return Mail(
        kind="unknown_account",
        subject="No account with this address",
        paragraphs=[
            "Somebody, perhaps you, wanted to sign in to Parley with this address, but it has no account.",
            "If you have an account, sign in with the address that you used for it.",
        ],
        closing=["If this wasn't you, you can ignore this mail."],
    )


def _account_exists(context: Context) -> Mail:
    return Mail(
        kind="account_already_exists",
        subject="You already have an account",
        paragraphs=[
            "Somebody, perhaps you, wanted to make an account with this address, but it has one. Sign in, or choose a new password."
        ],
        button=("Choose a new password", context["password_reset_url"]),
        closing=["If this wasn't you, you can ignore this mail."],
    )


def _notice(kind: str, subject: str, sentence: Callable[[Context], str]) -> Write:
    """A mail about something that has happened."""

    def write(context: Context) -> Mail:
        when = f"{context['timestamp']:%-d %B %Y, %H:%M} UTC"
        place = f", from {context['ip']}" if context.get("ip") else ""
        device = f" ({context['user_agent']})" if context.get("user_agent") else ""
        return Mail(kind=kind, subject=subject, paragraphs=[sentence(context), f"{when}{place}{device}."], closing=[WARNING])

    return write


def _says(text: str) -> Callable[[Context], str]:
    return lambda context: text


MAILS: Mapping[str, Write] = {
    "account/email/email_confirmation": _code(
        "verify_address", "Your code for Parley", "This code shows that the address is yours.", "account_email_verification_sent"
    ),
    "account/email/email_confirmation_signup": _code(
        "verify_sign_up", "Welcome to Parley: your code", "This code completes your account.", "account_email_verification_sent"
    ),
    "account/email/login_code": _code(
        "sign_in_code", "Your code to sign in to Parley", "This code signs you in.", "account_confirm_login_code"
    ),
    "account/email/password_reset_code": _code(
        "password_reset_code", "Your code for a new password", "With this code you can choose a new password.",
        "account_confirm_password_reset_code",
    ),
    "account/email/unknown_account": _unknown_account,
    "account/email/account_already_exists": _account_exists,
    "account/email/password_changed": _notice("password_changed", "Your password was changed", _says("The password of your account was changed.")),
    "account/email/password_set": _notice("password_set", "Your account has a password now", _says("A password was set for your account.")),
    "account/email/password_reset": _notice("password_reset", "Your password was reset", _says("A new password was chosen for your account by a code that we sent to you.")),
    "account/email/email_changed": _notice(
        "address_changed", "Your address was changed",
        lambda context: f"The address of your account is no longer {context['from_email']} but {context['to_email']}.",
    ),
    "account/email/email_deleted": _notice(
        "address_removed", "An address was removed", lambda context: f"{context['deleted_email']} was removed from your account."
    ),
    "mfa/email/totp_activated": _notice("totp_added", "Authenticator app added", _says("An authenticator app now protects your account.")),
    "mfa/email/totp_deactivated": _notice("totp_removed", "Authenticator app removed", _says("Your account is no longer protected by the authenticator app.")),
    "mfa/email/webauthn_added": _notice("passkey_added", "Passkey added", _says("A passkey was added to your account.")),
    "mfa/email/webauthn_removed": _notice("passkey_removed", "Passkey removed", _says("A passkey was removed from your account.")),
    "mfa/email/recovery_codes_generated": _notice("recovery_codes", "New recovery codes", _says("New recovery codes were made for your account. The old ones no longer work.")),
    "socialaccount/email/account_connected": _notice(
        "link_added", "An account was connected", lambda context: f"You can now sign in to your account with {context['provider_name']}."
    ),
    "socialaccount/email/account_disconnected": _notice(
        "link_removed", "An account was disconnected", lambda context: f"Your account can no longer be opened with {context['provider_name']}."
    ),
    "accounts/new_device": _notice("new_device", "New sign-in to Parley", _says("Somebody signed in to your account on a device that we haven't seen before.")),
}  # fmt: skip
