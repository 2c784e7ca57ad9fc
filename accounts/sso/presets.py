"""What each provider calls the things that an admin copies from it and to it. Sources: the providers' own guides, see docs/accounts.md."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.models import SignOn

Provider = SignOn.Provider


@dataclass(frozen=True)
class Preset:
    """The words of one provider."""

    issuer_hint: str
    where: str
    groups_hint: str
    says_verified: bool = True  # whether its tokens have `email_verified`


PRESETS: dict[str, Preset] = {
    Provider.GOOGLE: Preset(
        "https://accounts.google.com",
        "Google Cloud console: APIs & Services, Credentials, OAuth client ID, Web application.",
        "Google sends no groups. Leave the rules empty.",
    ),
    Provider.ENTRA: Preset(
        "https://login.microsoftonline.com/<tenant id>/v2.0",
        "Entra admin center: App registrations, your app, Authentication. Add the optional claim email.",
        "groups; Entra sends the groups' object ids.",
        says_verified=False,
    ),
    Provider.OKTA: Preset(
        "https://<your domain>.okta.com",
        "Okta admin console: Applications, Create App Integration, OIDC, Web Application.",
        "groups; add a groups claim to the ID token.",
    ),
    Provider.KEYCLOAK: Preset(
        "https://<host>/realms/<realm>",
        "Keycloak: Clients, Create client, Client authentication on.",
        "groups, or realm_access.roles.",
    ),
    Provider.OTHER: Preset("https://login.example.org", "Your provider's page of applications (OpenID Connect).", "groups"),
}
