"""Models of embedded chats and their visitors."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy

from tenants.models import TenantForeignKey, TenantModel

MAX_ORIGINS = 20
MAX_STARTERS = 4
MAX_STARTER_CHARS = 120
MAX_SUBJECT_CHARS = 200


class EmbedSite(TenantModel):
    """A chat that other people's pages may show. Its public key (embed.keys) names it in their HTML and is the audience of their tokens."""

    class Language(models.TextChoices):
        VISITOR = "", gettext_lazy("The visitor's, if we have it")
        ENGLISH = "en", gettext_lazy("English")
        GERMAN = "de", gettext_lazy("German")

    name = models.CharField(max_length=60, help_text=gettext_lazy("For admins. Visitors don't see it."))
    is_active = models.BooleanField(
        "on", default=True, help_text=gettext_lazy("Off: pages show nothing, and visitors can send nothing more.")
    )
    # The key of an assistant's agent; blank: the chat agent. Not a foreign key: when the assistant is gone, nobody answers in its place.
    assistant = models.CharField("answers", max_length=80, blank=True)
    allowed_origins = models.JSONField(default=list, blank=True, editable=False)  # such as https://shop.example; nobody else may frame it
    secret = TenantForeignKey("security.Secret", models.PROTECT, editable=False, related_name="+")  # HS256, for the host's tokens
    key_set = models.JSONField(
        default=list, blank=True, editable=False
    )  # public keys (embed.host.key_sets) that the host's tokens may be signed for
    key_set_url = models.CharField(
        "address of the key set",
        max_length=500,
        blank=True,
        help_text=gettext_lazy(
            "In its place: where the page's server publishes its public keys, such as https://shop.example/.well-known/jwks.json. They are "
            "fetched when they are needed, and again after 15 minutes."
        ),
    )
    anonymous_allowed = models.BooleanField(
        "visitors without an account",
        default=True,
        help_text=gettext_lazy("Off: only visitors whom the page signs in, with a token that it signs."),
    )
    members_may_keep = models.BooleanField(
        "members can keep what they wrote",
        default=False,
        help_text=gettext_lazy(
            "On: the chat has a button with which members of the organization sign in and take their conversation along."
        ),
    )
    shows_switches = models.BooleanField(
        "visitors can switch tools",
        default=False,
        db_default=False,
        help_text=gettext_lazy(
            "On: visitors switch the search of the web, and the tools that members may switch, on and off for each message."
        ),
    )
    keep_days = models.PositiveSmallIntegerField(
        "keep for days",
        default=90,
        validators=[MinValueValidator(1), MaxValueValidator(3650)],
        help_text=gettext_lazy("A visitor who has not come back for so long is deleted with all conversations."),
    )
    title = models.CharField("title", max_length=60, help_text=gettext_lazy("At the top of the chat."))
    subtitle = models.CharField(max_length=80, blank=True, help_text=gettext_lazy("One line under the title."))
    greeting = models.CharField(max_length=300, blank=True, help_text=gettext_lazy("Above an empty conversation."))
    placeholder = models.CharField(
        "message box", max_length=60, blank=True, help_text=gettext_lazy("What stands in the empty message box.")
    )
    starters = models.JSONField(default=list, blank=True, editable=False)  # texts that an empty conversation offers
    accent_color = models.CharField(
        "accent",
        max_length=7,
        blank=True,
        validators=[RegexValidator(r"^#[0-9a-fA-F]{6}\Z", gettext_lazy("Write a colour as #rrggbb."))],
        help_text=gettext_lazy("As #rrggbb. Blank: the organization's."),
    )
    language = models.CharField(max_length=10, choices=Language, blank=True, default="")
    shows_brand = models.BooleanField("says “with Parley”", default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        verbose_name = gettext_lazy("embedded chat")
        ordering: ClassVar[list[str]] = ["name"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organization", "name"],
                name="embed_site_once",
                violation_error_message=gettext_lazy("There is already an embedded chat with this name."),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class EmbedVisitor(TenantModel):
    """Somebody who chats on a page: whom the page signed in (`subject`), or who has a random token (`digest`). Each has a membership as visitor."""

    site = TenantForeignKey(EmbedSite, models.CASCADE, editable=False, related_name="visitors")
    membership = TenantForeignKey("tenants.Membership", models.CASCADE, editable=False, related_name="+")
    subject = models.CharField(max_length=MAX_SUBJECT_CHARS, blank=True, editable=False)
    digest = models.CharField(max_length=64, blank=True, editable=False)  # SHA-256
    created_at = models.DateTimeField(auto_now_add=True)
    last_seen_at = models.DateTimeField(editable=False)  # to within an hour

    class Meta(TenantModel.Meta):
        verbose_name = "visitor"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(subject="") ^ Q(digest=""), name="embed_visitor_is_somebody"),
            models.UniqueConstraint(fields=["organization", "site", "subject", "digest"], name="embed_visitor_once"),
            models.UniqueConstraint(fields=["organization", "membership"], name="embed_visitor_of_membership"),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["last_seen_at"], name="embed_visitor_last_seen")]

    def __str__(self) -> str:
        return self.subject or gettext("Visitor")
