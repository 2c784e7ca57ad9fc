"""The trail in the header of an admin page, and what a list is called there, in its heading and in the window's title: as in the sidebar."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

from django import template
from django.db.models import Model
from django.db.models.options import Options
from django.http import HttpRequest
from django.template import Context
from django.urls import reverse
from django.utils.text import capfirst

register = template.Library()


class Step(NamedTuple):
    """A page on the way. `link` is empty at the page itself."""

    title: str
    link: str = ""


@register.simple_tag(takes_context=True)
def page_trail(context: Context) -> list[Step]:
    """Return the pages that lead to this one, which is the last: a list, a row of it, and what is done there.

    The theme's own trail (unfold 0.91) ends at the list on pages without a row, such as a form for a new one, and makes names of rows begin
    with a capital, which names of tools must not.
    """
    request = context["request"]
    row = context.get("original") or context.get("object")
    row = row if isinstance(row, Model) else None
    opts = row._meta if row else context.get("opts")
    title = str(context.get("content_title") or context.get("title") or "")
    if opts is None:
        return [Step(title)]
    steps = [Step(list_name(context, opts), _link(request, opts, "changelist"))]
    if row:
        steps.append(Step(str(row), _link(request, opts, "change", row.pk)))
    if "cl" not in context and not (row and "adminform" in context):
        steps.append(Step(title))
    return _without_repetition(steps, request.path)


@register.simple_tag(takes_context=True)
def list_name(context: Context, opts: Options[Any]) -> str:
    """Return what a list is called: as in the sidebar, or else as its model."""
    link = _link(context["request"], opts, "changelist")
    items = [item for group in context.get("sidebar_navigation") or () for item in group["items"]]
    return next((str(item["title"]) for item in items if item["link"] == link), str(capfirst(opts.verbose_name_plural)))


def _link(request: HttpRequest, opts: Options[Any], page: str, *args: object) -> str:
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_{page}", args=args, current_app=getattr(request, "current_app", None))


def _without_repetition(steps: list[Step], path: str) -> list[Step]:
    """Leave out a page that has the name of the next one, and what stands before a page at the address of its list."""
    last = steps[-1]
    if steps[0].link == path:
        return [Step(last.title)]
    before = [step for step, after in pairwise(steps) if step.title.casefold() != after.title.casefold()]
    return [*before, Step(last.title)]
