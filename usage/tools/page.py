"""What the page of usage by tool shows: a line for each tool, with what it consists of by agent, and where its runs are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext

from chat.overview.page import Change, change
from usage.pages.figure_texts import UNKNOWN, short
from usage.pages.overview import comparison_text, period_links
from usage.pages.table import runs_address
from usage.reading.labels import labels_of
from usage.reading.query import DIMENSIONS, NONE, UsageQuery
from usage.reading.sums import Scope
from usage.tools.reading import Key, ToolFigures, tools_now_and_before

MAX_LINES: Final = 100


@dataclass(frozen=True, slots=True)
class ToolLine:
    """A line of the table."""

    label: str
    by_provider: bool
    figures: ToolFigures
    change: Change | None
    is_new: bool
    runs: str  # the address of the list of runs; "": it leads nowhere
    opens: str = ""  # the address that shows its agents, or hides them
    parts: Sequence[ToolLine] = ()

    @property
    def tokens(self) -> str:
        """About how many tokens the results put into the context; of a provider's own tool it says only what calls cost."""
        return str(UNKNOWN) if self.by_provider else short(self.figures.result_tokens)


def tools_page_context(query: UsageQuery, *, open_tool: str, today: date) -> dict[str, Any]:
    """Return the template's context. At most five statements. `open_tool`: the tool whose agents are shown."""
    scope = Scope.of(query)
    now, before = tools_now_and_before(scope, ("tool", "by_provider"))
    ranked_keys = sorted(now, key=lambda key: (-now[key].calls, key))
    total, total_before = _total(now), _total(before)
    return {
        "query": query,
        "period": query.period,
        "periods": period_links(query, today),
        "compared": comparison_text(query.period),
        "filters": [
            (DIMENSIONS[name], labels_of(name, [key])[key], f"?{query.address(without=name)}") for name, key in query.filters.items()
        ],
        "lines": [_line(scope, key, now[key], before.get(key), open_tool) for key in ranked_keys[:MAX_LINES]],
        "hidden": max(0, len(ranked_keys) - MAX_LINES),
        "total": ToolLine(gettext("Total"), False, total, _change(total, total_before), False, ""),
        "usage_url": f"{reverse('admin:usage_usagesum_changelist')}?{query.address()}",
        "export_url": reverse("admin:usage_usagesum_tools_export"),
    }


def _line(scope: Scope, key: Key, figures: ToolFigures, before: ToolFigures | None, open_tool: str) -> ToolLine:
    query, (tool, by_provider) = scope.query, key
    is_open = tool == open_tool
    return ToolLine(
        label=tool,
        by_provider=by_provider,
        figures=figures,
        change=_change(figures, before),
        is_new=before is None,
        runs=_runs(query, tool),
        opens=f"?{query.address(**({} if is_open else {'open': tool}))}",
        parts=_agents(scope, key) if is_open else (),
    )


def _agents(scope: Scope, key: Key) -> list[ToolLine]:
    """Return which agents called a tool. Two statements."""
    where = "tool = %(tool)s and by_provider = %(by_provider)s"
    now, before = tools_now_and_before(scope, ("agent",), where=where, tool=key[0], by_provider=key[1])
    labels = labels_of("agent", [agent or NONE for (agent,) in now])
    return [
        ToolLine(
            label=labels[agent or NONE],
            by_provider=key[1],
            figures=now[(agent,)],
            change=_change(now[(agent,)], before.get((agent,))),
            is_new=(agent,) not in before,
            runs=_runs(scope.query.filtered("agent", agent), key[0]) if agent else "",
        )
        for (agent,) in sorted(now, key=lambda one: (-now[one].calls, one))
    ]


def _runs(query: UsageQuery, tool: str) -> str:
    return f"{runs_address(query)}&{urlencode({'tool': tool})}"


def _change(figures: ToolFigures, before: ToolFigures | None) -> Change | None:
    return change(figures.calls, before.calls) if before else None


def _total(parts: Mapping[Key, ToolFigures]) -> ToolFigures:
    total = ToolFigures()
    for part in parts.values():
        total.add(part)
    return total
