"""The organization's admin as an owner uses it: a source of tools is made, an agent gets it, a folder gets a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from tests.admin_config.pages import changed_values

CONFIG = "/o/acme/admin/admin_config"
EMBEDS = "/o/acme/admin/embed/embedsite/"


def agent_address(page: Page, agent: str, *, config: str = CONFIG) -> str:
    """Where the list of agents leads for this one."""
    [address] = row_addresses(page, f"{config}/agentconfig/", agent)
    return address


def row_addresses(page: Page, listing: str, name: str) -> list[str]:
    """Where a list leads for its rows of this name, from the top. The list is read and not drawn, which costs a quarter."""
    html = page.request.get(listing).text()
    return [*dict.fromkeys(re.findall(rf'href="([^"?]+/change/)[^"]*"[^>]*>\s*{re.escape(name)}\s*</a>', html))]


def set_values(page: Page, path: str, **values: str) -> None:
    """Save these fields, by the names in which they are sent, where no test looks at the page: it is read and sent, not drawn."""
    response = page.request.get(path)
    assert "successfully" in _send(page, response.url, changed_values(response.text(), values))


def delete_row(page: Page, address: str) -> None:
    """Delete the row of this page, where no test looks at it."""
    response = page.request.get(address.replace("/change/", "/delete/"))
    assert "was deleted successfully" in _send(page, response.url, {"post": "yes", **_token(response.text())})


def choose(page: Page, path: str, **values: str) -> None:
    """Save a page of its own kind, without fields of a row, where no test looks at it. It says "Saved."."""
    response = page.request.get(path)
    assert "Saved." in _send(page, response.url, {**values, **_token(response.text())})


def new_embed(page: Page, origin: str, name: str) -> tuple[str, str]:
    """Return the key and the secret of a new embed, for a test that looks at something else. Its pages are read and sent, not drawn."""
    set_values(page, f"{EMBEDS}add/", name=name, title=name, origins=origin)
    [address] = row_addresses(page, EMBEDS, name)
    response = page.request.get(address)
    [key] = re.findall(r'site="([\w-]{43})"', response.text())
    [secret] = re.findall(
        r'id="secret"[^>]* value="([^"]+)"', _send(page, response.url.replace("/change/", "/secret/"), _token(response.text()))
    )
    return key, secret


def _token(html: str) -> dict[str, str]:
    [token, *_] = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', html)
    return {"csrfmiddlewaretoken": token}


def _send(page: Page, url: str, values: Mapping[str, Any]) -> str:
    """Send a form as a browser does, and return the page that follows."""
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Referer": url}
    return str(page.request.post(url, data=urlencode(values, doseq=True), headers=headers).text())


def save(page: Page, button: str = "Save") -> None:
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_text("successfully").first).to_be_visible()


def make_source(page: Page, kind: str, name: str, *, asks: bool = False, argument: str = "", **settings: str) -> None:
    """Save a new source and stay on its page. `settings`: what its fields get, by their labels with underscores; `argument`: its only one."""
    page.goto(f"{CONFIG}/toolsource/add/?kind={kind}")
    if argument:
        page.get_by_role("textbox", name="Argument", exact=True).fill(argument)
    for label, value in {"Name": name, **settings}.items():
        page.get_by_role("textbox", name=label.replace("_", " ")).fill(value)
    if asks:
        page.get_by_role("checkbox", name="Ask the user before each call").check()
    save(page, "Save and continue editing")


def make_agent(page: Page, name: str, description: str) -> None:
    """Save a new agent of the demo provider's models."""
    page.goto(f"{CONFIG}/agentconfig/add/")
    page.get_by_role("textbox", name="Name").fill(name)
    page.get_by_role("combobox", name="Provider").select_option("demo")
    page.get_by_role("textbox", name="Description").fill(description)
    save(page)
    page.wait_for_url("**/change/")


def give(page: Page, agent: str, *, sources: tuple[str, ...] = (), agents: tuple[str, ...] = ()) -> None:
    """Add rows to the agent's page, one below the other, and save it. The choices are told by how they begin."""
    page.goto(agent_address(page, agent))
    if sources:
        page.get_by_role("tab", name="Tools").click()
    for name in sources:
        _add_row(page, "Add source of tools", "-source", name)
    if agents:
        page.get_by_role("tab", name="Sub-agents").click()
    for name in agents:
        _add_row(page, "Add sub-agent", "-sub_agent", name)
    save(page)


def _add_row(page: Page, button: str, ending: str, choice: str) -> None:
    selects = page.locator(f"select[name$='{ending}']:not([name*=__prefix__])")
    before = selects.count()
    page.get_by_role("link", name=button).click()
    expect(selects).to_have_count(before + 1)
    newest = selects.nth(before)
    newest.select_option(value=newest.locator("option").filter(has_text=f"{choice} (").first.get_attribute("value"))


def upload(page: Page, folder: str, name: str, text: str) -> None:
    """Put a file of text into a folder of knowledge files."""
    page.goto("/o/acme/admin/files/knowledgefile/add/")
    page.get_by_role("combobox", name="Folder").select_option(label=f"{folder} (Knowledge files)")
    page.get_by_label("File", exact=True).set_input_files({"name": name, "mimeType": "text/markdown", "buffer": text.encode()})
    save(page)
