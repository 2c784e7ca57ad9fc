import { request } from '../api/client'

export type Scope = 'read' | 'write' | 'chat'

/** Times are ISO 8601; `expiresAt` null: never, `lastUsedAt` null: not used yet. */
export type ApiToken = {
  readonly id: string
  readonly name: string
  readonly lastFour: string
  readonly scopes: readonly Scope[]
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

/** `token`: its text, which the server does not store. */
export type CreatedToken = ApiToken & { readonly token: string }
export type NewToken = { readonly name: string; readonly scopes: readonly Scope[]; readonly days: number | null }

export const tokensApi = {
  list: () => request<{ tokens: ApiToken[] }>('GET', 'tokens/'),
  create: (token: NewToken) => request<CreatedToken>('POST', 'tokens/', token),
  revoke: (id: string) => request<null>('DELETE', `tokens/${id}/`),
}
