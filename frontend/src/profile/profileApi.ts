import { boot } from '../api/boot'
import { apiErrorFrom, OFFLINE_ERROR, request } from '../api/client'
import type { DataExport, Profile, ProfileChange, Retention } from '../api/generated'

export const profileApi = {
  get: () => request<Profile>('GET', 'profile/'),
  save: (change: ProfileChange) => request<Profile>('PATCH', 'profile/', change),
  setPicture,
  removePicture: () => request<null>('DELETE', 'profile/picture/'),
  deleteAccount: (email: string) => request<Profile>('POST', 'profile/deletion/', { email }),
  retention: () => request<Retention>('GET', 'retention/'),
  dataExport: () => request<DataExport>('GET', 'profile/export/'),
  beginDataExport: () => request<DataExport>('POST', 'profile/export/'),
  keepAccount: () => request<null>('DELETE', 'profile/deletion/'),
}

async function setPicture(file: File): Promise<Profile> {
  const body = new FormData()
  body.append('picture', file)
  const headers = { accept: 'application/json', 'X-CSRFToken': boot.csrfToken }
  const response = await fetch(`${boot.api}/profile/picture/`, { method: 'POST', headers, body }).catch(() => Promise.reject(OFFLINE_ERROR))
  const answer: unknown = await response.json().catch(() => null)
  if (!response.ok) throw apiErrorFrom(response.status, answer)
  return answer as Profile
}
