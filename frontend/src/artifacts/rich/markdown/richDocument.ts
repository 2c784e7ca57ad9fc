// A Markdown document that is open in the rich editor. Only what was changed is written anew: all else keeps its own bytes.
import type { Node } from 'prosemirror-model'
import { lexWith, markdown, type Links, type Token, type Tokens } from '../../../markdown/lexer'
import { weave, type Piece } from './pieces'
import { readTop, sourceBlock, withoutEnd } from './reading'
import { schema } from './schema'
import { children, isEmptyParagraph, means, writeChecked, writeFaithfully } from './writing'

export type RichDocument = {
  readonly doc: Node
  /** What stands before the first block. */
  readonly lead: string
  readonly pieces: readonly Piece[]
  readonly links: Links
  readonly lineEnd: string
}

/** Settings on top of a document, which are no Markdown. */
const FRONT_MATTER = /^---\n[\s\S]*?\n---(?:\n+|$)/

type Slice = { readonly raw: string; readonly token: Token | null }

function slicesOf(text: string, links: Links): Slice[] {
  const [settings = ''] = FRONT_MATTER.exec(text) ?? []
  const slices: Slice[] = settings ? [{ raw: settings, token: null }] : []
  let position = settings.length
  for (const token of lexWith(text.slice(position), links)) {
    const raw = text.startsWith(token.raw, position) ? token.raw : withoutEnd(token.raw) // of a last line without an end it makes one
    if (!text.startsWith(raw, position)) break // what the grammar does not give back as it is stays a source
    slices.push({ raw, token })
    position += raw.length
  }
  return position < text.length ? [...slices, { raw: text.slice(position), token: null }] : slices
}

/** Splits `raw` so that blank lines at its end belong to the gap after it. */
const withGap = (raw: string): { raw: string; gap: string } => ({ raw: withoutEnd(raw), gap: raw.slice(withoutEnd(raw).length) })

function partsOf(token: Token, node: Node): Piece[] | undefined {
  const raws = token.type === 'list' ? (token as Tokens.List).items.map(({ raw }) => raw) : token.type === 'table' ? rowsOf(token.raw) : []
  if (raws.length !== node.childCount || withoutEnd(raws.join('')) !== withoutEnd(token.raw)) return undefined
  return raws.map((raw, index) => ({ node: node.child(index), ...withGap(raw) }))
}

/** The lines of a table, of which the first two are its header. */
function rowsOf(raw: string): string[] {
  const [header = '', dashes = '', ...rows] = withoutEnd(raw).split('\n').map((line) => `${line}\n`)
  return [header + dashes, ...rows]
}

function pieceOf({ raw, token }: Slice, links: Links): Piece {
  const read = token ? readTop(token) : sourceBlock(raw)
  const node = writeFaithfully(read, links) === undefined ? sourceBlock(raw) : read
  const parts = token && node === read ? partsOf(token, node) : undefined
  return { node, ...withGap(raw), ...(parts && { parts }) }
}

const isBlank = ({ raw, token }: Slice): boolean => token?.type === 'space' || !raw.trim()

/** Opens a text whose lines end with `\n`. */
function openText(text: string): Pick<RichDocument, 'lead' | 'pieces' | 'links'> {
  const { links } = markdown.lexer(text)
  let lead = ''
  const pieces: Piece[] = []
  for (const slice of slicesOf(text, links)) {
    const last = pieces.at(-1)
    if (!isBlank(slice)) pieces.push(pieceOf(slice, links))
    else if (last) pieces[pieces.length - 1] = { ...last, gap: last.gap + slice.raw }
    else lead += slice.raw
  }
  return { lead, pieces, links }
}

export function openDocument(text: string): RichDocument {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const unified = text.replaceAll(lineEnd, '\n')
  const mixed = unified.replaceAll('\n', lineEnd) !== text || unified.includes('\r')
  const content = mixed ? { lead: '', links: {}, pieces: [{ node: sourceBlock(text), ...withGap(text) }] } : openText(unified)
  const blocks = content.pieces.map(({ node }) => node)
  return { ...content, lineEnd: mixed ? '\n' : lineEnd, doc: schema.nodes.doc.create(null, blocks.length ? blocks : schema.nodes.paragraph.create()) }
}

/** An unchanged item of a list at its new place: its number may be another one now. */
function renumber({ raw, node }: Piece, old: Piece, list: Node, index: number, links: Links): string {
  const numbers = (old.parts ?? []).map((part) => Number(/\d+/.exec(part.raw)?.[0]))
  const counts = list.type.name === 'ordered_list' && numbers.every((number, at) => number === numbers[0]! + at)
  const [, space = '', digits = ''] = /^(\s*)(\d+)/.exec(raw) ?? []
  const number = String((list.attrs['start'] as number) + index)
  if (!counts || digits === number) return raw
  if (digits.length === number.length || !raw.includes('\n')) return space + number + raw.slice(space.length + digits.length)
  return writePart(list, node, index, links)
}

/** One item of a list or one row of a table, as if it stood alone. */
function writePart(parent: Node, part: Node, index: number, links: Links, piece?: Piece): string {
  if (parent.type.name !== 'table') {
    const attributes = parent.type.name === 'ordered_list' ? { ...parent.attrs, start: (parent.attrs['start'] as number) + index } : parent.attrs
    return writeChecked(parent.type.create(attributes, part), links)
  }
  const [row = '', dashes = ''] = writeChecked(parent.type.create(null, part), links).split('\n')
  return index === 0 ? `${row}\n${(piece && keptDashes(piece, part)) ?? dashes}` : row
}

const alignments = (row: Node): string => children(row).map(({ attrs }) => String(attrs['align'])).join()

/** The line below the header of a table, if its columns are still the same. */
const keptDashes = ({ raw, node }: Piece, header: Node): string | undefined => (alignments(node) === alignments(header) ? raw.split('\n')[1] : undefined)

/** A list or a table of which only some items or rows changed. Undefined when it has to be written as a whole. */
function writeParts(node: Node, piece: Piece, links: Links): string | undefined {
  if (!piece.parts) return undefined
  const text = weave({
    pieces: piece.parts,
    nodes: children(node),
    write: (part, index, old) => writePart(node, part, index, links, old),
    keep: (part, index) => (node.type.name === 'table' ? part.raw : renumber(part, piece, node, index, links)),
    usualGap: node.type.name === 'table' || node.attrs['tight'] ? '\n' : '\n\n',
  })
  return means(text, [node], links) ? text : undefined
}

/** The text of `doc`, which the editor made from the opened document. */
export function writeDocument({ lead, pieces, links, lineEnd }: RichDocument, doc: Node): string {
  const nodes = children(doc).filter((node) => !isEmptyParagraph(node))
  if (!nodes.length && pieces.length) return ''
  const text = weave({
    pieces,
    nodes,
    write: (node, _, piece) => (piece && writeParts(node, piece, links)) ?? writeChecked(node, links),
    usualGap: '\n\n',
    holds: (together, both) => means(together, both, links),
  })
  const end = pieces.at(-1)?.gap ?? (nodes.length ? '\n' : '')
  return (lead + text + end).replaceAll('\n', lineEnd)
}

