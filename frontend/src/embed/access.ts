// The visitor's session: a bearer for 15 minutes, which lives in this page's memory alone.
import { t } from '@lingui/core/macro'
import { setCredentials } from '../api/credentials'
import { ApiError, apiErrorFrom, OFFLINE_ERROR } from '../api/client'
import type { EmbedSession } from '../api/generated'
import { readStored, writeStored } from '../browser/storage'
import { frameBoot } from './boot'
import { ask } from './port'
import { tellTitle } from './titles'

/** The bearer is renewed so long before its end. */
const EARLY_S = 60
/** The random token of a visitor without an account. The browser keeps it apart for each site that shows the chat. */
const VISITOR = `visitor:${frameBoot.site}`

let session: { readonly bearer: string; readonly endsAt: number } | undefined
let beginning: Promise<EmbedSession> | undefined
let signs = false
let hasRenewed = false

const isFresh = (): boolean => session !== undefined && Date.now() < session.endsAt

async function begin(): Promise<EmbedSession> {
  const reply = signs ? await ask({ kind: 'token' }) : null
  if (reply === false) throw new ApiError(0, 'no_host_token', t`This page could not say who you are.`)
  const hostToken = typeof reply === 'string' ? reply : ''
  // With a host's token, too: what a stranger wrote here before the page signed them in becomes theirs.
  const visitorToken = readStored(VISITOR) ?? ''
  const init: RequestInit = { method: 'POST', credentials: 'omit', headers: { 'content-type': 'application/json', 'accept-language': document.documentElement.lang }, body: JSON.stringify({ hostToken, visitorToken }) }
  const response = await fetch(frameBoot.sessionUrl, init).catch(() => Promise.reject(OFFLINE_ERROR))
  const answer: unknown = await response.json().catch(() => null)
  if (!response.ok) throw apiErrorFrom(response.status, answer)
  const embedSession = answer as EmbedSession
  if (embedSession.visitorToken || hostToken) writeStored(VISITOR, embedSession.visitorToken)
  session = { bearer: embedSession.bearer, endsAt: Date.now() + (embedSession.lifeS - EARLY_S) * 1000 }
  return embedSession
}

/** Begins a session; all who ask meanwhile get the same one. */
export function beginSession(): Promise<EmbedSession> {
  return (beginning ??= begin().finally(() => (beginning = undefined)))
}

/** Whether somebody was here before, or the page signs its visitors in: a stranger gets a session with the first message. */
export const isKnown = (): boolean => signs || readStored(VISITOR) !== null

/** `pageSigns`: the page has tokens for its visitors. */
export function startAccess(pageSigns: boolean): void {
  signs = pageSigns
  setCredentials({
    headers: async () => {
      if (!isFresh()) await beginSession()
      return { authorization: `Bearer ${session?.bearer}` }
    },
    firstFrame: () => JSON.stringify({ type: 'authenticate', bearer: session?.bearer ?? '' }),
    onMessage: tellTitle,
    renew: () => {
      const may = !hasRenewed
      hasRenewed = true
      setTimeout(() => (hasRenewed = false), 10_000)
      session = undefined
      return may
    },
  })
}
