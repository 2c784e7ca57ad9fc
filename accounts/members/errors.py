"""Errors of members' pages and calls."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from tenants.errors import Conflict, NotAllowed


class LastOwner(Conflict):
    """An organization always has an owner who can sign in."""

    code = "last_owner"
    message = gettext_lazy("This is the organization's only owner. Make somebody else an owner first.")


class RightsTooHigh(NotAllowed):
    code = "rights_too_high"
    message = gettext_lazy("You can't change this member: they have more rights than you, or you would give more than you have.")


class OwnMembership(NotAllowed):
    code = "own_membership"
    message = gettext_lazy("Nobody changes their own role or access. Ask another owner or admin.")
