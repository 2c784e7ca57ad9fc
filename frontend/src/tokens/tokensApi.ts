import { request } from '../api/client'
import type { MadeToken, NewToken, Token, TokenList } from '../api/generated'

export type Scope = Token['scopes'][number]

export const tokensApi = {
  list: () => request<TokenList>('GET', 'tokens/'),
  create: (token: NewToken) => request<MadeToken>('POST', 'tokens/', token),
  rotate: (id: string) => request<MadeToken>('POST', `tokens/${id}/rotate/`, {}),
  revoke: (id: string) => request<null>('DELETE', `tokens/${id}/`),
}
