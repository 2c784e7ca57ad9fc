import { request } from '../api/client'
import type { KeyVerdict, NewKey, ProviderKey, ProviderKeys } from '../api/generated'

export const keysApi = {
  list: () => request<ProviderKeys>('GET', 'keys/'),
  save: (key: NewKey) => request<ProviderKey>('PUT', 'keys/', key),
  remove: (provider: string) => request<null>('DELETE', `keys/${provider}/`),
  check: (provider: string) => request<KeyVerdict>('POST', `keys/${provider}/check/`),
}
