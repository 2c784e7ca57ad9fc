"""Tools of the page around an embedded chat: an admin describes one, the page carries its calls out, and says what came of them."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Browser, expect

from doubles.script import Call, Text
from tests.e2e.admin_pages import give, make_source, new_embed
from tests.e2e.embed.host_page import host_pages
from tests.e2e.embed.shop import Shop
from tests.e2e.pages import Visit
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider
from tests.support.system.product import Product

# `chat.tools` before the element's script has come, and `registerTool` after it. A call for "slow" is answered after a reload alone.
SHOP_SCRIPT = """\
const chat = document.querySelector('parley-chat')
const basket = document.querySelector('output')
window.calls = 0
chat.tools = {
  put_into_basket: async ({ tea }, { callId }) => {
    calls += 1
    if (tea === 'matcha') throw new Error('Sold out until May')
    if (tea === 'slow' && localStorage.before !== callId) {
      localStorage.before = document.body.dataset.call = callId
      await new Promise(() => undefined)
    }
    basket.textContent += ` ${tea}`
    return { basket: basket.textContent.trim().split(' ') }
  },
}
addEventListener('load', () => chat.registerTool('read_everything', () => document.cookie))
"""


def shop_page(chat: str, key: str) -> str:
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Teas</title></head><body><h1>Teas</h1>"
        f"<p>Basket: <output></output></p><parley-chat site='{key}' mode='inline'></parley-chat>"
        f"<script src='/shop.js'></script><script src='{chat}/embed.js'></script></body></html>"
    )


def test_the_page_carries_out_calls_of_the_tools_that_it_registers(
    visit: Visit, model: ScriptedProvider, product: Product, browser: Browser
) -> None:
    admin = visit("alice").page
    make_source(admin, "page_tool", "put_into_basket", What_it_does="Puts a tea into the basket.", argument="tea")
    shot(admin, "page-tool-admin")
    give(admin, "chat_model_agent_demo", sources=("put_into_basket",))
    files = {"/shop.js": ("text/javascript", SHOP_SCRIPT)}
    with host_pages(files, chat=product.url) as port:
        origin = f"http://localhost:{port}"
        key, _ = new_embed(admin, origin, "Basket")
        files["/"] = "text/html", shop_page(product.url, key)
        context = browser.new_context(base_url=origin, reduced_motion="reduce")
        page = context.new_page()
        page.goto("/")
        shop = Shop(page)
        basket = page.get_by_role("status")

        model.answer_chat(Call("put_into_basket", {"tea": "sencha"}), Call("put_into_basket", {"tea": "matcha"}))
        model.answer_chat(Text("Sencha is in, matcha is sold out."))
        shop.ask("Sencha and matcha, please.")
        expect(shop.answers).to_contain_text("Sencha is in, matcha is sold out.")
        expect(basket).to_have_text("sencha")
        shot(page, "page-tool")
        request = model.chat_requests[-1]
        assert "put_into_basket" in request.tool_names
        assert "read_everything" not in request.tool_names  # no admin has described it
        request_text = json.dumps(request.body)
        assert '"basket": ["sencha"]' in request_text
        assert "The page could not do it: Sold out until May" in request_text

        # A page that is loaded anew carries out what it had not answered, as the same call.
        model.answer_chat(Call("put_into_basket", {"tea": "slow"}))
        model.answer_chat(Text("It took a while."))
        shop.ask("The slow one.")
        expect(page.locator("body")).to_have_attribute("data-call", re.compile("."))
        page.reload()
        expect(shop.answers.last).to_contain_text("It took a while.")
        expect(basket).to_have_text("slow")

        # Of two tabs with the conversation one carries it out.
        other = context.new_page()
        other.goto("/")
        expect(Shop(other).answers.last).to_contain_text("It took a while.")
        before = page.evaluate("calls") + other.evaluate("calls")
        model.answer_chat(Call("put_into_basket", {"tea": "hojicha"}))
        model.answer_chat(Text("Hojicha, too."))
        shop.ask("And hojicha.")
        expect(shop.answers.last).to_contain_text("Hojicha, too.")
        assert page.evaluate("calls") + other.evaluate("calls") == before + 1
        context.close()
