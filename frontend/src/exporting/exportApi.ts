import { boot } from '../api/boot'
import { apiErrorFrom, OFFLINE_ERROR, queryString, redirectToSignIn } from '../api/client'

export type Format = 'pdf' | 'docx' | 'md' | 'zip' | 'json'
export type Branches = 'shown' | 'all'
export type Versions = 'latest' | 'all'

/** Returns the file. Rejects with an ApiError, also when the answer breaks off. */
export async function exportConversation(id: string, asked: { format: Format; branches: Branches; versions: Versions }, signal: AbortSignal): Promise<Blob> {
  const response = await fetch(`${boot.api}/conversations/${id}/export/${queryString(asked)}`, { signal }).catch(() => Promise.reject(OFFLINE_ERROR))
  if (response.status === 401) redirectToSignIn()
  if (!response.ok) throw apiErrorFrom(response.status, await response.json().catch(() => null))
  return response.blob().catch(() => Promise.reject(OFFLINE_ERROR))
}
