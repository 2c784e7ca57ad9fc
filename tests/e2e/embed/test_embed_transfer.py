"""A member takes along what they wrote as a visitor; nobody else can."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, BrowserContext, expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.admin_pages import EMBEDS
from tests.e2e.embed.host_page import host_pages
from tests.e2e.embed.shop import Shop, shop
from tests.e2e.pages import ChatPage, Visit, sign_in
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider
from tests.support.system.product import Product


def test_a_member_keeps_what_they_wrote_as_a_visitor(
    visit: Visit, model: ScriptedProvider, product: Product, browser: Browser, contexts: list[BrowserContext]
) -> None:
    files: dict[str, tuple[str, str]] = {}
    with host_pages(files, chat=product.url) as port:
        origin = f"http://localhost:{port}"
        admin = visit("alice").page
        admin.goto(f"{EMBEDS}add/")
        admin.get_by_label(re.compile("^Name")).fill("Intranet")
        admin.get_by_label(re.compile("^Title")).fill("Ask the kitchen")
        admin.get_by_role("textbox", name="Pages").fill(origin)
        admin.get_by_label("Members can keep what they wrote").check()
        admin.get_by_role("button", name="Save and continue editing").click()
        match = re.search(r'site="([\w-]{43})"', admin.get_by_label("The HTML to copy").inner_text())
        assert match is not None
        files["/"] = "text/html", shop(product.url, match[1], "mode='inline'")
        context = browser.new_context(base_url=origin, reduced_motion="reduce", viewport={"width": 900, "height": 760})
        contexts.append(context)
        visitor = Shop(context.new_page())
        visitor.page.goto("/")
        model.answer_chat(Text("Rice and **green tea**."))
        visitor.ask("What is genmaicha?")
        expect(visitor.answers).to_contain_text("Rice and green tea.")
        with context.expect_page() as page_info:
            visitor.chat.get_by_role("button", name="Keep in your account").click()
        page = page_info.value
        page.wait_for_url("**/login/?next=/keep/**")
        shot(visitor.page, "keep-button")
        visitor.page.bring_to_front()
        with visitor.page.expect_response(lambda answer: "/api/conversations/" in answer.url) as response:
            visitor.box.click()
        assert response.value.status == 200
        expect(visitor.answers).to_contain_text("Rice and green tea.")  # it was not taken along yet
        page.bring_to_front()
        sign_in(page, "bob@example.org")
        expect(page.get_by_role("heading", name="Keep your conversations")).to_be_visible()
        expect(page.get_by_text("You are signed in as Bob")).to_be_visible()
        assert violations(page) == []
        shot(page, "keep")
        address = page.url
        charlie = visit("charlie", organization="other").page
        charlie.goto(address)
        expect(charlie.get_by_role("heading", name="This link no longer works")).to_be_visible()
        page.get_by_role("button", name="Move to my account").click()
        page.wait_for_url("**/o/acme/c/*/")
        expect(ChatPage(page).answer).to_contain_text("Rice and green tea.")
        model.answer_chat(Text("Roasted rice."))
        ChatPage(page).ask("Which rice?")
        conversation = page.url
        visitor.page.bring_to_front()
        visitor.box.click()
        expect(visitor.chat.get_by_text("Your conversation is in your account now.")).to_be_visible()
        expect(visitor.chat.get_by_text("How can I help?")).to_be_visible()
        page.goto(address)
        expect(page.get_by_role("heading", name="This link no longer works")).to_be_visible()
        charlie.goto(conversation)
        expect(charlie.get_by_text("Rice and green tea.")).to_have_count(0)
