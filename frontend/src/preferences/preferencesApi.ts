import { request } from '../api/client'

/** What the user tells every assistant about themself, as free text. */
export type UserPreferences = { readonly preferences: string }

export const preferencesApi = {
  get: () => request<UserPreferences>('GET', 'me/'),
  save: (preferences: UserPreferences) => request<UserPreferences>('PATCH', 'me/', preferences),
}
