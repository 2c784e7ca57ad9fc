// The placeholders of a template, `{{name}}` in its text, for the preview and the editor. The server (gallery/placeholders.py) has the
// same rules and decides. Pure.
import type { PlaceholderItem, TemplateKind } from '../api/generated'

export type Values = Readonly<Record<string, string>>
/** A piece of a text. `name`: of the placeholder whose value it is; null: the template's own text. */
export type Segment = { readonly text: string; readonly name: string | null }

const GAP = /\{\{([^{}\n]{1,60})\}\}/g
/** In programs and diagrams braces may mean something else, so there a gap is a placeholder only when its author says so. */
export const asksForAllGaps = (kind: TemplateKind): boolean => kind !== 'python' && kind !== 'mermaid'

/** The names of all gaps, each once, in the text's order. Those of registered secrets are none. */
export function namesIn(text: string): readonly string[] {
  const names = [...text.matchAll(GAP)].map(([, name]) => name!.trim())
  return [...new Set(names)].filter((name) => name && !name.startsWith('secret:'))
}

/** `delivery_date` as Delivery date. */
export function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ').trim()
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

export const newPlaceholder = (name: string): PlaceholderItem => ({ name, label: labelOf(name).slice(0, 80), kind: 'text', default: '', required: false, choices: [] })

export const defaultsOf = (placeholders: readonly PlaceholderItem[]): Values => Object.fromEntries(placeholders.map((one) => [one.name, one.default]))

/** The text in pieces. A placeholder without a value shows its label. */
export function segmentsOf(body: string, placeholders: readonly PlaceholderItem[], values: Values): readonly Segment[] {
  const segments: Segment[] = []
  let at = 0
  for (const { 0: gap, 1: inner, index } of body.matchAll(GAP)) {
    const placeholder = placeholders.find(({ name }) => name === inner!.trim())
    if (!placeholder) continue
    if (index > at) segments.push({ text: body.slice(at, index), name: null })
    segments.push({ text: values[placeholder.name] || placeholder.label, name: placeholder.name })
    at = index + gap.length
  }
  return at < body.length ? [...segments, { text: body.slice(at), name: null }] : segments
}

/** As the server writes values into a diagram: within quotes, and in messages, which a semicolon would end. */
export const inMermaid = (value: string): string => value.split(/\s+/).join(' ').trim().replaceAll(';', '#59;').replaceAll('"', '#quot;')
/** As the server writes values into a program: within any kind of quotes. */
export const inPython = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll("'", "\\'").replaceAll('\r', '').replaceAll('\n', '\\n')

/** The placeholders of a text that is being edited: known ones keep their fields. `askedNames`: the names that are placeholders although not all gaps are. */
export function placeholdersOf(body: string, kind: TemplateKind, definitions: readonly PlaceholderItem[], askedNames: ReadonlySet<string>): readonly PlaceholderItem[] {
  const names = namesIn(body).filter((name) => asksForAllGaps(kind) || askedNames.has(name))
  const usedDefinitions = definitions.filter(({ name }) => names.includes(name))
  return [...usedDefinitions, ...names.filter((name) => !usedDefinitions.some((one) => one.name === name)).map(newPlaceholder)]
}

/** A name for a piece of text that becomes a placeholder: its first words, and another one than those that are taken. */
export function nameFor(text: string, takenNames: readonly string[]): string {
  const words = text.replace(/[^\p{L}\p{N} _-]/gu, ' ').trim().split(/\s+/).slice(0, 4).join('_').toLowerCase().slice(0, 40) || 'value'
  for (let number = 1; ; number++) {
    const name = number === 1 ? words : `${words}_${number}`
    if (!takenNames.includes(name)) return name
  }
}
