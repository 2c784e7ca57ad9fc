"""Operators: superusers who open /operator/."""

from __future__ import annotations

from django.contrib.auth.password_validation import validate_password
from django.db import transaction

from accounts.sign_in.addresses import address_ensure
from tenants.models import User


@transaction.atomic(using="auth")
def operator_create(*, email: str, password: str, name: str = "") -> User:
    """Make the account an operator's, or make one. The password is set for a new account only.

    Raises ValidationError for a password that is too weak.
    """
    user = User.objects.filter(email=email.strip().lower()).first()
    if user is None:
        validate_password(password, User(email=email, name=name))
        user = User.objects.create_user(email, password, name=name)
    user.is_superuser = user.is_staff = user.is_active = True
    user.save(update_fields=["is_superuser", "is_staff", "is_active"])
    address_ensure(user)
    return user
