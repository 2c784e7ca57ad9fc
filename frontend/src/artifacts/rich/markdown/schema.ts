// What the rich editor knows of Markdown. Everything else stays as its source: a block of it, or a piece inside a line.
import { Schema, type DOMOutputSpec, type MarkSpec, type Node, type NodeSpec } from 'prosemirror-model'
import { tableNodes } from 'prosemirror-tables'
import { isOwnImage, isSafeLink } from '../../../markdown/links'

const MAX_LEVEL = 6

const listAttributes = { tight: { default: true } }

const alignOf = (cell: HTMLElement): string | null => cell.getAttribute('data-align') ?? (cell.style.textAlign || null)
const tables = tableNodes({
  tableGroup: 'block',
  cellContent: 'inline*',
  cellAttributes: {
    align: {
      default: null,
      getFromDOM: alignOf,
      setDOMAttr: (value, attributes) => value && Object.assign(attributes, { 'data-align': value as string }),
    },
  },
})

const image = ({ attrs: { src, alt, title } }: Node): DOMOutputSpec =>
  isOwnImage(src as string)
    ? ['img', { src: src as string, alt: alt as string, title: title as string | null }]
    : ['span', { class: 'rich-source', title: src as string }, (alt as string) || (src as string)]

const nodes = {
  doc: { content: 'block+' },
  paragraph: { content: 'inline*', group: 'block', parseDOM: [{ tag: 'p' }], toDOM: () => ['p', 0] },
  heading: {
    attrs: { level: { default: 1 } },
    content: 'inline*',
    group: 'block',
    defining: true,
    parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, attrs: { level } })),
    toDOM: ({ attrs }) => [`h${Math.min(MAX_LEVEL, (attrs['level'] as number) + 1)}`, 0], // the page's own heading is h1
  },
  blockquote: { content: 'block+', group: 'block', defining: true, parseDOM: [{ tag: 'blockquote' }], toDOM: () => ['blockquote', { dir: 'auto' }, 0] },
  code_block: {
    attrs: { info: { default: '' }, fence: { default: '```' } },
    content: 'text*',
    marks: '',
    group: 'block',
    code: true,
    defining: true,
    parseDOM: [{ tag: 'pre', preserveWhitespace: 'full' }],
    toDOM: ({ attrs }) => ['pre', { 'data-info': (attrs['info'] as string) || null, spellcheck: 'false' }, ['code', 0]],
  },
  horizontal_rule: { group: 'block', parseDOM: [{ tag: 'hr' }], toDOM: () => ['hr'] },
  bullet_list: {
    attrs: { ...listAttributes, bullet: { default: '-' } },
    content: 'list_item+',
    group: 'block',
    parseDOM: [{ tag: 'ul' }],
    toDOM: () => ['ul', { dir: 'auto' }, 0],
  },
  ordered_list: {
    attrs: { ...listAttributes, start: { default: 1 }, delimiter: { default: '.' } },
    content: 'list_item+',
    group: 'block',
    parseDOM: [{ tag: 'ol', getAttrs: (element) => ({ start: Number(element.getAttribute('start') ?? 1) }) }],
    toDOM: ({ attrs }) => ['ol', { dir: 'auto', ...(attrs['start'] === 1 ? {} : { start: String(attrs['start']) }) }, 0],
  },
  /** `checked`: null unless it is a task. */
  list_item: {
    attrs: { checked: { default: null } },
    content: 'paragraph block*',
    defining: true,
    parseDOM: [{ tag: 'li' }],
    toDOM: () => ['li', 0],
  },
  ...tables,
  source: {
    content: 'text*',
    marks: '',
    group: 'block',
    code: true,
    defining: true,
    toDOM: () => ['pre', { class: 'rich-source-block', spellcheck: 'false' }, ['code', 0]],
  },
  text: { group: 'inline' },
  image: {
    attrs: { src: {}, alt: { default: '' }, title: { default: null } },
    inline: true,
    group: 'inline',
    draggable: true,
    toDOM: image,
  },
  inline_source: {
    attrs: { raw: {} },
    inline: true,
    group: 'inline',
    leafText: ({ attrs }) => attrs['raw'] as string,
    toDOM: ({ attrs }) => ['span', { class: 'rich-source' }, attrs['raw'] as string],
  },
  hard_break: {
    attrs: { markup: { default: '\\' } },
    inline: true,
    group: 'inline',
    selectable: false,
    linebreakReplacement: true,
    leafText: () => '\n',
    parseDOM: [{ tag: 'br' }],
    toDOM: () => ['br'],
  },
  /** The end of a line of the source, which readers see as a space. */
  soft_break: { inline: true, group: 'inline', selectable: false, leafText: () => ' ', toDOM: () => ['span', { class: 'rich-soft-break' }, ' '] },
} satisfies Record<string, NodeSpec>

const marks = {
  link: {
    attrs: { href: {}, title: { default: null } },
    inclusive: false,
    parseDOM: [{ tag: 'a[href]', getAttrs: (element) => ({ href: element.getAttribute('href'), title: element.getAttribute('title') }) }],
    toDOM: ({ attrs }) => {
      const href = attrs['href'] as string
      return ['a', isSafeLink(href) ? { href, title: href, rel: 'noreferrer' } : { title: href }, 0]
    },
  },
  em: { parseDOM: [{ tag: 'i' }, { tag: 'em' }], toDOM: () => ['em', 0] },
  strong: {
    parseDOM: [{ tag: 'b', getAttrs: (element) => element.style.fontWeight !== 'normal' && null }, { tag: 'strong' }],
    toDOM: () => ['strong', 0],
  },
  strike: { parseDOM: [{ tag: 's' }, { tag: 'del' }], toDOM: () => ['del', 0] },
  code: { code: true, parseDOM: [{ tag: 'code' }], toDOM: () => ['code', 0] },
} satisfies Record<string, MarkSpec>

export const schema = new Schema({ nodes, marks })
