// The messages between the page and the diagram frame.

export type Theme = 'light' | 'dark'
/** The font comes first, if at all. */
export type ToFrame =
  | { readonly type: 'font'; readonly font: ArrayBuffer }
  | { readonly type: 'draw'; readonly id: number; readonly code: string; readonly theme: Theme }

/** Width and height in CSS pixels at 100 %. `line` counts from 1; null when Mermaid does not say. */
export type Drawing = { readonly svg: string; readonly width: number; readonly height: number; readonly kind: string }
export type DiagramError = { readonly message: string; readonly line: number | null }
export type FromFrame = { readonly type: 'drawn'; readonly id: number; readonly drawing: Drawing } | { readonly type: 'fault'; readonly id: number; readonly fault: DiagramError }
