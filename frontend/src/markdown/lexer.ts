import { Lexer, Marked, type Links, type Token, type TokenizerExtension } from 'marked'

export type { Links, Token, Tokens } from 'marked'

/** A formula token; `closed` is false while its end has not been typed. */
export type MathToken = { readonly type: 'blockMath' | 'inlineMath'; readonly raw: string; readonly text: string; readonly closed: boolean }

const CLOSED_BLOCK = /^ {0,3}(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\])(?:[ \t]*\n|[ \t]*$)/
const OPEN_BLOCK = /^ {0,3}(?:\$\$|\\\[)\s*\n([\s\S]*)$/
const BLANK_LINE = /\n\s*\n/
/** `$5 and $6` is money: no space inside the dollars, no digit after the last one. Models write `$$x$$` within a sentence, too. */
const INLINE = /^\$\$(?!\s*\$)((?:\\.|[^\\$\n])+?)\$\$|^\$(?!\s|\$)((?:\\.|[^\\$\n])+?)(?<!\s)\$(?!\d)|^\\\((.+?)\\\)/

export const blockMath: TokenizerExtension = {
  name: 'blockMath',
  level: 'block',
  start: (source) => source.match(/(?:^|\n) {0,3}(?:\$\$|\\\[)/)?.index,
  tokenizer(source) {
    const closed = CLOSED_BLOCK.exec(source)
    if (closed) return { type: 'blockMath', raw: closed[0], text: (closed[1] ?? closed[2] ?? '').trim(), closed: true }
    const open = OPEN_BLOCK.exec(source)
    if (open && !BLANK_LINE.test(open[1] ?? '')) return { type: 'blockMath', raw: open[0], text: open[1] ?? '', closed: false }
    return undefined
  },
}

export const inlineMath: TokenizerExtension = {
  name: 'inlineMath',
  level: 'inline',
  start: (source) => source.match(/\$|\\\(/)?.index,
  tokenizer(source) {
    const match = INLINE.exec(source)
    return match ? { type: 'inlineMath', raw: match[0], text: (match[1] ?? match[2] ?? match[3] ?? '').trim(), closed: true } : undefined
  },
}

export const markdown = new Marked({ gfm: true, breaks: false })
markdown.use({ extensions: [blockMath, inlineMath] })

/** The tokens of a piece of a document whose link definitions are `links`. */
export function lexWith(text: string, links: Links): Token[] {
  const lexer = new Lexer(markdown.defaults)
  Object.assign(lexer.tokens.links, links)
  return lexer.lex(text)
}
