// From the blocks of the editor to Markdown.
import type { Node } from 'prosemirror-model'
import type { Links } from '../../../markdown/lexer'
import { writeInline, type Style } from './inline'
import { withoutLineBlanks } from './lineBlanks'
import { readText } from './reading'

/** From the one that reads best to the one that is always understood. */
const STYLES: readonly Style[] = [
  { escape: false, em: '*' },
  { escape: false, em: '_' },
  { escape: true, em: '*' },
  { escape: true, em: '_' },
]

export const children = (node: Node): Node[] => Array.from({ length: node.childCount }, (_, index) => node.child(index))
export const isEmptyParagraph = (node: Node): boolean => node.type.name === 'paragraph' && node.content.size === 0

const isList = (node: Node): boolean => node.type.name.endsWith('_list')

/** `tight`: a list directly follows the line above it. */
function writeBlocks(blocks: readonly Node[], style: Style, tight = false): string {
  const contentBlocks = blocks.filter((block, index) => index === 0 || !isEmptyParagraph(block))
  return contentBlocks.map((block, index) => (index === 0 ? '' : tight && isList(block) ? '\n' : '\n\n') + writeBlock(block, style)).join('')
}

const markerOf = (list: Node, index: number): string =>
  list.type.name === 'bullet_list' ? (list.attrs['bullet'] as string) : `${(list.attrs['start'] as number) + index}${list.attrs['delimiter'] as string}`

function writeItem(item: Node, marker: string, style: Style, tight: boolean): string {
  const checked = item.attrs['checked'] as boolean | null
  const box = checked === null ? '' : checked ? '[x] ' : '[ ] '
  const indent = ' '.repeat(marker.length + 1)
  const [first = '', ...others] = writeBlocks(children(item), style, tight).split('\n')
  return [`${marker} ${box}${first}`.trimEnd(), ...others.map((line) => line && indent + line)].join('\n')
}

function writeList(list: Node, style: Style): string {
  const tight = list.attrs['tight'] as boolean
  return children(list)
    .map((item, index) => writeItem(item, markerOf(list, index), style, tight))
    .join(tight ? '\n' : '\n\n')
}

const DASHES: Record<string, string> = { left: ':---', right: '---:', center: ':---:' }

/** A row on one line. The first one of a table is followed by the line that makes it a header. */
function writeRow(row: Node, style: Style, isFirst: boolean): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const own = line(children(row).map((cell) => writeInline(cell, style, true)))
  return isFirst ? `${own}\n${line(children(row).map(({ attrs }) => DASHES[attrs['align'] as string] ?? '---'))}` : own
}

function writeCode({ textContent, attrs }: Node): string {
  let fence = attrs['fence'] as string
  while (textContent.includes(fence)) fence += fence[0]
  return `${fence}${attrs['info'] as string}\n${textContent}${textContent && '\n'}${fence}`
}

function writeBlock(node: Node, style: Style): string {
  switch (node.type.name) {
    case 'heading':
      return `${'#'.repeat(node.attrs['level'] as number)} ${writeInline(node, style).replaceAll('\n', ' ')}`.trimEnd()
    case 'blockquote':
      return writeBlocks(children(node), style).replace(/^/gm, '> ').replace(/ +$/gm, '')
    case 'code_block':
      return writeCode(node)
    case 'horizontal_rule':
      return '---'
    case 'bullet_list':
    case 'ordered_list':
      return writeList(node, style)
    case 'table':
      return children(node)
        .map((row, index) => writeRow(row, style, index === 0))
        .join('\n')
    case 'source':
      return node.textContent
    default:
      return writeInline(node, style)
  }
}

/** Whether `text` means exactly these blocks. */
export function means(text: string, nodes: readonly Node[], links: Links): boolean {
  const read = readText(text, links)
  return read.length === nodes.length && read.every((node, index) => node.eq(withoutLineBlanks(nodes[index]!)))
}

const attemptsAt = (node: Node): string[] => (node.type.name === 'source' ? [node.textContent] : STYLES.map((style) => writeBlock(node, style)))

/** The Markdown of a block, as plain as it can be while it is read as the same block again. Undefined when none is. */
export const writeFaithfully = (node: Node, links: Links): string | undefined =>
  node.type.name === 'source' ? node.textContent : attemptsAt(node).find((text) => means(text, [node], links))

/** The Markdown of any block: where no form is read as quite the same, one that at least keeps the words. Two blanks at the end of a line would break it. */
export function writeChecked(typed: Node, links: Links): string {
  const node = withoutLineBlanks(typed)
  const sameWords = (text: string) => readText(text, links).map(({ textContent }) => textContent).join('') === node.textContent
  const attempts = attemptsAt(node)
  return writeFaithfully(node, links) ?? attempts.find(sameWords) ?? attempts.at(-1)!
}
