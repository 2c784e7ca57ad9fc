import { randomUuid } from '../../browser/uuid'
import { Session } from './session'

/** Idle conversations kept in memory, so that going back to one is instant. */
const MAX_IDLE = 12

const sessions = new Map<string, Session>()
/** By project; '' outside of any. */
const newChats = new Map<string, Session>()

function dropOldestIdle(): void {
  const idle = [...sessions.values()].filter((session) => !session.busy && !session.queue.hasOffline)
  for (const session of idle.slice(0, Math.max(0, idle.length - MAX_IDLE))) sessions.delete(session.id)
}

/** The session of a conversation. Leaving a conversation does not stop it: its session stays here. */
export function sessionOf(id: string): Session {
  const session = sessions.get(id) ?? new Session(id, false)
  sessions.delete(id)
  sessions.set(id, session) // the newest is last
  dropOldestIdle()
  return session
}

/** The conversation that the next first message will begin, in the project or outside of any. */
export function draftSession(projectId: string | null = null): Session {
  const draft = newChats.get(projectId ?? '')
  if (draft?.state.get().load === 'new') {
    sessions.set(draft.id, draft)
    return draft
  }
  const session = new Session(randomUuid(), true)
  session.state.patch({ projectId })
  newChats.set(projectId ?? '', session)
  sessions.set(session.id, session)
  return session
}

export const findSession = (id: string): Session | undefined => sessions.get(id)
export const allSessions = (): readonly Session[] => [...sessions.values()]

/** The conversation was deleted. A view that still shows it says so. */
export function removeSession(id: string): void {
  sessions.get(id)?.handleDeletion()
  sessions.delete(id)
}

/** After a gap in the notifications: what was given up goes on, the conversation on display is read again, the others when they are opened. */
export function refreshSessions(displayed: string | undefined): void {
  for (const session of allSessions()) {
    if (session.state.get().connection === 'lost') session.recover()
    else session.hurry()
    void session.queue.flush()
    if (session.busy || session.state.get().load !== 'ready') continue
    if (session.id === displayed) void session.reload()
    else if (!session.queue.hasOffline) sessions.delete(session.id)
  }
}
