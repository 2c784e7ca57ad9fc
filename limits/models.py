"""Models of limits on messages, runs, tokens and cost, of budgets, and of plans, which have some of both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final
from uuid import uuid4

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from admin_config.defaults.platform import agent_label
from limits.allowances import MICRO
from tenants.models import MemberGroup, Membership, TenantForeignKey, TenantModel

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class Scope(models.TextChoices):
    """Whom a limit or a budget is for."""

    ORGANIZATION = "organization", gettext_lazy("All members together")
    EACH_MEMBER = "each_member", gettext_lazy("Each member")
    ROLE = "role", gettext_lazy("Each member with a role")
    GROUP = "group", gettext_lazy("Each member of a group")
    MEMBER = "member", gettext_lazy("One member")
    EACH_TOKEN = "each_token", gettext_lazy("Each API token")
    ASSISTANT = "assistant", gettext_lazy("One assistant")
    AGENT = "agent", gettext_lazy("One agent")
    EMBED = "embed", gettext_lazy("All visitors together")
    VISITOR = "visitor", gettext_lazy("Each visitor")
    STRANGER = "stranger", gettext_lazy("Each visitor without an account")


EMBED_SCOPES: Final = (Scope.VISITOR, Scope.STRANGER, Scope.EMBED)


def scope_constraints(name: str, taken: StrOrPromise, *also_once: str) -> list[models.BaseConstraint]:
    """Return the constraints of a model that is for somebody: one row for each (and each value of the fields `also_once`), and no half ones."""
    return [
        models.UniqueConstraint(
            fields=["organization", "scope", "role", "group", "membership", "assistant", "embed_site", "from_plan", *also_once],
            name=f"{name}_once",
            nulls_distinct=False,
            violation_error_message=taken,
        ),
        models.CheckConstraint(condition=Q(scope="role") ^ Q(role=""), name=f"{name}_role"),
        models.CheckConstraint(condition=Q(scope="group") ^ Q(group=None), name=f"{name}_group"),
        models.CheckConstraint(condition=Q(scope="member") ^ Q(membership=None), name=f"{name}_member"),
        models.CheckConstraint(condition=Q(scope="assistant") ^ Q(assistant=None), name=f"{name}_assistant"),
        models.CheckConstraint(condition=Q(scope__in=EMBED_SCOPES) ^ Q(embed_site=None), name=f"{name}_embed"),
    ]


class ScopedModel(TenantModel):
    """Base of what an admin sets for some of the members."""

    scope = models.CharField("applies to", max_length=12, choices=Scope)
    role = models.CharField(max_length=10, choices=Membership.Role, blank=True)
    group = TenantForeignKey(MemberGroup, models.CASCADE, null=True, blank=True, related_name="+")
    membership = TenantForeignKey(Membership, models.CASCADE, null=True, blank=True, related_name="+", verbose_name="member")
    assistant = TenantForeignKey("admin_config.Assistant", models.CASCADE, null=True, blank=True, related_name="+")
    embed_site = TenantForeignKey(
        "embed.EmbedSite",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
        verbose_name=gettext_lazy("embedded chat"),
    )
    last_day = models.DateField(null=True, blank=True, help_text=gettext_lazy("It applies up to this day (UTC). Empty: it stays."))
    reason = models.CharField(max_length=200, blank=True, help_text=gettext_lazy("For other admins, and for the audit log."))
    from_plan = models.BooleanField(default=False, editable=False)  # the operator's, which admins of the organization can only read

    class Meta(TenantModel.Meta):
        abstract = True

    def __str__(self) -> str:
        match self.scope:
            case Scope.ROLE:
                return gettext("Each %(role)s") % {"role": self.get_role_display().lower()}
            case Scope.GROUP:
                return gettext("Each member of %(group)s") % {"group": self.group}
            case Scope.MEMBER:
                return str(self.membership.user) if self.membership else ""
            case Scope.ASSISTANT:
                return gettext("Assistant %(assistant)s") % {"assistant": self.assistant}
        if self.scope in EMBED_SCOPES:
            return gettext("%(whom)s of the chat %(site)s") % {"whom": self.get_scope_display(), "site": self.embed_site}
        return self.get_scope_display()

    @property
    def has_ended(self) -> bool:
        return self.last_day is not None and self.last_day < timezone.now().date()


NUMBERS: Final = ("per_minute", "per_hour", "per_day", "per_month")  # in the order of limits.allowances.SECONDS


def _number(name: str) -> models.DecimalField[Any, Any]:
    """Return a column of numbers that fit into a bigint as millionths (limits.selectors)."""
    return models.DecimalField(name, max_digits=14, decimal_places=2, null=True, blank=True, validators=[MinValueValidator(0)])


class OutagePolicy(models.TextChoices):
    """What a limit does with what comes while Redis, which counts, can't be reached."""

    BY_KIND = "by_kind", gettext_lazy("By kind of limit")
    PASS = "pass", gettext_lazy("Let through")
    REFUSE = "refuse", gettext_lazy("Refuse")


