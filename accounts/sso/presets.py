"""What each provider calls the things that an admin copies from it and to it. Sources: the providers' own guides, see docs/accounts.md."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext_noop as _

from accounts.models import SignOn

Provider = SignOn.Provider


@dataclass(frozen=True)
class Preset:
    """The words of one provider."""

    issuer_hint: str
    where: str  # its page for our addresses
    groups_hint: str
    verified_hint: str = ""
    scope: str = "openid email profile"


PRESETS: dict[str, Preset] = {
    Provider.GOOGLE: Preset(
        "https://accounts.google.com",
        _("In the Google Cloud console: APIs & Services, Credentials, OAuth client ID, Web application. It has no back-channel logout."),
        _("Google sends no groups, so rules have no effect."),
    ),
    Provider.ENTRA: Preset(
        "https://login.microsoftonline.com/<tenant id>/v2.0",
        _("In the Entra admin center: App registrations, your app, Authentication. It has no back-channel logout."),
        _("groups, under Token configuration. Values are the groups' object ids."),
        _("Entra ID does not say whether an address is verified: switch this off, and add the optional claim email."),
    ),
    Provider.OKTA: Preset(
        "https://<your domain>.okta.com",
        _("In the Okta admin console: Applications, Create App Integration, OIDC, Web Application."),
        _("groups, under Sign On, Groups claim filter."),
        scope="openid email profile groups",
    ),
    Provider.KEYCLOAK: Preset(
        "https://<host>/realms/<realm>",
        _("In Keycloak: Clients, Create client, Client authentication on, Standard flow only."),
        _("groups, by a mapper Group Membership, or realm_access.roles."),
        _("Keycloak has Email verified on each user's page."),
    ),
    Provider.OTHER: Preset(
        "https://login.example.org",
        _("On your provider's page of applications (OpenID Connect)."),
        _("groups, or as your provider calls it."),
    ),
}
