// Markdown as HTML for the clipboard: other programs, such as Word or a mail, then take headings, lists and tables over as such.
import { Marked, type RendererObject, type Token } from 'marked'
import { blockMath, inlineMath } from './lexer'
import { isSafeLink } from './links'

/** Parley's own editor reads the Markdown beside it, which says more. */
const MARK = 'data-parley-copy'
export const isOwnCopy = (html: string): boolean => html.includes(MARK)

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => ESCAPES[letter] ?? '')

/** A link within Parley leads nowhere in another program. */
const linked = (href: string, html: string): string => (isSafeLink(href) && !/^[/#]/.test(href.trim()) ? `<a href="${escaped(href)}">${html}</a>` : html)

/** HTML in a text is shown as its source, as on the page, and no picture loads where it is pasted. */
const renderer: RendererObject = {
  html: ({ text }) => escaped(text),
  link({ href, tokens }) {
    return linked(href, this.parser.parseInline(tokens))
  },
  image: ({ href, text }) => linked(href, escaped(text || href)),
  checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
}

const source = (token: Token): string => escaped(token.raw.trim())
const writer = new Marked({ gfm: true, breaks: false })
writer.use({
  renderer,
  extensions: [
    { ...blockMath, renderer: (token) => `<p>${source(token)}</p>\n` },
    { ...inlineMath, renderer: source },
  ],
})

export const clipboardHtml = (text: string): string => `<div ${MARK}>${writer.parse(text, { async: false })}</div>`
