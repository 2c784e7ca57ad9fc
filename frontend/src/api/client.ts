// The REST client. This folder has what crosses the wire to the server: the client, the boot data, and the shapes of the protocol.
// Endpoints of one subject are in its own folder (keysApi.ts, filesApi.ts); those of conversations are here, because several folders need them.
import { t } from '@lingui/core/macro'
import { boot } from './boot'
import { credentials } from './credentials'
import { askForProof, PROOF_NEEDED } from './proof'
import type { Error as ErrorBody } from './generated'

/** A response outside 2xx. `message` is a sentence for the user. `body` is the whole response, if there was one. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly body: unknown = null,
  ) {
    super(message)
  }
}

export const OFFLINE_ERROR = new ApiError(0, 'offline', 'The server cannot be reached.')

/** How a gateway answers while the server behind it is down or restarts. */
const GATEWAY = [502, 503, 504]

/** Whether the request most likely never reached the server. */
export const isUnreachable = (error: unknown): boolean => error instanceof ApiError && (error === OFFLINE_ERROR || (error.code === 'unknown' && GATEWAY.includes(error.status)))

export function apiErrorFrom(status: number, body: unknown): ApiError {
  const error = (body as Partial<ErrorBody> | null)?.error
  return new ApiError(status, error?.code ?? 'unknown', error?.message ?? t`The server answered with an error (${status}).`, body)
}

/** The session ended. The sign-in page brings the user back here. */
export function redirectToSignIn(): never {
  location.assign(`/login/?next=${encodeURIComponent(location.pathname)}`)
  throw new ApiError(401, 'signed_out', t`You are signed out.`)
}

/** The organization asks for a second factor that this session was begun without. The page where it is set up brings the user back here. */
const SECOND_FACTOR = 'second_factor_needed'
/** The organization lets this member in by its own sign-on only. The page itself leads there when it is loaded again. */
const SIGN_ON = 'sign_on_needed'

/** `keepalive`: the request outlives its page, if its body has at most 64 KB. */
export async function request<T>(method: string, path: string, body?: object, keepalive = false): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json', 'accept-language': document.documentElement.lang }
  if (body) headers['content-type'] = 'application/json'
  const own = credentials()
  if (own) Object.assign(headers, await own.headers())
  else if (method !== 'GET') headers['X-CSRFToken'] = boot.csrfToken
  const init: RequestInit = { method, headers, credentials: own ? 'omit' : 'same-origin', body: body && JSON.stringify(body), keepalive }
  const response = await fetch(`${boot.api}/${path}`, init).catch(() => Promise.reject(OFFLINE_ERROR))
  if (response.status === 401 && own?.renew()) return request<T>(method, path, body, keepalive)
  if (!own && (response.status === 401 || response.redirected)) redirectToSignIn()
  const answer: unknown = response.status === 204 ? null : await response.json().catch(() => null)
  if (!response.ok) {
    const error = apiErrorFrom(response.status, answer)
    if (error.code === SECOND_FACTOR) location.assign(`/accounts/?next=${encodeURIComponent(location.pathname)}`)
    if (error.code === SIGN_ON) location.reload()
    if (error.code === PROOF_NEEDED && (await askForProof())) return request<T>(method, path, body)
    throw error
  }
  return answer as T
}

/** Returns a file that is made of what is sent. Rejects with an ApiError, also when the answer breaks off. */
export async function requestFile(path: string, body: object | undefined, signal?: AbortSignal): Promise<Blob> {
  const init: RequestInit = body ? { method: 'POST', headers: { 'content-type': 'application/json', 'X-CSRFToken': boot.csrfToken }, body: JSON.stringify(body) } : {}
  const response = await fetch(`${boot.api}/${path}`, { ...init, ...(signal && { signal }) }).catch(() => Promise.reject(OFFLINE_ERROR))
  if (response.status === 401) redirectToSignIn()
  if (!response.ok) throw apiErrorFrom(response.status, await response.json().catch(() => null))
  return response.blob().catch(() => Promise.reject(OFFLINE_ERROR))
}

/** The query string of the values. Values that are not set are left out. */
export const queryString = (values: Record<string, string | number | null | undefined>): string => {
  const entries = Object.entries(values).filter(([, value]) => value != null)
  return entries.length ? `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}` : ''
}

/** What to tell the user about any failure. */
export function errorMessage(error: unknown): string {
  if (error === OFFLINE_ERROR) return t`The server cannot be reached. Check your connection and try again.`
  return error instanceof ApiError ? error.message : t`Something went wrong. Try again.`
}
