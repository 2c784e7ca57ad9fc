// Copying gives Markdown, and pasted Markdown is understood. Foreign HTML is taken over where the browser can clean it.
import { DOMParser, Fragment, Slice, type Node } from 'prosemirror-model'
import { TextSelection } from 'prosemirror-state'
import { isInTable } from 'prosemirror-tables'
import type { EditorProps, EditorView } from 'prosemirror-view'
import { isOwnCopy } from '../../markdown/clipboardHtml'
import { readPasted } from './markdown/reading'
import { schema } from './markdown/schema'
import { setLink } from './commands'
import { writeDocument, openDocument } from './markdown/richDocument'

type CleaningElement = HTMLElement & { setHTML?: (html: string) => void }

/** What other programs copied, without anything that could run. Null in browsers that cannot clean it. */
function sliceOfHtml(html: string): Slice | null {
  const host: CleaningElement = document.implementation.createHTMLDocument().createElement('div')
  if (!host.setHTML) return null
  host.setHTML(html)
  return DOMParser.fromSchema(schema).parseSlice(host)
}

/** Paragraphs at the ends join the text around. */
function sliceOf(blocks: readonly Node[]): Slice {
  const open = (block: Node | undefined) => (block?.type === schema.nodes.paragraph ? 1 : 0)
  return new Slice(Fragment.from(blocks), open(blocks[0]), open(blocks.at(-1)))
}

/** On one line, for a cell of a table. */
function sliceOfLine(text: string): Slice {
  const [block, ...others] = readPasted(text)
  const isLine = block?.type === schema.nodes.paragraph && others.length === 0
  return new Slice(isLine ? block.content : Fragment.from(schema.text(text.replace(/\s+/g, ' ').trim() || ' ')), 0, 0)
}

const ADDRESS = /^https?:\/\/\S+$/

/** Inserts what is on the clipboard or was dropped. Returns whether there was any text. */
function insert(view: EditorView, from: DataTransfer): boolean {
  const { state } = view
  const text = from.getData('text/plain').replaceAll('\r\n', '\n')
  const html = from.getData('text/html')
  if (!text && !html) return false
  if (state.selection.$from.parent.type.spec.code) view.dispatch(state.tr.insertText(text))
  else if (ADDRESS.test(text) && !state.selection.empty) setLink(text)(state, view.dispatch)
  else if (isInTable(state)) view.dispatch(state.tr.replaceSelection(sliceOfLine(text)))
  else {
    const isOwn = html.includes('data-pm-slice') || isOwnCopy(html)
    const slice = (html && !isOwn && sliceOfHtml(html)) || sliceOf(readPasted(text))
    view.dispatch(state.tr.replaceSelection(slice).scrollIntoView().setMeta('paste', true))
  }
  return true
}

function paste(view: EditorView, event: ClipboardEvent): boolean {
  if (!event.clipboardData) return false
  event.preventDefault()
  insert(view, event.clipboardData)
  return true
}

function drop(view: EditorView, event: DragEvent): boolean {
  if (view.dragging || !event.dataTransfer) return false // its own text is moved
  const place = view.posAtCoords({ left: event.clientX, top: event.clientY })
  if (!place || event.dataTransfer.types.includes('Files')) return true // files are for the message box
  event.preventDefault()
  view.dispatch(view.state.tr.setSelection(TextSelection.near(view.state.doc.resolve(place.pos))))
  insert(view, event.dataTransfer)
  return true
}

const EMPTY = openDocument('')

function copiedText({ content }: Slice): string {
  const blocks: Node[] = []
  content.forEach((node) => blocks.push(node))
  if (blocks.some(({ isInline }) => isInline)) return content.textBetween(0, content.size)
  const isWhole = blocks.every(({ isBlock, type }) => isBlock && type.isInGroup('block'))
  if (!isWhole || (blocks.length === 1 && blocks[0]!.type.spec.code)) return content.textBetween(0, content.size, '\n')
  return writeDocument(EMPTY, schema.nodes.doc.create(null, blocks)).replace(/\n$/, '')
}

/** The editor's own reading of HTML strings would break the page's policy (Trusted Types). */
export const clipboard: EditorProps = {
  handleDOMEvents: { paste, drop },
  clipboardTextSerializer: copiedText,
}
