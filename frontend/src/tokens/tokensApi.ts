import { request } from '../api/client'
import type { CreatedToken, NewToken, Token, TokenList } from '../api/generated'

export type Scope = Token['scopes'][number]

export const tokensApi = {
  list: () => request<TokenList>('GET', 'tokens/'),
  create: (token: NewToken) => request<CreatedToken>('POST', 'tokens/', token),
  rotate: (id: string) => request<CreatedToken>('POST', `tokens/${id}/rotate/`, {}),
  revoke: (id: string) => request<null>('DELETE', `tokens/${id}/`),
}
