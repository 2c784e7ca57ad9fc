"""The admin in German: on its pages stands no sentence of the English ones."""

from __future__ import annotations

import re

from django.test import Client

from tests.admin_config.conftest import seeded_cast
from tests.languages.test_unmarked_texts import words_of
from tests.support.cast import Cast

__all__ = ["seeded_cast"]

# Names that rows have had since they were made.
OF_OTHERS = {"Platform defaults", "Demo (no key, scripted)", "OpenAI-compatible endpoint", "Host page", "Read web pages"}
PAGES = (
    "",
    "admin_config/agentconfig/",
    "admin_config/assistant/",
    "admin_config/assistant/add/",
    "admin_config/toolsource/",
    "admin_config/providerendpoint/",
    "admin_config/modelconfig/",
    "admin_config/release/",
    "admin_config/appsettings/",
    "security/registeredsecret/add/",
    "security/auditevent/",
    "security/auditevent/settings/",
    "chat/run/",
    "chat/run/policy/",
    "chat/messagefeedback/",
    "limits/ratelimit/",
    "limits/ratelimit/add/",
    "limits/budget/",
    "limits/budget/add/",
    "usage/usagesum/",
    "usage/usagesum/statement/",
    "usage/usagesum/reconcile/",
    "evaluations/dataset/",
    "evaluations/dataset/add/",
    "evaluations/requirement/",
    "embed/embedsite/add/",
    "sharing/share/",
    "sharing/share/policy/",
    "tenants/membership/",
    "tenants/organization/",
    "accounts/invitation/",
    "accounts/invitation/add/",
    "accounts/signon/",
    "retention/retentionrule/",
    "gallery/template/add/",
    "files/knowledgefile/",
    "admin_config/agentconfig/file/",
    "admin_config/release/publish/",
    "admin_config/release/compare/",
    "admin_config/modelconfig/add/",
    "admin_config/toolsource/add/",
    "admin_config/toolsource/add/?kind=mcp",
    "admin_config/toolsource/add/?kind=http",
    "admin_config/toolsource/add/?kind=search",
    "admin_config/providerendpoint/add/",
    "tenants/membership/service-account/",
    "evaluations/requirement/add/",
    "limits/ratelimit/violations/",
    "chat/run/operations/",
)


def sentences(page: str) -> set[str]:
    """Return the texts of two words and more, which are no names."""
    return {text for text in words_of(page) if re.search(r"[a-z]{2,} [a-z]{2,}", text)} - OF_OTHERS


def test_no_sentence_of_a_page_stays_english(seeded_cast: Cast) -> None:
    alice = Client()
    alice.force_login(seeded_cast.alice)
    left = {}
    for page in PAGES:
        english, german = (
            alice.get(f"/o/acme/admin/{page}", headers={"Accept-Language": language}, follow=True) for language in ("en", "de")
        )
        assert (english.status_code, german.status_code) == (200, 200), page
        if same := sentences(english.content.decode()) & sentences(german.content.decode()):
            left[page] = same
    assert left == {}
