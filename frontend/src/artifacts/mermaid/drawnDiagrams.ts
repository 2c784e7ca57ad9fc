// Draws the diagrams of a document that becomes PDF or Word, because the server can't.
import type { DrawnDiagram } from '../../api/generated'
import { base64Of } from './diagramFont'
import { diagramPng } from './exportDiagram'

/** Of all pictures together in base64; a request has at most 3 MB. Diagrams beyond it stay as their source. */
const MAX_CHARACTERS = 2_000_000
const MAX_DIAGRAMS = 40
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/gm

/** The sources of the diagrams in a Markdown text, each once. Each line is looked at once, as on the server (artifacts/diagrams.py). */
export function diagramSources(text: string): readonly string[] {
  const sources = new Set<string>()
  let opening: { fence: string; language: string; end: number } | undefined
  for (const { 0: line, 1: fence = '', 2: rest = '', index } of text.matchAll(FENCE)) {
    const language = rest.trim()
    if (!opening) {
      opening = { fence, language, end: index + line.length }
    } else if (!language && fence.startsWith(opening.fence)) {
      if (opening.language === 'mermaid') sources.add(text.slice(opening.end, index).trim())
      opening = undefined
    }
  }
  sources.delete('')
  return [...sources]
}

/** The diagrams that can be drawn, as many as fit into a request. */
export async function drawnDiagrams(sources: readonly string[]): Promise<DrawnDiagram[]> {
  const drawn: DrawnDiagram[] = []
  let room = MAX_CHARACTERS
  for (const source of sources.slice(0, MAX_DIAGRAMS)) {
    const png = await diagramPng(source).then(bytesOf).then(base64Of).catch(() => '')
    if (!png || png.length + source.length > room) continue
    room -= png.length + source.length
    drawn.push({ source, png })
  }
  return drawn
}

const bytesOf = async (blob: Blob): Promise<Uint8Array> => new Uint8Array(await blob.arrayBuffer())
