import type { Token } from '../api/generated'
import type { Scope } from './tokensApi'

export const SCOPE_LABELS: Record<Scope, { readonly name: string; readonly says: string }> = {
  chat: { name: 'Chat', says: 'Ask agents: the OpenAI-compatible API and AI SDK clients' },
  read: { name: 'Read', says: 'Read conversations and documents (REST)' },
  write: { name: 'Write', says: 'Edit and delete them (REST)' },
}

export const LIFETIMES = [
  { days: 30, says: '30 days' },
  { days: 90, says: '90 days' },
  { days: 365, says: 'One year' },
  { days: null, says: 'Never expires' },
] as const

/** Those that the organization's policy allows; its longest one where that is none of ours. */
export function lifetimesFor(maxDays: number | null): readonly { readonly days: number | null; readonly says: string }[] {
  if (maxDays === null) return LIFETIMES
  const allowed = LIFETIMES.filter((lifetime) => lifetime.days !== null && lifetime.days <= maxDays)
  return allowed.some((lifetime) => lifetime.days === maxDays) ? allowed : [...allowed, { days: maxDays, says: maxDays === 1 ? '1 day' : `${maxDays} days` }]
}

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
const day = (time: string): string => DAY.format(new Date(time))

export const isExpired = (token: Pick<Token, 'expiresAt'>, now = Date.now()): boolean =>
  token.expiresAt !== null && Date.parse(token.expiresAt) <= now

/** The scopes, expiry and last use of a token in one line. */
export function tokenStatus(token: Pick<Token, 'scopes' | 'expiresAt' | 'lastUsedAt'> & Partial<Pick<Token, 'networks'>>, now = Date.now()): string {
  const may = token.scopes.map((scope) => SCOPE_LABELS[scope].name).join(', ')
  const end = token.expiresAt === null ? 'no end' : `${isExpired(token, now) ? 'expired' : 'until'} ${day(token.expiresAt)}`
  const used = token.lastUsedAt === null ? 'not used yet' : `last used ${day(token.lastUsedAt)}`
  const from = token.networks?.length ? ` · from ${token.networks.join(', ')}` : ''
  return `${may} · ${end} · ${used}${from}`
}
