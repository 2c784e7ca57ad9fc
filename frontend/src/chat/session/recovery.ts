// What to do after a request to the stream ended. Pure: AnswerStream carries it out.
import { backoffMs, pauseAfterClose } from '../../api/backoff'

export type StreamRequest = 'send' | 'regenerate' | 'resume'

export type StreamEnding = {
  readonly request: StreamRequest
  readonly error: Error | undefined
  /** A `finish` chunk arrived. */
  readonly finished: boolean
  /** This viewer left, on purpose. */
  readonly left: boolean
  /** The server had nothing to resume. */
  readonly idle: boolean
  /** The newest message is the user's: nothing of an answer is here. */
  readonly unanswered: boolean
}

/** `resend` repeats the user's message under its own id, which the server accepts once; `reload` reads the stored conversation. */
export type NextStep = 'none' | 'resume' | 'resend' | 'reload'

/** They take half a minute together. */
export const MAX_ATTEMPTS = 10

/** Pause before an attempt, from about 0.3 s to 8 s; longer when the server closed the socket because of too many frames. */
export const pauseMs = (attempt: number, error?: Error): number => pauseAfterClose(closeCodeOf(error), backoffMs(attempt, 300, 8000))

/** The transport names the code of a closed socket in its message only. */
const closeCodeOf = (error: Error | undefined): number | undefined => {
  const code = /\(code (\d+)/.exec(error?.message ?? '')?.[1]
  return code === undefined ? undefined : Number(code)
}

/** The transport and the browsers report a lost connection as a TypeError that names the network. `closed`: this page gave the socket up as dead. */
export const isDisconnect = (error: Error | undefined): boolean =>
  error instanceof TypeError ? /network|fetch|load failed/i.test(error.message) : /transport was closed/.test(error?.message ?? '')

export function nextStep(ending: StreamEnding): NextStep {
  if (ending.left || ending.finished) return 'none'
  if (ending.error) return isDisconnect(ending.error) ? afterDisconnect(ending) : 'none'
  return ending.idle ? 'reload' : 'resume'
}

const afterDisconnect = (ending: StreamEnding): NextStep => (ending.request === 'send' && ending.unanswered ? 'resend' : 'resume')
