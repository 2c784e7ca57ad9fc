import { expect, test } from 'vitest'
import { announcement, shownStatus } from './status'

test('a lost stream still counts as running while it is picked up', () => {
  expect(shownStatus('error', 'reconnecting')).toEqual({ status: 'streaming', running: true, reconnecting: true })
  expect(shownStatus('ready', 'reconnecting').status).toBe('streaming')
})

test('a resumed stream is an ordinary stream', () => {
  expect(shownStatus('submitted', 'reconnecting')).toEqual({ status: 'submitted', running: true, reconnecting: false })
  expect(shownStatus('streaming', 'reconnecting').reconnecting).toBe(false)
})

test('a failure is a failure', () => {
  expect(shownStatus('error', 'steady')).toEqual({ status: 'error', running: false, reconnecting: false })
  expect(shownStatus('error', 'lost').running).toBe(false)
})

test('an answer that is about to be followed counts as running', () => {
  expect(shownStatus('ready', 'joining')).toEqual({ status: 'submitted', running: true, reconnecting: false })
})

test('the live region says what an answer waits for', () => {
  expect(announcement(shownStatus('ready', 'steady'), 'approval', true)).toBe('The assistant asks for your permission to use a tool.')
  expect(announcement(shownStatus('ready', 'steady'), 'reply', true)).toBe('The assistant waits for your reply.')
})

test('the live region says one sentence', () => {
  expect(announcement(shownStatus('streaming', 'steady'), null, true)).toBe('The assistant is answering.')
  expect(announcement(shownStatus('ready', 'steady'), null, true)).toBe('Answer complete.')
  expect(announcement(shownStatus('ready', 'steady'), null, false)).toBe('')
})
