// What the owner of a link leaves out of its page. Pure.
import { t } from '@lingui/core/macro'
import type { SharePreview } from '../api/generated'

export type Check = SharePreview['checks'][number]

/** `keys`: all that look like keys or passwords, which the page never has in the clear. */
export type Redactions = { readonly texts: readonly string[]; readonly keys: boolean }

export const NO_REDACTIONS: Redactions = { texts: [], keys: false }

/** In place of what is hidden, as the server writes it. */
const MASK = '[removed]'

export const isRedacted = ({ kind, text }: Check, hidden: Redactions): boolean => (kind === 'secret' ? hidden.keys : hidden.texts.includes(text))

/** With the text of the check hidden, or shown again. All keys go together. */
export function toggleRedaction(check: Check, hidden: Redactions): Redactions {
  if (check.kind === 'secret') return { ...hidden, keys: !hidden.keys }
  const texts = isRedacted(check, hidden) ? hidden.texts.filter((text) => text !== check.text) : [...hidden.texts, check.text]
  return { ...hidden, texts }
}

/** The text as others will see it. */
export const redact = (text: string, { texts }: Redactions): string => texts.toSorted((a, b) => b.length - a.length).reduce((result, hidden) => result.replaceAll(hidden, MASK), text)

/** Why no link can be made yet; empty: nothing stands in the way. `edits`: its readers see all. */
export function blockedBy(checks: readonly Check[], hidden: Redactions, edits: boolean): string {
  if (!checks.some(({ kind }) => kind === 'secret')) return ''
  if (edits) return t`There is a key or a password in it, and who may edit sees all. Remove it first.`
  return hidden.keys ? '' : t`There is a key or a password in it. Hide it first.`
}
