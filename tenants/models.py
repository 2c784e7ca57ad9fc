"""Models of users, organizations and memberships, and the base of every row that belongs to an organization."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import Any, ClassVar, TypeVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext, gettext_lazy

from tenants.authentication.sessions import Session
from tenants.closed_fields import OPEN_ALIASES, ClosedBooleanField, ClosedCharField, ClosedDateTimeField
from tenants.context import current_organization_id
from tenants.managers import TenantManager, TenantQuerySet

__all__ = [
    "ApiToken",
    "FormerSlug",
    "GroupMember",
    "IdempotentAnswer",
    "MemberGroup",
    "Membership",
    "Organization",
    "OrganizationKey",
    "Session",
    "TenantForeignKey",
    "TenantManager",
    "TenantModel",
    "TenantQuerySet",
    "User",
]

MAX_PREFERENCES_LENGTH = 2000  # characters
MAX_PATH_LENGTH = 500  # characters
CLOSED_COLUMNS = frozenset({"password", "last_login", "is_superuser", "is_staff", "time_zone", "language", "deletion_due_at"})
_SUPERUSER_HELP = "Designates that this user has all permissions without explicitly assigning them."
MAX_SUSPENSION_LENGTH = 500  # characters

Set_contra = TypeVar("Set_contra", contravariant=True)
Get_co = TypeVar("Get_co", covariant=True)


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
            loaded = [(name, value) for name, value in zip(field_names, values, strict=True) if name not in CLOSED_COLUMNS]
            field_names, values = [name for name, _ in loaded], [value for _, value in loaded]
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


class Organization(models.Model):
    """The tenant."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, unique=True)
    logo_version = models.CharField(max_length=12, blank=True, editable=False)  # of its logo, for its address; blank: none
    accent_color = models.CharField(max_length=7, blank=True)  # #rrggbb; blank: the product's
    is_active = models.BooleanField("active", default=True)  # False: suspended by the operator
    suspension_message = models.CharField(max_length=MAX_SUSPENSION_LENGTH, blank=True)  # for its members
    deletion_due_at = models.DateTimeField(null=True, editable=False)  # an owner asked for it, and can undo it until then
    policy = models.JSONField(default=dict, blank=True)  # what its admins decide for it (who may join, which models, which limits)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class FormerSlug(models.Model):
    """An address that an organization had. It leads its members to the present one, and no other organization gets it."""

    slug = models.SlugField(max_length=60, primary_key=True)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="former_slugs")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug


class MembershipQuerySet(models.QuerySet["Membership"]):
    def of_members(self) -> MembershipQuerySet:
        """Leave out visitors, who are nobody's colleagues."""
        return self.exclude(role=Membership.Role.VISITOR)


