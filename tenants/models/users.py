"""People, who sign in with an e-mail address."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy

from tenants.closed_fields import OPEN_ALIASES, ClosedBooleanField, ClosedCharField, ClosedDateTimeField

CLOSED_COLUMNS = frozenset({"password", "last_login", "is_superuser", "is_staff", "time_zone", "language", "deletion_due_at"})
_SUPERUSER_HELP = "Designates that this user has all permissions without explicitly assigning them."


class UserManager(BaseUserManager["User"]):
    """Manager that treats e-mail addresses as case-insensitive."""

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=(username or "").strip().lower())

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Create and save a user; `email` is stored in lower case. Without a password nobody can sign in as this user.

        Raises ValueError for a blank address.
        """
        if not email.strip():
            raise ValueError("A user needs an e-mail address.")
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    """A person, who signs in with an e-mail address. Rights in an organization come from the membership alone.

    Loaded as another role than auth, in joins of other rows, a user comes without the columns that this role may not read. Code that asks
    for one of them all the same reads it as the auth role.
    """

    password = ClosedCharField("password", max_length=128)
    last_login = ClosedDateTimeField(gettext_lazy("last login"), blank=True, null=True)
    is_superuser = ClosedBooleanField(gettext_lazy("superuser status"), default=False, help_text=_SUPERUSER_HELP)

    email = models.EmailField("e-mail address", unique=True, error_messages={"unique": gettext_lazy("This address is taken.")})
    name = models.CharField(max_length=120, blank=True)
    is_active = models.BooleanField("active", default=True)
    # Django's own word for people who may open an admin site; ours asks for `is_superuser` alone
    is_staff = ClosedBooleanField(default=False, editable=False)
    # a program that acts by tokens alone, or a visitor of an embedded chat: no password, and an address that cannot exist
    is_service_account = models.BooleanField(default=False, editable=False)
    picture_version = models.CharField(max_length=12, blank=True, editable=False)  # of their picture, for its address; blank: none
    time_zone = ClosedCharField(max_length=64, blank=True)  # an IANA name; blank: the browser's
    language = ClosedCharField(max_length=10, blank=True)  # a BCP 47 tag; blank: the browser's
    deletion_due_at = ClosedDateTimeField(null=True, editable=False)  # the user asked for it, and can undo it until then
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[UserManager] = UserManager()

    @classmethod
    def from_db(cls, db: str | None, field_names: Collection[str], values: Collection[Any], **kwargs: Any) -> User:
        """Leave out what the role could not read, so that it is loaded when somebody asks."""
        if db not in OPEN_ALIASES:
            columns = [(name, value) for name, value in zip(field_names, values, strict=True) if name not in CLOSED_COLUMNS]
            field_names, values = [name for name, _ in columns], [value for _, value in columns]
        return super().from_db(db, field_names, values, **kwargs)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(email=Lower("email")), name="user_email_lower_case")]

    def __str__(self) -> str:
        return self.name or self.email

    def get_full_name(self) -> str:
        return self.name or self.email

    def get_short_name(self) -> str:
        return self.get_full_name().split("@")[0]
