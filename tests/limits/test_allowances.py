"""Which limits apply to a member's message, and what a refusal says."""

from __future__ import annotations

from uuid import uuid4

import pytest

from limits.allowances import Allowance, Rule, allowances
from limits.errors import LimitReached, duration

SALES, SUPPORT = uuid4(), uuid4()


def per_hour(number: int, scope: str, *, role: str = "", group: object = None) -> Rule:
    return Rule(scope, role, group, (None, number, None, None))  # type: ignore[arg-type]


EACH, ROLE = per_hour(10, "each_member"), per_hour(20, "role", role="member")
IN_SALES, IN_SUPPORT = per_hour(30, "group", group=SALES), per_hour(40, "group", group=SUPPORT)
OWN = per_hour(5, "member")


@pytest.mark.parametrize(
    ("rules", "count"),
    [
        ([EACH], 10),
        ([EACH, ROLE], 20),
        ([EACH, per_hour(20, "role", role="admin")], 10),
        ([EACH, ROLE, IN_SALES], 30),
        ([EACH, ROLE, IN_SALES, IN_SUPPORT], 40),
        ([EACH, per_hour(90, "group", group=uuid4())], 10),
        ([EACH, ROLE, IN_SALES, OWN], 5),
    ],
)
def test_the_narrowest_rule_decides_for_a_member(rules: list[Rule], count: int) -> None:
    assert allowances(rules, role="member", groups={SALES, SUPPORT}, with_token=False) == (Allowance("member", "hour", count),)


def test_a_rule_without_a_number_leaves_the_window_to_a_wider_one() -> None:
    day_only = Rule("member", "", None, (None, None, 100, None))
    merged_allowances = allowances([EACH, day_only], role="member", groups=(), with_token=False)
    assert merged_allowances == (Allowance("member", "hour", 10), Allowance("member", "day", 100))


def test_the_organizations_and_the_tokens_limits_count_beside_the_members() -> None:
    rules = [EACH, per_hour(100, "organization"), per_hour(3, "each_token")]
    holders = [[each.holder for each in allowances(rules, role="owner", groups=(), with_token=token)] for token in (False, True)]
    assert holders == [["member", "organization"], ["member", "organization", "token"]]


@pytest.mark.parametrize(
    ("allowance", "wait_s", "text"),
    [
        (Allowance("member", "hour", 60), 840, "You may send 60 messages in an hour. You can send the next one in 14 minutes."),
        (
            Allowance("organization", "month", 1),
            90_000,
            "Your organization may send 1 message in 30 days. You can send the next one in 25 hours.",
        ),
        (
            Allowance("member", "day", 1000, "tokens"),
            111_600,
            "You may use 1,000 tokens in a day. More than that was used, so the wait is longer. You can send the next message in 31 hours.",
        ),
        (
            Allowance("visitor", "day", 1000, "tokens", for_visitor=True),
            111_600,
            "This chat has answered more than it may in a day. You can send the next message in 31 hours.",
        ),
        (
            Allowance("visitor", "day", 1000, "tokens", for_visitor=True),
            80_000,
            "This chat has answered all that it may in a day. You can send the next message in 23 hours.",
        ),
        (Allowance("member", "hour", 1, "runs"), 840, "You may ask for 1 answer in an hour. You can send the next message in 14 minutes."),
        (
            Allowance("agent", "hour", 9, "runs", agent="document_agent"),
            840,
            "“Document agent” may give 9 answers in an hour. It can go on in 14 minutes.",
        ),
        (
            Allowance("assistant", "minute", 9),
            40,
            "This assistant may get 9 messages in a minute. You can send the next one in 40 seconds.",
        ),
        (Allowance("token", "day", 0), 10, "This API token may not send messages. An admin of your organization can change that."),
    ],
)
def test_a_refusal_says_what_applies_and_when_to_go_on(allowance: Allowance, wait_s: float, text: str) -> None:
    assert LimitReached(allowance, wait_s).message == text


def test_times_to_wait_are_in_words() -> None:
    waits = {0.2: "1 second", 59: "59 seconds", 61: "2 minutes", 7300: "3 hours", 200_000: "3 days"}
    assert {seconds: duration(seconds) for seconds in waits} == waits
