import { randomUuid } from '../../browser/uuid'
import { Session } from './session'

/** Idle conversations kept in memory, so that going back to one is instant. */
const MOST_IDLE = 12

const sessions = new Map<string, Session>()
let draft: Session | undefined

function forgetOldest(): void {
  const idle = [...sessions.values()].filter((session) => !session.busy && !session.interjections.holds)
  for (const session of idle.slice(0, Math.max(0, idle.length - MOST_IDLE))) sessions.delete(session.id)
}

/** The session of a conversation. Leaving a conversation does not stop it: its session stays here. */
export function sessionOf(id: string): Session {
  const session = sessions.get(id) ?? new Session(id, false)
  sessions.delete(id)
  sessions.set(id, session) // the newest is last
  forgetOldest()
  return session
}

/** The conversation that the next first message will begin. */
export function draftSession(): Session {
  if (!draft || draft.state.get().load !== 'new') draft = new Session(randomUuid(), true)
  sessions.set(draft.id, draft)
  return draft
}

export const knownSession = (id: string): Session | undefined => sessions.get(id)
export const allSessions = (): readonly Session[] => [...sessions.values()]

/** The conversation is gone; whoever still shows it says so. */
export function removeSession(id: string): void {
  sessions.get(id)?.removed()
  sessions.delete(id)
}

/** After a gap in the notifications: what was given up goes on, the one on display is read again, the others when they are opened. */
export function refreshSessions(displayed: string | undefined): void {
  for (const session of allSessions()) {
    if (session.state.get().connection === 'lost') session.recover()
    void session.interjections.flush()
    if (session.busy || session.state.get().load !== 'ready') continue
    if (session.id === displayed) void session.reload()
    else if (!session.interjections.holds) sessions.delete(session.id)
  }
}
