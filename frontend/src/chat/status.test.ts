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

test('the live region says one sentence', () => {
  expect(announcement(shownStatus('streaming', 'steady'), true)).toBe('The assistant is answering.')
  expect(announcement(shownStatus('ready', 'steady'), true)).toBe('Answer complete.')
  expect(announcement(shownStatus('ready', 'steady'), false)).toBe('')
})
