// The page's font for diagrams. The frame measures with it and the picture carries it, because an image has only the fonts of the machine.
import fontUrl from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url'
import { FONT_NAME, FONT_WEIGHTS } from '../../sandbox/mermaid/theme'

const CHUNK = 0x8000
const MAX_LOAD_MS = 5000 // diagrams wait for it

/** The font file, or undefined where it can't be loaded: diagrams then have a font of the machine. */
export async function loadFont(): Promise<ArrayBuffer | undefined> {
  try {
    const response = await fetch(fontUrl, { signal: AbortSignal.timeout(MAX_LOAD_MS) })
    return response.ok ? await response.arrayBuffer() : undefined
  } catch {
    return undefined
  }
}

/** The style element by which an SVG carries the font. */
export function fontStyle(font: ArrayBuffer): string {
  const source = `url(data:font/woff2;base64,${base64Of(new Uint8Array(font))}) format('woff2')`
  return `<style>@font-face{font-family:'${FONT_NAME}';font-weight:${FONT_WEIGHTS};src:${source}}</style>`
}

/** The SVG with `style` as its first element. What is no SVG stays as it is. */
export const withStyle = (svg: string, style: string): string => svg.replace(/^<svg\b[^>]*>/, (start) => start + style)

export function base64Of(bytes: Uint8Array): string {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += CHUNK) pieces.push(String.fromCharCode(...bytes.subarray(at, at + CHUNK)))
  return btoa(pieces.join(''))
}
