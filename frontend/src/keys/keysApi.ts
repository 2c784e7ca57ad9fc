import { request } from '../api/client'

/** Whose key the next answer uses; null: there is none. */
export type KeySource = 'session' | 'saved' | 'organization' | 'platform' | null

export type UserKey = { readonly lastFour: string; readonly sessionOnly: boolean; /** The key was entered for an earlier address of the provider. */ readonly stale: boolean }

export type ProviderKeys = {
  readonly provider: string
  readonly label: string
  readonly origin: string
  readonly source: KeySource
  readonly key: UserKey | null
}

export type KeyList = { readonly allowed: boolean; readonly keys: readonly ProviderKeys[] }
export type KeyCheck = { readonly result: 'ok' | 'refused' | 'unreachable'; readonly message: string }
export type NewKey = { readonly provider: string; readonly key: string; readonly origin: string; readonly sessionOnly: boolean }

export const keysApi = {
  list: () => request<KeyList>('GET', 'keys/'),
  save: (key: NewKey) => request<ProviderKeys>('PUT', 'keys/', key),
  remove: (provider: string) => request<null>('DELETE', `keys/${provider}/`),
  check: (provider: string) => request<KeyCheck>('POST', `keys/${provider}/check/`),
}
