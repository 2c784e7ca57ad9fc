"""Tables of accounts: invitations, mails, exports of a member's own data, pictures, an organization's own sign-on."""

from accounts.models.invitations import Invitation
from accounts.models.mail import OutgoingMail
from accounts.models.personal_exports import PersonalExport
from accounts.models.pictures import OrganizationLogo, UserPicture
from accounts.models.sign_on import ProvenDomain, SignOn, SignOnDomain, SignOnIdentity

__all__ = [
    "Invitation",
    "OrganizationLogo",
    "OutgoingMail",
    "PersonalExport",
    "ProvenDomain",
    "SignOn",
    "SignOnDomain",
    "SignOnIdentity",
    "UserPicture",
]
