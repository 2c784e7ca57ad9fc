"""What a person sees and sends on an admin page, taken from its HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

ACME = "/o/acme/admin/"

FormValue = str | list[str] | SimpleUploadedFile
Page = Any  # an answer of the test client, which its type stubs name by a private class


_TAG_END = r"""(?:[^>"']|"[^"]*"|'[^']*')*>"""
# What of a page has to do with its forms. To parse the whole page of an agent took a seventh of the time of its save.
_OF_FORMS = re.compile(rf"<(?:form|input|select|option)\b{_TAG_END}|</(?:form|select)>|<textarea\b{_TAG_END}.*?</textarea>", re.DOTALL)


class _Form(HTMLParser):
    """The values that a browser would send with the page's main form."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, Any] = {}
        self.selects: set[str] = set()
        self._inside = False
        self._select = ""
        self._textarea = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "form":
            self._inside = str(attributes.get("id", "")).endswith("_form")
        if not self._inside:
            return
        name = attributes.get("name") or ""
        if tag == "input" and name and attributes.get("type") == "checkbox":
            if "checked" in attributes:
                self._tick(name, attributes.get("value"))
        elif tag == "input" and name and (attributes.get("type") != "radio" or "checked" in attributes):
            self._fill(name, attributes.get("value") or "")
        elif tag == "select":
            self._select = name
            self.selects.add(name)
        elif tag == "option" and self._select and "selected" in attributes:
            self._fill(self._select, attributes.get("value") or "")
        elif tag == "textarea":
            self._textarea = name
            self.values[name] = ""

    def _fill(self, name: str, value: str) -> None:
        """A name that stands several times is that of rows, as of headers."""
        if name in self.values:
            before = self.values[name]
            self.values[name] = [*(before if isinstance(before, list) else [before]), value]
        else:
            self.values[name] = value

    def _tick(self, name: str, value: str | None) -> None:
        """A box with a value is one of a group that share their name."""
        self.values[name] = [*self.values.get(name, []), value] if value else "on"

    def handle_data(self, data: str) -> None:
        if self._textarea:
            self.values[self._textarea] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = False
        elif tag == "select":
            self._select = ""
        elif tag == "textarea" and self._textarea:
            # HTML drops the line break that follows the start tag.
            self.values[self._textarea] = self.values[self._textarea].removeprefix("\r\n").removeprefix("\n")
            self._textarea = ""


def form_values(response: Page) -> dict[str, Any]:
    """What Save would send for the page as it is: texts, and lists of the ticked boxes of a group."""
    return _form(response.content.decode()).values


def _form(html: str) -> _Form:
    form = _Form()
    form.feed("".join(_OF_FORMS.findall(html)))
    return form


def changed_values(html: str, changes: Mapping[str, FormValue]) -> dict[str, Any]:
    """What Save would send for the page after these changes; a value of "off" unticks a box, or chooses it."""
    form = _form(html)
    values = {**form.values, **changes, "_save": "Save"}
    return {name: value for name, value in values.items() if value != "off" or name in form.selects}


def save(client: Client, url: str, /, **changes: FormValue) -> Page:
    """Open the page, change these fields, save; a value of "off" unticks a box, or chooses it."""
    return send(client, url, client.get(url), **changes)


def send(client: Client, url: str, page: Page, /, **changes: FormValue) -> Page:
    """Change these fields of the page, which is open already, and save."""
    return client.post(url, changed_values(page.content.decode(), changes))


def send_each(client: Client, url: str, tries: Iterable[Mapping[str, FormValue]]) -> list[Page]:
    """The answers to these changes, each of which is made on the page as it is now. To open it takes as long as to refuse one of them."""
    page = client.get(url)
    return [send(client, url, page, **changes) for changes in tries]


def publish(client: Client, *, note: str = "Better") -> Page:
    """Publish the draft as the publish page shows it."""
    page = f"{ACME}admin_config/release/publish/"
    [draft_hash] = re.findall(r'name="seen" value="(\w+)"', client.get(page).content.decode())
    return client.post(page, {"note": note, "seen": draft_hash}, follow=True)


def errors(response: Page) -> dict[str, list[str]]:
    """The errors by field of the page's form and of its operations."""
    errors_by_field: dict[str, list[str]] = {name: list(texts) for name, texts in response.context["adminform"].form.errors.items()}
    for inline in response.context["inline_admin_formsets"]:
        for form in inline.formset.forms:
            errors_by_field |= {f"{form.instance.name}.{name}": list(texts) for name, texts in form.errors.items()}
    return errors_by_field


def header_trail(page: str) -> list[tuple[str, str]]:
    """The pages that the header names, each with where it leads."""
    [header] = re.findall(r"<h1.*?</h1>", page, re.DOTALL)
    return [(name, link) for link, name in re.findall(r'<(?:a href="([^"]*)"|span) class="align-middle[^>]*>([^<]+)<', header)]
