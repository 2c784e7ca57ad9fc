// What the owner of a link leaves out of its page. Pure.
import { t } from '@lingui/core/macro'
import type { SharePreview } from '../api/generated'

export type Check = SharePreview['checks'][number]

/** `keys`: all that look like keys or passwords, which the page never has in the clear. */
export type Hidden = { readonly texts: readonly string[]; readonly keys: boolean }

export const NOTHING_HIDDEN: Hidden = { texts: [], keys: false }

/** In place of what is hidden, as the server writes it. */
const MASK = '[removed]'

export const isHidden = ({ kind, text }: Check, hidden: Hidden): boolean => (kind === 'secret' ? hidden.keys : hidden.texts.includes(text))

/** With the text of the check hidden, or shown again. All keys go together. */
export function flipped(check: Check, hidden: Hidden): Hidden {
  if (check.kind === 'secret') return { ...hidden, keys: !hidden.keys }
  const texts = isHidden(check, hidden) ? hidden.texts.filter((text) => text !== check.text) : [...hidden.texts, check.text]
  return { ...hidden, texts }
}

/** The text as others will see it. */
export const masked = (text: string, { texts }: Hidden): string => texts.toSorted((a, b) => b.length - a.length).reduce((shown, hidden) => shown.replaceAll(hidden, MASK), text)

/** Why no link can be made yet; empty: nothing stands in the way. `edits`: its readers see all. */
export function blockedBy(checks: readonly Check[], hidden: Hidden, edits: boolean): string {
  if (!checks.some(({ kind }) => kind === 'secret')) return ''
  if (edits) return t`There is a key or a password in it, and who may edit sees all. Remove it first.`
  return hidden.keys ? '' : t`There is a key or a password in it. Hide it first.`
}
