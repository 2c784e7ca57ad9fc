// From the inline nodes of a block to Markdown.
import type { Mark, Node } from 'prosemirror-model'

/** How text is written: as it is, which reads best, or with everything escaped that could mean something. */
export type Style = { readonly escape: boolean; readonly em: '*' | '_' }

type Segment = { readonly text: string; readonly marks: readonly Mark[]; readonly isSpace: boolean }

const escapeText = (text: string): string => text.replace(/[\\`*_~[\]<$|&]/g, '\\$&')
/** What would begin another kind of block at the start of a line. */
const escapeStarts = (lines: string): string => lines.replace(/^(\s*)([#>+=-]|\d{1,9}(?=[.)]))/gm, (_, space: string, start: string) => (/\d/.test(start) ? `${space}${start}\\` : `${space}\\${start}`))

function codeSpan(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  const space = /^`|`$|^ .* $/.test(text) ? ' ' : ''
  return `${fence}${space}${text}${space}${fence}`
}

const target = (href: string): string => (/[\s()<>]/.test(href) ? `<${href.replace(/[<>\n]/g, encodeURIComponent)}>` : href)
const titleSuffix = (title: unknown): string => (title ? ` "${String(title).replaceAll('"', '\\"')}"` : '')

const openingOf = ({ type: { name } }: Mark, style: Style): string => ({ link: '[', em: style.em, strong: '**', strike: '~~' })[name] ?? ''
const closingOf = (mark: Mark, style: Style): string =>
  mark.type.name === 'link' ? `](${target(mark.attrs['href'] as string)}${titleSuffix(mark.attrs['title'])})` : openingOf(mark, style)

/** Whether the address itself is the text, as in `https://example.org`. */
const isBare = (text: string, { attrs: { href, title } }: Mark): boolean => !title && [text, `http://${text}`, `mailto:${text}`].includes(href as string)

function segmentsOfText({ text = '', marks }: Node, style: Style): Segment[] {
  const code = marks.find(({ type }) => type.name === 'code')
  if (code) return [{ text: codeSpan(text), marks: code.removeFromSet(marks), isSpace: false }]
  const link = marks.find(({ type }) => type.name === 'link')
  if (link && isBare(text, link)) return [{ text: style.escape ? `<${text}>` : text, marks: link.removeFromSet(marks), isSpace: false }]
  const [, before = '', inside = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? []
  const segment = (part: string, isSpace: boolean): Segment[] => (part ? [{ text: style.escape ? escapeText(part) : part, marks, isSpace }] : [])
  return [...segment(before, true), ...segment(inside, false), ...segment(after, true)]
}

function segmentsOf(child: Node, style: Style, cell: boolean): Segment[] {
  const { attrs, marks } = child
  switch (child.type.name) {
    case 'text':
      return segmentsOfText(child, style)
    case 'hard_break':
      return [{ text: cell ? '<br>' : `${attrs['markup'] as string}\n`, marks, isSpace: !cell }]
    case 'soft_break':
      return [{ text: cell ? ' ' : '\n', marks, isSpace: true }]
    case 'image':
      return [{ text: `![${attrs['alt'] as string}](${target(attrs['src'] as string)}${titleSuffix(attrs['title'])})`, marks, isSpace: false }]
    default:
      return [{ text: attrs['raw'] as string, marks, isSpace: false }]
  }
}

/** Bold and the like cannot begin or end with a space, so spaces at their edges stand outside. */
function withoutOuterSpaces(segments: readonly Segment[]): Segment[] {
  const holds = (mark: Mark, index: number, step: 1 | -1): boolean => {
    let at = index + step
    while (segments[at]?.isSpace && mark.isInSet(segments[at]!.marks)) at += step
    return Boolean(segments[at] && mark.isInSet(segments[at]!.marks))
  }
  const stays = (mark: Mark, index: number) => mark.type.name === 'link' || (holds(mark, index, -1) && holds(mark, index, 1))
  return segments.map((segment, index) => (segment.isSpace ? { ...segment, marks: segment.marks.filter((mark) => stays(mark, index)) } : segment))
}

function join(segments: readonly Segment[], style: Style): string {
  let open: readonly Mark[] = []
  let out = ''
  const close = (marks: readonly Mark[]) => marks.toReversed().forEach((mark) => (out += closingOf(mark, style)))
  const reach = (mark: Mark, from: number) => {
    const end = segments.findIndex(({ marks }, index) => index > from && !mark.isInSet(marks))
    return end < 0 ? segments.length : end
  }
  segments.forEach(({ text, marks }, index) => {
    const closeIndex = open.findIndex((mark) => !mark.isInSet(marks))
    const outerMarks = closeIndex < 0 ? open : open.slice(0, closeIndex)
    close(open.slice(outerMarks.length))
    const newMarks = marks.filter((mark) => !mark.isInSet(outerMarks)).toSorted((a, b) => reach(b, index) - reach(a, index))
    newMarks.forEach((mark) => (out += openingOf(mark, style)))
    open = [...outerMarks, ...newMarks]
    out += text
  })
  close(open)
  return out
}

/** The Markdown of what is inside `parent`: a paragraph, a heading or, on one line, a cell of a table. */
export function writeInline(parent: Node, style: Style, cell = false): string {
  const segments: Segment[] = []
  parent.forEach((child) => segments.push(...segmentsOf(child, style, cell)))
  const text = join(withoutOuterSpaces(segments), style).trim()
  if (cell) return text.replaceAll('\n', ' ').replace(/\\?\|/g, '\\|')
  return style.escape ? escapeStarts(text) : text
}