class Membership(models.Model):
    """A user's role in an organization. It ends by `is_active`, never by deletion: what the member owned still names it."""

    class Role(models.TextChoices):
        OWNER = "owner", gettext_lazy("Owner")
        ADMIN = "admin", gettext_lazy("Admin")
        AUDITOR = "auditor", gettext_lazy("Auditor")  # reads runs, usage and the audit log, and changes nothing
        MEMBER = "member", gettext_lazy("Member")
        VIEWER = "viewer", gettext_lazy("Viewer")
        VISITOR = "visitor", gettext_lazy("Visitor")  # of a page that embeds a chat (embed): no member, and acts through that chat alone

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    is_active = models.BooleanField("active", default=True, editable=False)
    removed_at = models.DateTimeField(null=True, editable=False)  # of one that was removed or left, not only deactivated
    cleared_at = models.DateTimeField(null=True, editable=False)  # when what a removed member still owned was deleted
    last_used_at = models.DateTimeField(null=True, editable=False)  # to within an hour
    # the database raises it with every change of the role or of `is_active` (migration 0001)
    version = models.PositiveIntegerField(default=1, editable=False)
    # What the member wrote about the answers they want here; part of the prompt of their chats (SPEC 3.13).
    preferences = models.CharField(max_length=MAX_PREFERENCES_LENGTH, blank=True)
    # The key of the assistant with which their new chats begin; "": the chat agent. It may be gone by now.
    default_assistant = models.CharField(max_length=80, blank=True)
    comment_mails = models.BooleanField(default=True, editable=False)  # whether they want mails about comments on shared links
    shows_cost = models.BooleanField(default=True, editable=False)  # tokens and cost below answers
    code_ligatures = models.BooleanField(default=False, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        verbose_name = gettext_lazy("member")
        constraints = [
            models.UniqueConstraint(fields=["organization", "user"], name="membership_once_per_user"),
            models.UniqueConstraint(fields=["organization", "id"], name="tenants_membership_organization_id_id"),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"


class TenantForeignKey(models.ForeignKey[Set_contra, Get_co]):
    """A foreign key between rows of one organization.

    SecureTenantTable makes the constraint (organization_id, column) -> (organization_id, id). Plain foreign key checks ignore row security,
    so a single-column key would let a row point into another organization.
    """

    def __init__(self, to: Any, on_delete: Any, **kwargs: Any) -> None:
        kwargs["db_constraint"] = False
        super().__init__(to, on_delete, **kwargs)

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        name, path, args, kwargs = super().deconstruct()
        kwargs.pop("db_constraint", None)
        return name, path, list(args), kwargs


class OrganizationKey(models.ForeignKey[Set_contra, Get_co]):
    """The organization of a row. A new row belongs to the current one; creating it without one raises NoTenantContext.

    `default=` is not used because type checkers would take the value for optional. Migrations see a plain foreign key with that default.
    """

    def get_default(self) -> uuid.UUID:
        return current_organization_id()

    def validate(self, value: Any, model_instance: models.Model | None) -> None:
        """Ask nothing: the database checks the key, and a form of twenty rows would ask twenty times whether its organization exists."""

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.ForeignKey", list(args), kwargs | {"default": current_organization_id}


class TenantModel(models.Model):
    """Base of every row that belongs to an organization: a random id, and managers that filter by organization.

    Use `unscoped` only in the listed cross-tenant jobs, on the `system` alias.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organization = OrganizationKey(
        Organization,
        on_delete=models.CASCADE,
        editable=False,
        db_index=False,  # the unique (organization_id, id) is its index
        related_name="+",
    )

    objects = TenantManager()
    unscoped = models.Manager()  # noqa: DJ012  ruff knows only `objects` as a manager

    class Meta:
        abstract = True
        base_manager_name = "objects"
        default_manager_name = "objects"


class MemberGroup(TenantModel):
    """A named group of members, to which assistants, limits and shares can be given."""

    name = models.CharField(max_length=60)
    description = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("group")
        ordering: ClassVar[list[str]] = ["name"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                "organization",
                Lower("name"),
                name="member_group_once",
                violation_error_message=gettext_lazy("There is already a group with this name."),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class GroupMember(TenantModel):
    """A member's place in a group."""

    group = TenantForeignKey(MemberGroup, models.CASCADE, editable=False, related_name="places")
    membership = TenantForeignKey(Membership, models.CASCADE, editable=False, related_name="group_places")

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "group", "membership"], name="group_member_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["membership"], name="group_member_groups")]

    def __str__(self) -> str:
        return gettext("%(membership_id)s in %(group_id)s") % {"membership_id": self.membership_id, "group_id": self.group_id}


class ApiToken(TenantModel):
    """A member's personal token for the APIs (SPEC 1.5), which has the membership's current rights, limited to `scopes` (tenants.authentication.tokens).

    Revoked tokens are kept for the member's list.
    """

    membership = TenantForeignKey(Membership, models.CASCADE, editable=False, related_name="+")
    name = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, editable=False)  # SHA-256 of the text, which is shown only once, when it is made
    last_four = models.CharField(max_length=4, editable=False)
    scopes = models.JSONField(editable=False)
    networks = models.JSONField(default=list, editable=False)  # CIDR texts from which it works; empty: from everywhere
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, editable=False)
    last_used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "digest"], name="api_token_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["membership", "-created_at"], name="api_token_newest_first")]

    def __str__(self) -> str:
        return gettext("%(name)s (ends in %(last_four)s)") % {"name": self.name, "last_four": self.last_four}


class IdempotentAnswer(TenantModel):
    """The first answer to a POST with an Idempotency-Key, kept for a day (tenants.rest.idempotency)."""

    membership = TenantForeignKey(Membership, models.CASCADE, editable=False, related_name="+")
    path = models.CharField(max_length=MAX_PATH_LENGTH, editable=False)
    key = models.CharField(max_length=255, editable=False)
    request_hash = models.CharField(max_length=64, editable=False)  # tells a repeated request from another one with the same key
    status = models.PositiveSmallIntegerField(null=True, editable=False)  # HTTP status; None while the request is being worked on
    content = models.TextField(blank=True, default="", editable=False)  # the answer's JSON
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "membership", "path", "key"], name="idempotent_answer_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["created_at"], name="idempotent_answer_expiry")]

    def __str__(self) -> str:
        return f"{self.key} {self.status or 'open'}"
