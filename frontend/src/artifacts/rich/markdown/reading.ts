// From Markdown to the nodes of the editor. The grammar is that of the rendered document (markdown/lexer.ts).
import { Fragment, type Mark, type Node } from 'prosemirror-model'
import { lexWith, type Links, type Token, type Tokens } from '../../../markdown/lexer'
import { withoutEntities } from '../../../markdown/links'
import { withoutLineBlanks } from './lineBlanks'
import { schema } from './schema'

const { nodes, marks: types } = schema
const NONE: readonly Mark[] = []

const FOOTNOTE = /^ {0,3}\[\^[^\]\s]+\]:/
const FOOTNOTE_MARK = /(\n|\[\^[^\]\s]+\])/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

export const withoutEnd = (raw: string): string => raw.replace(/\n+$/, '')

/** A block that is shown as it is written. */
export const sourceBlock = (raw: string): Node => nodes.source.create(null, schema.text(withoutEnd(raw)))

function textNodes(text: string, marks: readonly Mark[]): Node[] {
  return text.split(FOOTNOTE_MARK).flatMap((piece, index) => {
    if (!piece) return []
    if (index % 2 === 0) return schema.text(piece, marks)
    return piece === '\n' ? nodes.soft_break.create(null, null, marks) : nodes.inline_source.create({ raw: piece }, null, marks)
  })
}

const inlineTokens = (token: Token): readonly Token[] => ('tokens' in token && token.tokens) || []

function inline(token: Token, marks: readonly Mark[]): Node[] {
  const inside = (mark: Mark) => inlineTokens(token).flatMap((child) => inline(child, mark.addToSet(marks)))
  switch (token.type) {
    case 'text':
      return inlineTokens(token).length ? inlineTokens(token).flatMap((child) => inline(child, marks)) : textNodes(withoutEntities((token as Tokens.Text).text), marks)
    case 'escape':
      return [schema.text((token as Tokens.Escape).text, marks)]
    case 'strong':
      return inside(types.strong.create())
    case 'em':
      return inside(types.em.create())
    case 'del':
      return inside(types.strike.create())
    case 'codespan':
      return [schema.text((token as Tokens.Codespan).text, types.code.create().addToSet(marks))]
    case 'br':
      return [nodes.hard_break.create({ markup: token.raw.replace('\n', '') }, null, marks)]
    case 'link':
      return inside(types.link.create({ href: (token as Tokens.Link).href, title: (token as Tokens.Link).title ?? null }))
    case 'image': {
      const { href, text, title } = token as Tokens.Image
      return [nodes.image.create({ src: href, alt: text, title: title ?? null }, null, marks)]
    }
    case 'checkbox':
      return []
    default:
      return [nodes.inline_source.create({ raw: token.raw }, null, marks)]
  }
}

const inlines = (tokens: readonly Token[]): Fragment => Fragment.fromArray(tokens.flatMap((token) => inline(token, NONE)))

const isSeparate = ({ type }: Token): boolean => type !== 'space' && type !== 'checkbox'

/** The blocks of `tokens`, one for each that is more than blank lines. */
const readBlocks = (tokens: readonly Token[]): Node[] => tokens.filter(isSeparate).map(readBlock)

function readItem(item: Tokens.ListItem): Node {
  const blocks = readBlocks(item.tokens)
  return nodes.list_item.create({ checked: item.task ? (item.checked ?? false) : null }, blocks.length ? blocks : nodes.paragraph.create())
}

function readList(token: Tokens.List): Node {
  const [, bullet = '', delimiter = ''] = /^\s*(?:([-*+])|\d+([.)]))/.exec(token.raw) ?? []
  const items = token.items.map(readItem)
  if (!token.ordered) return nodes.bullet_list.create({ tight: !token.loose, bullet: bullet || '-' }, items)
  return nodes.ordered_list.create({ tight: !token.loose, start: Number(token.start || 0), delimiter: delimiter || '.' }, items)
}

function readTable({ header, rows }: Tokens.Table): Node {
  const row = (cells: readonly Tokens.TableCell[], type: 'table_header' | 'table_cell') =>
    nodes.table_row.create(
      null,
      cells.map(({ align, tokens }) => nodes[type].create({ align }, inlines(tokens))),
    )
  return nodes.table.create(null, [row(header, 'table_header'), ...rows.map((cells) => row(cells, 'table_cell'))])
}

function readBlock(token: Token): Node {
  switch (token.type) {
    case 'heading':
      return nodes.heading.create({ level: (token as Tokens.Heading).depth }, inlines(inlineTokens(token)))
    case 'paragraph':
    case 'text':
      return FOOTNOTE.test(token.raw) ? sourceBlock(token.raw) : nodes.paragraph.create(null, inlines(inlineTokens(token).length ? inlineTokens(token) : [token]))
    case 'code': {
      const { text, lang, raw } = token as Tokens.Code
      return nodes.code_block.create({ info: lang ?? '', fence: FENCE.exec(raw)?.[1] ?? '```' }, text ? schema.text(text) : null)
    }
    case 'blockquote':
      return nodes.blockquote.create(null, readBlocks((token as Tokens.Blockquote).tokens))
    case 'list':
      return readList(token as Tokens.List)
    case 'table':
      return readTable(token as Tokens.Table)
    case 'hr':
      return nodes.horizontal_rule.create()
    default:
      return sourceBlock(token.raw)
  }
}

function isValid(node: Node): boolean {
  try {
    node.check()
    return true
  } catch {
    return false
  }
}

/** The block, or its source if the editor has no valid form of it. */
function readValid(token: Token): Node {
  const node = readBlock(token)
  return isValid(node) ? node : sourceBlock(token.raw)
}

/** The same as its Markdown means it, without blanks at the edges of its lines. */
export const readTop = (token: Token): Node => withoutLineBlanks(readValid(token))

/** Reads a piece of a document. */
export const readText = (text: string, links: Links): Node[] => lexWith(text, links).filter(isSeparate).map(readTop)

/** Reads what was pasted. Its blanks stay: it may be a part of a line. */
export const readPasted = (text: string): Node[] => lexWith(text, {}).filter(isSeparate).map(readValid)
