import { request } from '../api/client'
import type { Me, MeChange } from '../api/generated'

export const preferencesApi = {
  get: () => request<Me>('GET', 'me/'),
  save: (preferences: MeChange) => request<Me>('PATCH', 'me/', preferences),
}
