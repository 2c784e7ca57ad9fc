import { call } from '../api/client'

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

/** `token`: its text, which the server does not have any more. */
export type MadeToken = ApiToken & { readonly token: string }
export type NewToken = { readonly name: string; readonly scopes: readonly Scope[]; readonly days: number | null }

export const tokensApi = {
  list: () => call<{ tokens: ApiToken[] }>('GET', 'tokens/'),
  make: (token: NewToken) => call<MadeToken>('POST', 'tokens/', token),
  revoke: (id: string) => call<null>('DELETE', `tokens/${id}/`),
}
