// The script of the sandboxed diagram frame. It gets code and returns the text of an SVG.
import mermaid from 'mermaid'
import { connect } from '../connect'
import { withoutActiveHtml } from './activeHtml'
import { diagramErrorOf } from './diagramError'
import type { Drawing, FromFrame, Theme, ToFrame } from './messages'
import { settingsFor } from './settings'
import { FONT_NAME, FONT_WEIGHTS } from './theme'

// Mermaid gives an actor with links a click handler, for a menu that a picture doesn't have. The frame's policy would report it.
const { setAttribute } = Element.prototype
Element.prototype.setAttribute = function (name, value) {
  if (!/^on/i.test(name)) setAttribute.call(this, name, value)
}

let theme: Theme | undefined

let font: Promise<void> = Promise.resolve()

const post = connect<ToFrame>((message) => {
  if (message.type === 'font') font = useFont(message.font)
  else void font.then(() => answer(message))
})
const tell = (message: FromFrame) => post(message)

/** Loads the font for measuring; one that is no font is left out. */
async function useFont(bytes: ArrayBuffer): Promise<void> {
  try {
    document.fonts.add(await new FontFace(FONT_NAME, bytes, { weight: FONT_WEIGHTS }).load())
  } catch {
    // Diagrams have a font of the machine then.
  }
}

async function answer({ id, code, theme }: Extract<ToFrame, { type: 'draw' }>): Promise<void> {
  try {
    tell({ type: 'drawn', id, drawing: await draw(code, theme, `diagram-${id}`) })
  } catch (error) {
    tell({ type: 'fault', id, fault: diagramErrorOf(error, code) })
  }
  document.body.replaceChildren() // a failed diagram leaves unfinished elements behind
}

function useTheme(next: Theme): void {
  if (next !== theme) mermaid.initialize(settingsFor(next))
  theme = next
}

async function draw(code: string, theme: Theme, name: string): Promise<Drawing> {
  useTheme(theme)
  const safe = withoutActiveHtml(code)
  await mermaid.parse(safe) // fails in milliseconds, while drawing takes ten times as long
  const { svg, diagramType } = await mermaid.render(name, safe)
  return { ...asFile(svg), kind: diagramType }
}

/** The SVG as a standalone file: well-formed XML (Mermaid writes HTML's <br>) with a size. */
function asFile(html: string): Omit<Drawing, 'kind'> {
  const svg = new DOMParser().parseFromString(html, 'text/html').querySelector('svg')
  if (!svg) throw new Error('The diagram is empty.')
  const [, , boxWidth = 600, boxHeight = 400] = (svg.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  const [width, height] = [Math.ceil(boxWidth), Math.ceil(boxHeight)]
  svg.setAttribute('width', String(width))
  svg.setAttribute('height', String(height))
  return { svg: new XMLSerializer().serializeToString(svg), width, height }
}
