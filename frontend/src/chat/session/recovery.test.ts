import { expect, test } from 'vitest'
import { isDisconnect, nextStep, pauseMs, type StreamEnding } from './recovery'

const disconnect = new TypeError('WebSocket chat network connection closed (code 1006).')
const ending = (part: Partial<StreamEnding>): StreamEnding => ({
  request: 'send',
  error: undefined,
  finished: false,
  left: false,
  idle: false,
  unanswered: false,
  ...part,
})

test.each<[string, Partial<StreamEnding>, string]>([
  ['a whole answer needs nothing', { finished: true }, 'none'],
  ['leaving needs nothing', { left: true }, 'none'],
  ['a cut in mid-answer is resumed', { error: disconnect }, 'resume'],
  ['a message that never arrived is sent again', { error: disconnect, unanswered: true }, 'resend'],
  ['a second answer is asked for again only by the user', { request: 'regenerate', error: disconnect, unanswered: true }, 'resume'],
  ['a resume that fails is tried again', { request: 'resume', error: disconnect, unanswered: true }, 'resume'],
  ['an answer that ends without `finish` is resumed', {}, 'resume'],
  ['nothing to resume: the stored answer is read', { request: 'resume', idle: true }, 'reload'],
  ['an error of the server is shown, not retried', { error: new Error('The provider is busy.') }, 'none'],
])('%s', (_, part, step) => {
  expect(nextStep(ending(part))).toBe(step)
})

test('only network errors count as a lost connection', () => {
  expect(isDisconnect(disconnect)).toBe(true)
  expect(isDisconnect(new TypeError('Failed to fetch'))).toBe(true)
  expect(isDisconnect(new TypeError('x is not a function'))).toBe(false)
  expect(isDisconnect(new Error('network'))).toBe(false)
})

test('a socket that was closed because of too many frames is left alone for ten seconds', () => {
  const flooded = new TypeError('WebSocket chat network connection closed (code 1008).')
  expect(isDisconnect(flooded)).toBe(true)
  expect(pauseMs(0, flooded)).toBeGreaterThanOrEqual(10_000)
  expect(pauseMs(0, disconnect)).toBeLessThanOrEqual(300)
  expect(pauseMs(0)).toBeLessThanOrEqual(300)
})
