"""The admin in German: on its pages stands no sentence of the English ones."""

from __future__ import annotations

import re
from collections.abc import Iterable

from django.test import Client

from tenants.models import User
from tests.admin_config.conftest import seeded_cast
from tests.languages.test_unmarked_texts import words_of
from tests.support.accounts.cast import PASSWORD, Cast

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
    "limits/ratelimit/applicable/",
    "chat/run/operations/",
)
OPERATOR_PAGES = (
    "",
    "chat/run/",
    "tenants/organization/",
    "tenants/organization/add/",
    "tenants/organization/{organization}/change/",
    "tenants/organization/{organization}/suspension/",
    "tenants/organization/{organization}/deletion/",
    "tenants/user/",
    "tenants/user/add/",
    "tenants/membership/",
    "tenants/membership/add/",
    "limits/plan/",
    "limits/plan/add/",
    "security/platformevent/",
    "accounts/outgoingmail/",
)


def sentences(page: str) -> set[str]:
    """Return the texts of two words and more, which are no names."""
    return {text for text in words_of(page) if re.search(r"[a-z]{2,} [a-z]{2,}", text)} - OF_OTHERS


def english_left(client: Client, pages: Iterable[str]) -> dict[str, set[str]]:
    """Return what the German pages have of the English ones."""
    leftovers = {}
    for page in pages:
        english, german = (client.get(page, headers={"Accept-Language": language}, follow=True) for language in ("en", "de"))
        assert (english.status_code, german.status_code) == (200, 200), page
        if same := sentences(english.content.decode()) & sentences(german.content.decode()):
            leftovers[page] = same
    return leftovers


def test_no_sentence_of_a_page_stays_english(seeded_cast: Cast) -> None:
    alice = Client()
    alice.force_login(seeded_cast.alice)
    assert english_left(alice, [f"/o/acme/admin/{page}" for page in PAGES]) == {}


def test_no_sentence_of_an_operators_page_stays_english(seeded_cast: Cast) -> None:
    operator = Client()
    operator.force_login(User.objects.create_superuser("rita@example.org", PASSWORD, name="Rita"))
    pages = [f"/operator/{page}".format(organization=seeded_cast.acme.pk) for page in OPERATOR_PAGES]
    assert english_left(operator, pages) == {}


def test_a_language_is_chosen_in_the_menu_of_an_admin_page(seeded_cast: Cast) -> None:
    alice = Client()
    alice.force_login(seeded_cast.alice)
    page = alice.get("/o/acme/admin/chat/run/").content.decode()
    assert 'action="/accounts/language/"' in page
    assert 'name="next" type="hidden" value="/o/acme/admin/chat/run/"' in page
    choice = {"language": "de", "next": "/o/acme/admin/chat/run/"}
    german = alice.post("/accounts/language/", choice, follow=True)
    assert german.redirect_chain == [("/o/acme/admin/chat/run/", 302)]
    assert '<html lang="de"' in german.content.decode()
    for other in ("https://example.org/", "//example.org/", "/\\example.org", "account_logout", "nowhere"):
        assert alice.post("/accounts/language/", {**choice, "next": other}).headers["Location"] == "/"
    assert alice.post("/accounts/language/", {"language": "xx"}).status_code == 400
    seeded_cast.alice.refresh_from_db()
    assert seeded_cast.alice.language == "de"
    assert Client().post("/accounts/language/", choice).headers["Location"].startswith("/login/")
