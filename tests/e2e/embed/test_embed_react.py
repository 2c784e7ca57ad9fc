"""The React component around the embedded chat, on a page of another origin that renders often."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import jwt
from playwright.sync_api import Browser, expect

from doubles.script import Call, Text
from tests.e2e.admin_pages import give, make_source, new_embed
from tests.e2e.embed.host_page import host_pages
from tests.e2e.embed.shop import chat_of
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider
from tests.support.system.product import Product
from tools.embedded.layout import ROOT


def page_script(folder: Path) -> str:
    build = [sys.executable, "-m", "tools.frontend", "npm", "run", "build:react-test", "--", "--outDir", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    return (folder / "page.js").read_text()


def test_a_react_page_shows_the_chat_hears_it_and_signs_its_visitor_in(
    visit: Visit, model: ScriptedProvider, product: Product, browser: Browser, tmp_path: Path
) -> None:
    files = {"/page.js": ("text/javascript", page_script(tmp_path / "page"))}
    with host_pages(files, chat=product.url) as port:
        origin = f"http://localhost:{port}"
        admin = visit("alice").page
        make_source(admin, "page_tool", "add_to_basket", What_it_does="Puts a tea into the basket.", argument="tea")
        give(admin, "chat_model_agent_demo", sources=("add_to_basket",))
        key, secret = new_embed(admin, origin, "Teas")
        claims = {"sub": "kim", "name": "Kim", "aud": key, "exp": int(time.time()) + 300}
        files["/token"] = "text/plain", jwt.encode(claims, secret, algorithm="HS256")
        head = "<meta charset='utf-8'><title>Teas</title>"
        body = f"<body data-origin='{product.url}' data-site='{key}'><div id='root'></div><script src='/page.js'></script></body>"
        files["/"] = "text/html", f"<!doctype html><html lang='en'><head>{head}</head>{body}</html>"
        context = browser.new_context(base_url=origin)
        page = context.new_page()
        page.goto("/")
        events = page.get_by_role("listitem")
        expect(chat_of(page).get_by_text("How can I help?")).to_be_visible()

        model.answer_chat(Call("update_page_state", {"filter": "low"}))
        model.answer_chat(Text("Set."))
        chat_of(page).get_by_role("textbox", name="Message").fill("Is teh shelf low?")
        chat_of(page).get_by_role("textbox", name="Message").press("Enter")
        expect(events).to_have_text(["sent Is the shelf low?", "answered Set.", "titled Title of: Is the shelf low"])
        expect(page.get_by_role("status")).to_have_text("low")  # and later renders, with the old state, did not undo it
        expect(chat_of(page).get_by_role("heading", name="Teas: low")).to_be_visible()
        assert page.evaluate("document.querySelector('parley-chat').pageState.filter") == "low"

        # The tool is the page's function as it was written at the latest render, which knows the new filter.
        model.answer_chat(Call("add_to_basket", {"tea": "sencha"}))
        model.answer_chat(Text("It is in."))
        chat_of(page).get_by_role("textbox", name="Message").fill("Sencha, please.")
        chat_of(page).get_by_role("textbox", name="Message").press("Enter")
        expect(events.last).to_have_text("answered It is in.")
        assert "sencha at low" in json.dumps(model.chat_requests[-1].body)

        model.answer_chat(Text("By a method."))
        page.get_by_role("button", name="Ask").click()
        expect(events.last).to_have_text("answered By a method.")
        page.get_by_role("button", name="Sign in").click()  # what the stranger wrote here goes along
        expect(chat_of(page).get_by_text("By a method.")).to_be_visible()
        model.answer_chat(Text("Hello Kim."))
        page.get_by_role("button", name="Ask").click()
        expect(events.last).to_have_text("answered Hello Kim.")
        page.get_by_role("button", name="Clear").click()
        expect(events.last).to_have_text("cleared")
        page.get_by_role("button", name="Greet").click()
        expect(chat_of(page).get_by_text("Welcome back, Kim.")).to_be_visible()
        context.close()
