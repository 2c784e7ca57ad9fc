import type { MessageDescriptor } from '@lingui/core'
import { msg, plural, t } from '@lingui/core/macro'
import type { Token } from '../api/generated'
import { fullDate } from '../language/formats'
import type { Scope } from './tokensApi'

export const SCOPE_LABELS: Record<Scope, { readonly name: MessageDescriptor; readonly says: MessageDescriptor }> = {
  chat: { name: msg`Chat`, says: msg`Ask agents: the OpenAI-compatible API and AI SDK clients` },
  read: { name: msg`Read`, says: msg`Read conversations and documents (REST)` },
  write: { name: msg`Write`, says: msg`Edit and delete them (REST)` },
}

type Lifetime = { readonly days: number | null; readonly says: string }

const dayCount = (days: number): string => plural(days, { one: '# day', other: '# days' })

const lifetimes = (): readonly Lifetime[] => [
  { days: 30, says: dayCount(30) },
  { days: 90, says: dayCount(90) },
  { days: 365, says: t`One year` },
  { days: null, says: t`Never expires` },
]

/** Those that the organization's policy allows; its longest one where that is none of ours. */
export function lifetimesFor(maxDays: number | null): readonly Lifetime[] {
  if (maxDays === null) return lifetimes()
  const allowed = lifetimes().filter((lifetime) => lifetime.days !== null && lifetime.days <= maxDays)
  return allowed.some((lifetime) => lifetime.days === maxDays) ? allowed : [...allowed, { days: maxDays, says: dayCount(maxDays) }]
}

export const isExpired = (token: Pick<Token, 'expiresAt'>, now = Date.now()): boolean =>
  token.expiresAt !== null && Date.parse(token.expiresAt) <= now

/** The scopes, expiry and last use of a token in one line. */
export function tokenStatus(token: Pick<Token, 'scopes' | 'expiresAt' | 'lastUsedAt'> & Partial<Pick<Token, 'networks'>>, now = Date.now()): string {
  const may = token.scopes.map((scope) => t(SCOPE_LABELS[scope].name)).join(', ')
  const from = token.networks?.length ? [t`from ${token.networks.join(', ')}`] : []
  return [may, endText(token, now), useText(token), ...from].join(' · ')
}

function endText(token: Pick<Token, 'expiresAt'>, now: number): string {
  if (token.expiresAt === null) return t`never expires`
  const day = fullDate(token.expiresAt, 'medium')
  return isExpired(token, now) ? t`expired ${day}` : t`until ${day}`
}

function useText({ lastUsedAt }: Pick<Token, 'lastUsedAt'>): string {
  if (lastUsedAt === null) return t`not used yet`
  const day = fullDate(lastUsedAt, 'medium')
  return t`last used ${day}`
}
