"""Errors of limits."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from math import ceil
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext, override

from admin_config.defaults.platform import agent_label
from limits.allowances import CHARGED, MICRO, SECONDS, Allowance, Holder, Measure, Window
from tenants.errors import ParleyError
from tenants.localization.currency import Currency, currency_shown
from tenants.localization.figures import allowed_money, figure

IN_WORDS: Mapping[Window, Promise] = {
    "minute": gettext_lazy("in a minute"),
    "hour": gettext_lazy("in an hour"),
    "day": gettext_lazy("in a day"),
    "month": gettext_lazy("in 30 days"),
}


class LimitReached(ParleyError):
    """A limit on messages, answers, tokens or cost is used up."""

    status = 429

    def __init__(self, allowance: Allowance, wait_s: float) -> None:
        super().__init__(_text(allowance, wait_s))
        self.allowance, self.wait_s = allowance, wait_s
        self.code = CODES[allowance.measure]
        fields = {} if allowance.for_visitor else rate_limit_fields(allowance, 0, wait_s)
        self.agent = "" if allowance.for_visitor else allowance.agent
        self.headers = {"Retry-After": str(ceil(wait_s)), **fields}
        self.refused_by = _name_of_limit(allowance)

    def say_in(self, currency: Currency) -> None:
        """Say the limit in the organization's currency. Who counts does not know it."""
        with currency_shown(lambda: currency):
            self.message = _text(self.allowance, self.wait_s)
        self.args = (self.message,)


CODES: Final[dict[Measure, str]] = {
    "messages": "message_limit_reached",
    "runs": "run_limit_reached",
    "tokens": "token_limit_reached",
    "cost": "cost_limit_reached",
}


def rate_limit_fields(allowance: Allowance, left: int, resets_in_s: float) -> dict[str, str]:
    """Return the header fields that tell a limit (draft-ietf-httpapi-ratelimit-headers-10). Costs are millionths of a US dollar.

    The partition key is the name of the agent whose limit it is: each agent has a quota of its own under the same policy.
    """
    name = f"{allowance.holder}-{allowance.window}"
    name = name if allowance.measure == "messages" else f"{allowance.measure}-{name}"
    unit = {"messages": "", "runs": ';qu="runs"', "tokens": ';qu="tokens"', "cost": ';qu="micro-usd"'}[allowance.measure]
    partition = f";pk=:{b64encode(allowance.agent.encode()).decode()}:" if allowance.agent else ""
    return {
        "RateLimit-Policy": f'"{name}";q={allowance.count};w={SECONDS[allowance.window]}{unit}{partition}',
        "RateLimit": f'"{name}";r={left};t={ceil(resets_in_s)}{partition}',
    }


class LimitsUnavailable(ParleyError):
    """A message that a limit refuses because Redis, which counts, can't be reached."""

    code = "limits_uncounted"
    status = 503
    message = gettext_lazy(
        "Messages can't be counted at the moment, and a limit of your organization lets none through uncounted. Nothing was sent; please try again in a minute."
    )
    action = "retry"

    def __init__(self) -> None:
        super().__init__()
        self.headers = {"Retry-After": "30"}


class LimitsChanged(ParleyError):
    """The limits changed again and again while a message was stored."""

    code = "limits_changed"
    status = 503
    message = gettext_lazy("The limits were changed just now. Nothing was sent; please send it again.")
    action = "retry"


# What admins read of a refusal, in the language of the audit log.
FOR_ADMINS: Final[Mapping[Holder, str]] = {
    "organization": "all members together",
    "group": "a group together",
    "member": "each member",
    "token": "each API token",
    "assistant": "one assistant",
    "agent": "one agent",
    "embed": "all visitors of an embedded chat",
    "visitor": "each visitor of an embedded chat",
}


def _name_of_limit(allowance: Allowance) -> tuple[str, str]:
    """Return what names the limit for ever, and its words, such as "60 messages in an hour, each member"."""
    of = allowance.assistant_id or allowance.embed_id or allowance.agent
    own = f"-{of}" if of else ""
    with override("en"):
        words = f"{amount_text(allowance)} {IN_WORDS[allowance.window]}, {agent_label(allowance.agent) or FOR_ADMINS[allowance.holder]}"
    return f"{allowance.measure}-{allowance.holder}-{allowance.window}{own}", words


def _text(allowance: Allowance, wait_s: float) -> str:
    if not allowance.count:
        words = NOTHING_TAKEN if allowance.for_visitor else _NONE_ALLOWED[allowance.holder]
        return str(words) % {"agent": agent_label(allowance.agent)}
    shows_amount = not allowance.for_visitor or (allowance.measure not in CHARGED and allowance.holder not in OF_OTHERS)
    # What is used at once may pass the limit, or the limit was lowered since. Both are waited for.
    is_passed = wait_s > SECONDS[allowance.window]
    if not shows_amount:
        sentence = str(_MORE_ANSWERED if is_passed else _ALL_ANSWERED) % {"window": IN_WORDS[allowance.window]}
        return f"{sentence} {_next(allowance, wait_s)}"
    sentences = [_allowance_sentence(allowance), _next(allowance, wait_s)]
    if is_passed:
        sentences.insert(1, gettext("More than that was used, so the wait is longer."))
    return " ".join(sentences)


