// What <script src=".../embed.js"> runs: it defines the element <parley-chat>, once.
import { chatElement } from './element'

const NAME = 'parley-chat'

function ownScript(): HTMLScriptElement | null {
  const { currentScript } = document
  return currentScript instanceof HTMLScriptElement ? currentScript : document.querySelector<HTMLScriptElement>('script[src$="/embed.js"]')
}

const script = ownScript()
if (script && !customElements.get(NAME)) customElements.define(NAME, chatElement(new URL(script.src).origin))