class WindowedLimit(models.Model):
    """What is counted, and how much of it somebody has in each window. An empty number means: what the next wider limit says."""

    class Measure(models.TextChoices):
        MESSAGES = "messages", gettext_lazy("Messages")
        RUNS = "runs", gettext_lazy("Answers")
        TOKENS = "tokens", gettext_lazy("Tokens")
        COST = "cost", gettext_lazy("US dollars")

    measure = models.CharField("counts", max_length=8, choices=Measure, default=Measure.MESSAGES)
    per_minute = _number("a minute")
    per_hour = _number("an hour")
    per_day = _number("a day")
    per_month = _number("in 30 days")
    when_away = models.CharField(
        "while Redis is away",
        max_length=7,
        choices=OutagePolicy,
        default=OutagePolicy.BY_KIND,
        help_text=gettext_lazy(
            "Redis counts. By kind: limits on messages and answers let messages through uncounted, limits on tokens and US dollars refuse them."
        ),
    )

    class Meta:
        abstract = True

    @property
    def counts(self) -> tuple[int | None, ...]:
        """The numbers, in the units of limits.allowances.Allowance."""
        unit = MICRO if self.measure == self.Measure.COST else 1
        numbers = [getattr(self, name) for name in NUMBERS]
        return tuple(None if number is None else int(number * unit) for number in numbers)


class RateLimit(WindowedLimit, ScopedModel):
    """How many messages somebody may send, runs start, tokens use, or US dollars spend."""

    # The name of an agent, over all providers, by which other agents call it, too: "document_agent" (docs/decisions/0097).
    agent = models.CharField(max_length=80, blank=True)

    class Meta(ScopedModel.Meta):
        verbose_name = "limit"
        ordering: ClassVar[list[str]] = ["scope", "role", "measure", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *scope_constraints("rate_limit", gettext_lazy("There is already a limit for this. Change that one."), "agent", "measure"),
            models.CheckConstraint(condition=Q(scope="agent") ^ Q(agent=""), name="rate_limit_agent"),
            models.CheckConstraint(condition=~Q(scope="agent", measure="messages"), name="rate_limit_agent_measure"),
        ]

    def __str__(self) -> str:
        return agent_label(self.agent) if self.agent else super().__str__()


class Amount(models.Model):
    """How much may be spent in a period."""

    class Period(models.TextChoices):
        DAY = "day", gettext_lazy("A day")
        MONTH = "month", gettext_lazy("A month")
        TOTAL = "total", gettext_lazy("In total")

    period = models.CharField(
        max_length=5, choices=Period, default=Period.MONTH, help_text=gettext_lazy("Days and months begin at midnight UTC.")
    )
    amount_usd = models.DecimalField(
        "amount in US dollars",
        max_digits=12,
        decimal_places=2,
        validators=[MinValueValidator(0)],
        help_text=gettext_lazy("0 lets nobody send."),
    )
    warn_percent = models.PositiveSmallIntegerField(
        "warn at percent",
        default=80,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text=gettext_lazy("When so much is spent, owners get a mail, once in a period."),
    )

    class Meta:
        abstract = True


