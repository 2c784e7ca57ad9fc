"""Models of accounts."""

from accounts.models.mail import OutgoingMail

__all__ = ["OutgoingMail"]
