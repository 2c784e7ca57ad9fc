"""Models of accounts."""

from accounts.models.invitations import Invitation
from accounts.models.pictures import OrganizationLogo, UserPicture

__all__ = ["Invitation", "OrganizationLogo", "UserPicture"]
