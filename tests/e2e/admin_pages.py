"""The organization's admin as an owner uses it: a source of tools is made, an agent gets it, a folder gets a file."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from tests.admin_config.pages import changed_values

CONFIG = "/o/acme/admin/admin_config"


def agent_address(page: Page, agent: str, *, config: str = CONFIG) -> str:
    """Where the list of agents leads for this one. The list is read and not drawn, which costs a quarter."""
    listed = page.request.get(f"{config}/agentconfig/").text()
    [address] = set(re.findall(rf'href="([^"?]+/change/)[^"]*"[^>]*>\s*{re.escape(agent)}\s*</a>', listed))
    return str(address)


def set_values(page: Page, path: str, **values: str) -> None:
    """Save these fields, by the names in which they are sent, where no test looks at the page: it is read and sent, not drawn."""
    shown = page.request.get(path)
    sent = urlencode(changed_values(shown.text(), values), doseq=True)
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Referer": shown.url}
    saved = page.request.post(shown.url, data=sent, headers=headers)
    assert "was changed successfully" in saved.text()


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
        _add_row(page, "Add another Source of tools", "-source", name)
    if agents:
        page.get_by_role("tab", name="Sub-agents").click()
    for name in agents:
        _add_row(page, "Add another Sub-agent", "-sub_agent", name)
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
