"""Models of accounts."""

from accounts.models.exports import PersonalExport
from accounts.models.invitations import Invitation
from accounts.models.mail import OutgoingMail
from accounts.models.pictures import OrganizationLogo, UserPicture

__all__ = ["Invitation", "OrganizationLogo", "OutgoingMail", "PersonalExport", "UserPicture"]
