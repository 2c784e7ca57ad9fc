"""What each provider calls the things that an admin copies from it and to it. Sources: the providers' own guides, see docs/accounts.md."""

from __future__ import annotations

from dataclasses import dataclass

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
        "In the Google Cloud console: APIs & Services, Credentials, OAuth client ID, Web application. It has no back-channel logout.",
        "Google sends no groups, so rules have no effect.",
    ),
    Provider.ENTRA: Preset(
        "https://login.microsoftonline.com/<tenant id>/v2.0",
        "In the Entra admin center: App registrations, your app, Authentication. It has no back-channel logout.",
        "groups, under Token configuration. Values are the groups' object ids.",
        "Entra ID does not say whether an address is verified: switch this off, and add the optional claim email.",
    ),
    Provider.OKTA: Preset(
        "https://<your domain>.okta.com",
        "In the Okta admin console: Applications, Create App Integration, OIDC, Web Application.",
        "groups, under Sign On, Groups claim filter.",
        scope="openid email profile groups",
    ),
    Provider.KEYCLOAK: Preset(
        "https://<host>/realms/<realm>",
        "In Keycloak: Clients, Create client, Client authentication on, Standard flow only.",
        "groups, by a mapper Group Membership, or realm_access.roles.",
        "Keycloak has Email verified on each user's page.",
    ),
    Provider.OTHER: Preset(
        "https://login.example.org", "On your provider's page of applications (OpenID Connect).", "groups, or as your provider calls it."
    ),
}
