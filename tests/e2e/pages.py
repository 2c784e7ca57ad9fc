"""The pages as a user sees them: what is found by its role and name, never by a class."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.support.accounts.cast import PASSWORD


class ChatPage:
    """The chat of one organization in one tab."""

    def __init__(self, page: Page, organization: str = "acme") -> None:
        self.page = page
        self.home = f"/o/{organization}/"
        self.composer = page.get_by_role("textbox", name="Message", exact=True)
        self.send_button = page.get_by_role("button", name="Send", exact=True)
        self.stop_button = page.get_by_role("button", name="Stop", exact=True)
        self.thinking = page.get_by_role("button", name="Thinking", exact=True)
        self.model_menu = page.get_by_role("button", name=re.compile("^Model: "))
        self.questions = page.get_by_role("article", name="You")
        self.answers = page.get_by_role("article", name="Assistant")
        self.sidebar = page.get_by_role("navigation", name="Conversations")
        self.panel = DocumentPanel(page)

    @property
    def context(self) -> BrowserContext:
        return self.page.context

    @property
    def answer(self) -> Locator:
        """The newest answer."""
        return self.answers.last

    @property
    def conversation_id(self) -> str:
        return self.page.url.rstrip("/").rpartition("/")[2]

    def open(self, path: str = "") -> ChatPage:
        """Open a path below the organization, its start page by default."""
        self.page.goto(self.home + path)
        return self

    def say(self, text: str) -> None:
        """Send a message and wait until its answer has begun."""
        self.composer.fill(text)
        self.composer.press("Enter")
        self.streams()

    def ask(self, text: str) -> None:
        """Send a message and wait for the whole answer."""
        before = self.length()
        self.composer.fill(text)
        self.composer.press("Enter")
        expect(self.answer).to_have_attribute("aria-posinset", str(before + 2))
        self.rests()

    def length(self) -> int:
        """How many messages the conversation has here; what is far off the screen is no element of the page, the newest always is."""
        messages = self.page.get_by_role("article")
        return int(messages.last.get_attribute("aria-posinset") or 0) if messages.count() else 0

    def settings(self, section: str) -> Locator:
        """Open a section of the settings by the user menu."""
        self.page.get_by_role("button", name="settings and sign out").click()
        self.page.get_by_role("menuitem", name="Settings").click()
        dialog = self.page.get_by_role("dialog", name="Settings")
        dialog.get_by_role("button", name=section, exact=True).click()
        return self.section(section)

    def section(self, name: str) -> Locator:
        """A section of the open settings."""
        return self.page.get_by_role("dialog", name="Settings").get_by_role("region", name=name, exact=True)

    def add(self, item: str) -> None:
        """Choose from the + menu of the message box."""
        self.page.get_by_role("button", name="Add files and more").click()
        self.page.get_by_role("menuitem", name=item).click()

    def choose_model(self, name: str) -> None:
        self.model_menu.click()
        self.page.get_by_role("menuitemradio").filter(has=self.page.get_by_text(name, exact=True)).click()
        expect(self.model_menu).to_have_accessible_name(f"Model: {name}")

    def streams(self) -> None:
        expect(self.page.locator("body")).to_have_attribute("data-status", "streaming")

    def rests(self) -> None:
        expect(self.page.locator("body")).to_have_attribute("data-status", "ready")

    def row(self, title: str) -> Locator:
        """A conversation's link in the sidebar."""
        return self.sidebar.get_by_role("link", name=title, exact=True)

    def options(self, title: str, choice: str) -> None:
        """Choose from the menu of a conversation in the sidebar."""
        self.row(title).hover()
        self.sidebar.get_by_role("button", name=f"Options for {title}").click()
        self.page.get_by_role("menuitem", name=choice).click()

    def chip(self, title: str) -> Locator:
        """The button of a document in the newest answer."""
        return self.answer.get_by_role("button", name=re.compile(f"^{re.escape(title)} "))

    @property
    def work(self) -> Locator:
        """The card of what the newest answer did."""
        return self.answer.get_by_role("group", name="Work", exact=True)

    def open_work(self) -> Locator:
        """Open the card with all details, in which each call has a row."""
        self.work.get_by_role("button").first.click()
        details = self.work.get_by_role("button", name="Details", exact=True)
        if details.count():
            details.click()
        return self.work

    def open_document(self, title: str) -> None:
        """Choose a document of the conversation from the header's menu."""
        self.page.get_by_role("button", name=re.compile("^\\d+ documents?$")).click()
        self.page.get_by_role("menuitem", name=title).click()

    def api(self, path: str) -> Any:
        """What the page's own API says; `path` is below the organization's."""
        response = self.page.request.get(f"{self.home}api/{path}")
        assert response.ok, response.text()
        return response.json()

    @property
    def conversation(self) -> Any:
        """The open conversation as the API has it."""
        return self.api(f"conversations/{self.conversation_id}/")

    @property
    def artifact_ids(self) -> list[str]:
        return [artifact["id"] for artifact in self.conversation["artifacts"]]

    @property
    def stored_texts(self) -> list[str]:
        """The text of each stored message of the open conversation, oldest first."""
        return ["".join(part["text"] for part in message["parts"] if part["type"] == "text") for message in self.conversation["messages"]]


class DocumentPanel:
    """The second page: beside the chat on a desktop, a sheet on a phone."""

    def __init__(self, page: Page) -> None:
        self.root = page.get_by_role("complementary").or_(page.get_by_role("dialog"))
        self.text = self.root.get_by_role("region", name="Document", exact=True)
        self.editor = self.root.get_by_role("textbox", name=re.compile(", source$"))
        self.rich_text = self.root.get_by_role("textbox", name=re.compile(", text$"))
        self.saved_label = self.root.get_by_text("Saved", exact=True)
        self.previous = self.root.get_by_role("button", name="Previous version")
        self.next = self.root.get_by_role("button", name="Next version")
        self.restore = self.root.get_by_role("button", name="Restore this version")
        self.close = self.root.get_by_role("button", name="Close the document")

    def view(self, name: str) -> None:
        """Switch to a view by its name: Read, Write, Markdown and Diff for a document."""
        self.root.get_by_role("button", name=name, exact=True).click()

    def shows_version(self, number: int, of: int) -> None:
        expect(self.root.get_by_text(f"Version {number} of {of}", exact=True)).to_be_visible()


Visit = Callable[..., ChatPage]


def sign_in(page: Page, email: str, password: str = PASSWORD) -> None:
    """Fill in and send both steps of the sign-in page that is open."""
    page.get_by_label("E-mail").fill(email)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
