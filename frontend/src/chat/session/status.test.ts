import { expect, test } from 'vitest'
import { announcement, displayedStatus } from './status'

test('a lost stream still counts as running while it is picked up', () => {
  expect(displayedStatus('error', 'reconnecting')).toEqual({ status: 'streaming', running: true, reconnecting: true })
  expect(displayedStatus('ready', 'reconnecting').status).toBe('streaming')
})

test('a resumed stream is an ordinary stream', () => {
  expect(displayedStatus('submitted', 'reconnecting')).toEqual({ status: 'submitted', running: true, reconnecting: false })
  expect(displayedStatus('streaming', 'reconnecting').reconnecting).toBe(false)
})

test('a failure is a failure', () => {
  expect(displayedStatus('error', 'steady')).toEqual({ status: 'error', running: false, reconnecting: false })
  expect(displayedStatus('error', 'lost').running).toBe(false)
})

test('an answer that is about to be followed counts as running', () => {
  expect(displayedStatus('ready', 'joining')).toEqual({ status: 'submitted', running: true, reconnecting: false })
})

test('the live region says what an answer waits for', () => {
  expect(announcement(displayedStatus('ready', 'steady'), 'approval', true)).toBe('Permission needed.')
  expect(announcement(displayedStatus('ready', 'steady'), 'reply', true)).toBe('Waiting for your reply.')
})

test('the live region says one sentence', () => {
  expect(announcement(displayedStatus('streaming', 'steady'), null, true)).toBe('The assistant is answering.')
  expect(announcement(displayedStatus('ready', 'steady'), null, true)).toBe('Answer complete.')
  expect(announcement(displayedStatus('ready', 'steady'), null, false)).toBe('')
})
