"""A hint as it is stored: its kind and figures. Its words are made when somebody reads it, in their language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from tenants.localization.figures import figure, money

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class _Kind:
    title: StrOrPromise
    why: StrOrPromise
    link: StrOrPromise
    page: str  # the URL name of the page that does it


KINDS: Final[Mapping[str, _Kind]] = {
    "model": _Kind(
        gettext_lazy("Let %(cheaper)s answer for %(agent)s"),
        gettext_lazy(
            "It passes %(cheaper_passed)s of %(answers)s answers of the data set “%(data_set)s”; %(model)s, which is in use, passes %(passed)s of %(own_answers)s. Counted with the tokens of the last 30 days."
        ),
        gettext_lazy("Compare the answers"),
        "admin:evaluations_dataset_change",
    ),
    "cache": _Kind(
        gettext_lazy("Keep the beginning of %(agent)s's prompt the same"),
        gettext_lazy(
            "%(cached)s %% of its input comes from the cache: %(prompts)s of its last %(calls)s calls had a prompt of their own. Move what changes, such as names and dates, to the end. Counted with %(usual)s %% from the cache."
        ),
        gettext_lazy("Open the prompt"),
        "admin:admin_config_agentconfig_change",
    ),
    "step_limit": _Kind(
        gettext_lazy("Raise the step limit"),
        gettext_lazy(
            "%(share)s %% of the last %(runs)s runs ended at it, and members had to start them again: each time the whole context is sent once more."
        ),
        gettext_lazy("Show these runs"),
        "admin:chat_run_changelist",
    ),
    "tool_results": _Kind(
        gettext_lazy("Shorten the results of %(tool)s"),
        gettext_lazy(
            "%(results)s results in the last %(runs)s runs had %(average)s characters on average, which each later step reads again. Counted with %(enough)s characters, read once."
        ),
        gettext_lazy("Open the tools"),
        "admin:admin_config_toolsource_changelist",
    ),
}


@dataclass(frozen=True, slots=True)
class Hint:
    """A way to save."""

    kind: str  # a key of KINDS
    usd: float  # a month, estimated
    values: Mapping[str, Any]  # numbers and names in its words
    row: str = ""  # the row that the page is of
    query: str = ""  # of its address

    @property
    def title(self) -> str:
        return str(KINDS[self.kind].title) % self._text_values()

    @property
    def why(self) -> str:
        return str(KINDS[self.kind].why) % self._text_values()

    @property
    def link(self) -> StrOrPromise:
        return KINDS[self.kind].link

    @property
    def saving(self) -> str:
        return money(self.usd)

    @property
    def href(self) -> str:
        address = reverse(KINDS[self.kind].page, args=[self.row] if self.row else [])
        return f"{address}?{self.query}" if self.query else address

    def _text_values(self) -> dict[str, str]:
        words = {name: value if isinstance(value, str) else figure(value) for name, value in self.values.items()}
        return {**words, "tool": words.get("tool") or gettext("a tool")}


def stored_hints(rows: Iterable[Mapping[str, Any]]) -> list[Hint]:
    """Return the hints that are stored, without those of a kind that this version of Parley does not know."""
    return [Hint(**hint) for hint in rows if hint.get("kind") in KINDS]