def _allowance_sentence(allowance: Allowance) -> str:
    """Return what the limit allows, as a sentence."""
    verbs = _WORK if allowance.holder in ("assistant", "agent") else _SEND
    what = str(verbs[allowance.measure]) % {"amount": amount_text(allowance)}
    params = {"what": what, "window": IN_WORDS[allowance.window], "agent": agent_label(allowance.agent)}
    return str(_SOME_ALLOWED[allowance.holder]) % params


def _next(allowance: Allowance, wait_s: float) -> str:
    """Return when it goes on, as a sentence."""
    if allowance.holder == "agent" and not allowance.for_visitor:
        words = gettext("It can go on in %(wait)s.")
    elif allowance.measure == "messages":
        words = gettext("You can send the next one in %(wait)s.")
    else:
        words = gettext("You can send the next message in %(wait)s.")
    return words % {"wait": duration(wait_s)}


# What whoever sends may do, and what whoever answers may.
_SEND: Final[Mapping[Measure, Promise]] = {
    "messages": gettext_lazy("send %(amount)s"),
    "runs": gettext_lazy("ask for %(amount)s"),
    "tokens": gettext_lazy("use %(amount)s"),
    "cost": gettext_lazy("spend %(amount)s"),
}
_WORK: Final[Mapping[Measure, Promise]] = {**_SEND, "messages": gettext_lazy("get %(amount)s"), "runs": gettext_lazy("give %(amount)s")}
NOTHING_TAKEN: Final = gettext_lazy("This chat takes no messages at the moment.")
_NONE_ALLOWED: Mapping[Holder, Promise] = {
    "organization": gettext_lazy("Your organization may not send messages. An admin of your organization can change that."),
    "member": gettext_lazy("You may not send messages. An admin of your organization can change that."),
    "token": gettext_lazy("This API token may not send messages. An admin of your organization can change that."),
    "assistant": gettext_lazy("Nobody may send messages to this assistant. An admin of your organization can change that."),
    "agent": gettext_lazy("“%(agent)s” may not be used. An admin of your organization can change that."),
    "embed": NOTHING_TAKEN,
    "visitor": NOTHING_TAKEN,
}
_SOME_ALLOWED: Mapping[Holder, Promise] = {
    "organization": gettext_lazy("Your organization may %(what)s %(window)s."),
    "member": gettext_lazy("You may %(what)s %(window)s."),
    "token": gettext_lazy("This API token may %(what)s %(window)s."),
    "assistant": gettext_lazy("This assistant may %(what)s %(window)s."),
    "agent": gettext_lazy("“%(agent)s” may %(what)s %(window)s."),
    "embed": gettext_lazy("All visitors of this chat together may %(what)s %(window)s."),
    "visitor": gettext_lazy("You may %(what)s %(window)s."),
}
OF_OTHERS: Final = frozenset[Holder]({"organization", "assistant", "agent"})  # what they may send is no visitor's business
_ALL_ANSWERED: Final = gettext_lazy("This chat has answered all that it may %(window)s.")
_MORE_ANSWERED: Final = gettext_lazy("This chat has answered more than it may %(window)s.")


def amount_text(allowance: Allowance, amount: int | None = None) -> str:
    """Return "60 messages", "1 answer", "5,000 tokens" or "$2.50" in the shown currency; of the limit, or of another amount in its units."""
    number = allowance.count if amount is None else amount
    match allowance.measure:
        case "cost":
            return allowed_money(number / MICRO)
        case "runs":
            quantity = ngettext("%(number)s answer", "%(number)s answers", number)
        case "tokens":
            quantity = ngettext("%(number)s token", "%(number)s tokens", number)
        case _:
            quantity = ngettext("%(number)s message", "%(number)s messages", number)
    return quantity % {"number": figure(number)}


def duration(seconds: float) -> str:
    """Return a time to wait in words, rounded up to a whole unit."""
    for unit, size in (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)):
        if seconds > 2 * size or size == 1 or (unit == "minute" and seconds > 60):
            number = max(1, ceil(seconds / size))
            return _UNITS[unit](number) % {"number": number}
    raise AssertionError("seconds are the smallest unit")


_UNITS: Mapping[str, Callable[[int], str]] = {
    "day": lambda number: ngettext("%(number)d day", "%(number)d days", number),
    "hour": lambda number: ngettext("%(number)d hour", "%(number)d hours", number),
    "minute": lambda number: ngettext("%(number)d minute", "%(number)d minutes", number),
    "second": lambda number: ngettext("%(number)d second", "%(number)d seconds", number),
}
