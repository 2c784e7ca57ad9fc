"""An answer is read by the browser's own voice, which headless browsers don't have: the page gets one that only listens."""

from __future__ import annotations

from playwright.sync_api import expect

from doubles.script import Text
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider

VOICE = """
window.spoken = []
class Utterance extends EventTarget {
  constructor(text) { super(); this.text = text }
}
const voice = {
  speak: (utterance) => window.spoken.push(utterance),
  cancel: () => window.spoken.splice(0).forEach((utterance) => utterance.dispatchEvent(new Event('end'))),
}
Object.defineProperty(window, 'SpeechSynthesisUtterance', { value: Utterance })
Object.defineProperty(window, 'speechSynthesis', { value: voice })
"""
UTTERANCES = "window.spoken.map((utterance) => utterance.text)"


def test_an_answer_is_read_without_its_markup_until_it_ends_or_is_stopped(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit(fresh="a script of its own")
    chat.page.add_init_script(VOICE)
    chat.open()
    for text in ("The **first** answer.", "Another `answer`."):
        model.answer_chat(Text(text))
        chat.ask("Tell me.")
    read, stop = (chat.page.get_by_role("button", name=name, exact=True) for name in ("Read aloud", "Stop reading"))

    read.first.click()
    assert chat.page.evaluate(UTTERANCES) == ["The first answer."]
    expect(stop).to_have_count(1)
    read.click()  # of the other answer, in place of the first
    assert chat.page.evaluate(UTTERANCES) == ["Another answer."]
    expect(stop).to_have_count(1)
    stop.click()
    expect(read).to_have_count(2)
    assert chat.page.evaluate(UTTERANCES) == []

    read.last.click()
    expect(stop).to_have_count(1)
    chat.page.evaluate("window.spoken[0].dispatchEvent(new Event('end'))")  # it has read all
    expect(stop).to_have_count(0)
