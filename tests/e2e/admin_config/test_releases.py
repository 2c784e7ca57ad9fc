"""An admin takes agents along as a file, brings them back changed, compares two releases, and rolls back."""

from __future__ import annotations

from pathlib import Path

import yaml
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.pages import Visit

ADMIN = "/o/acme/admin/admin_config/"
OWN_WORDS = "Answer like a tea merchant."


def test_agents_travel_as_a_file_and_a_release_is_taken_back(visit: Visit, tmp_path: Path) -> None:
    page = visit("alice").page
    page.goto(f"{ADMIN}agentconfig/")
    page.get_by_role("link", name="Export and import as YAML").click()
    before = download_yaml(page, tmp_path)
    page.get_by_label("Or paste its text").fill("agents:\n  nobody_demo:\n    max_steps: 3\n")
    page.get_by_role("button", name="Show what it changes").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was changed.")
    assert violations(page) == []

    content = yaml.safe_load(before)
    content["agents"]["chat_model_agent_demo"]["system_prompt"] = OWN_WORDS
    page.get_by_label("Or paste its text").fill(yaml.safe_dump(content, allow_unicode=True))
    page.get_by_role("button", name="Show what it changes").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator("li.added", has_text=OWN_WORDS)).to_be_visible()
    page.get_by_role("button", name="Take it over").click()
    expect(page.get_by_text("The file is taken over.")).to_be_visible()

    page.goto(f"{ADMIN}release/")
    page.get_by_role("form", name="Compare releases").get_by_role("button", name="Compare").click()
    expect(page.locator("li.added", has_text=OWN_WORDS).or_(page.locator("li.removed", has_text=OWN_WORDS))).to_be_visible()
    assert violations(page) == []
    page.goto(f"{ADMIN}release/")
    page.get_by_role("row").nth(2).get_by_role("link").first.click()
    page.get_by_role("button", name="Roll back to this release").click()
    expect(page.get_by_text("is live again, as release")).to_be_visible()
    page.goto(f"{ADMIN}agentconfig/file/")
    assert download_yaml(page, tmp_path) == before


def download_yaml(page: Page, directory: Path) -> str:
    with page.expect_download() as download:
        page.get_by_role("link", name="Download agents.yaml").click()
    path = directory / "agents.yaml"
    download.value.save_as(path)
    return path.read_text(encoding="utf-8")