class Budget(Amount, ScopedModel):
    """How much somebody's model calls may cost in a period. Each member, or token, has an account of their own."""

    is_active = models.BooleanField("active", default=True)

    class Meta(ScopedModel.Meta):
        ordering: ClassVar[list[str]] = ["scope", "role", "period", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *scope_constraints("budget", gettext_lazy("There is already a budget for this. Change that one."), "period"),
            models.CheckConstraint(condition=~Q(scope="agent"), name="budget_no_agent"),
        ]

    @property
    def is_for_one(self) -> bool:
        """Whether it has one account in a period."""
        return self.scope in (Scope.ORGANIZATION, Scope.MEMBER, Scope.ASSISTANT, Scope.EMBED)


class BudgetAccount(TenantModel):
    """What one holder has spent of a budget in one period, and what is held for calls under way (limits.accounts)."""

    budget = TenantForeignKey(Budget, models.CASCADE, related_name="accounts")
    subject_id = models.UUIDField()  # the organization, the membership, the API token, the assistant or the embedded chat
    starts_on = models.DateField()  # the period's first day (limits.periods)
    spent_usd = models.DecimalField(max_digits=20, decimal_places=8, default=0)
    estimated_usd = models.DecimalField(max_digits=20, decimal_places=8, default=0)  # how much of it is an estimate
    held_usd = models.DecimalField(max_digits=20, decimal_places=8, default=0)
    unpriced_calls = models.PositiveIntegerField(default=0)  # calls of models without a price: they add nothing
    warned_at = models.DateTimeField(null=True, blank=True)  # when owners were told that it goes to its end

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "budget", "subject_id", "starts_on"], name="budget_account_once"),
        ]

    def __str__(self) -> str:
        return gettext("%(spent_usd)s since %(starts_on)s") % {"spent_usd": self.spent_usd, "starts_on": self.starts_on}


class Hold(TenantModel):
    """What one model call may cost, in one account, until it is settled."""

    account = TenantForeignKey(BudgetAccount, models.CASCADE, related_name="holds")
    call_id = models.UUIDField()  # of the row in the call log
    amount_usd = models.DecimalField(max_digits=20, decimal_places=8)
    until = models.DateTimeField()  # then the process that made it is lost

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization", "call_id", "account"], name="hold_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["until"], name="hold_until")]

    def __str__(self) -> str:
        return gettext("%(amount_usd)s for %(call_id)s") % {"amount_usd": self.amount_usd, "call_id": self.call_id}


class Plan(models.Model):
    """A set of limits and budgets under a name, which the platform's operator gives to organizations."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    name = models.CharField(max_length=60, unique=True, error_messages={"unique": gettext_lazy("There is a plan with this name.")})
    description = models.CharField(max_length=200, blank=True)
    version = models.PositiveIntegerField(default=1, editable=False)  # counts its changes

    class Meta:
        ordering: ClassVar[list[str]] = ["name"]

    def __str__(self) -> str:
        return self.name


PLAN_SCOPES = [(scope.value, scope.label) for scope in (Scope.ORGANIZATION, Scope.EACH_MEMBER, Scope.EACH_TOKEN)]


class PlanLimit(WindowedLimit):
    """A limit of a plan."""

    plan = models.ForeignKey(Plan, models.CASCADE, related_name="limits")
    scope = models.CharField("applies to", max_length=12, choices=PLAN_SCOPES)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["plan", "scope", "measure"],
                name="plan_limit_once",
                violation_error_message=gettext_lazy("The plan has a limit for this."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_scope_display()}: {self.get_measure_display().lower()}"


class PlanBudget(Amount):
    """A budget of a plan."""

    plan = models.ForeignKey(Plan, models.CASCADE, related_name="budgets")
    scope = models.CharField("applies to", max_length=12, choices=PLAN_SCOPES)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["plan", "scope", "period"],
                name="plan_budget_once",
                violation_error_message=gettext_lazy("The plan has a budget for this."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_scope_display()}: {self.get_period_display().lower()}"


class OrganizationPlan(TenantModel):
    """The plan that an organization has, with its name, which its admins are shown. The plan itself is the platform's."""

    plan_id = models.UUIDField()
    plan_version = models.PositiveIntegerField()  # whose limits and budgets the organization has
    name = models.CharField(max_length=60)

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization"], name="organization_plan_once"),
        ]

    def __str__(self) -> str:
        return self.name
