import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStore } from '../../ui/store'
import { Reconnection, type RetryStep } from './reconnection'
import { MAX_ATTEMPTS } from './recovery'
import { INITIAL_STATE, type SessionState } from './sessionState'

let steps: RetryStep[]
const state = createStore<SessionState>(INITIAL_STATE)
const retry = async (step: RetryStep) => void steps.push(step)

beforeEach(() => {
  vi.useFakeTimers()
  steps = []
  state.set(INITIAL_STATE)
})

afterEach(() => void vi.useRealTimers())

function useUpAttempts(reconnection: Reconnection): void {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    reconnection.schedule('resume')
    vi.runAllTimers()
  }
}

test('after the last attempt the connection is lost, and nothing is tried any more', () => {
  const reconnection = new Reconnection(state, retry)
  useUpAttempts(reconnection)
  expect(state.get().connection).toBe('reconnecting')
  state.patch({ stopping: true })
  reconnection.schedule('resume')
  vi.runAllTimers()
  expect(state.get()).toMatchObject({ connection: 'lost', stopping: false })
  expect(steps).toHaveLength(MAX_ATTEMPTS)
})

test('the user can try again at once, and that repeats what was given up', () => {
  const reconnection = new Reconnection(state, retry)
  useUpAttempts(reconnection)
  reconnection.schedule('resend')
  reconnection.retryNow()
  vi.advanceTimersByTime(0)
  expect(steps.at(-1)).toBe('resend')
  reconnection.schedule('resend')
  expect(state.get().connection).toBe('reconnecting')
})

test('an attempt that waits is made at once for somebody who looks, and only then', () => {
  const reconnection = new Reconnection(state, retry)
  reconnection.hurry()
  vi.runAllTimers()
  expect(steps).toEqual([])
  for (let attempt = 0; attempt < 6; attempt++) {
    reconnection.schedule('resume')
    vi.runAllTimers()
  }
  steps = []
  reconnection.schedule('resume')
  vi.advanceTimersByTime(100)
  expect(steps).toEqual([])
  reconnection.hurry()
  vi.advanceTimersByTime(0)
  expect(steps).toEqual(['resume'])
})

test('a stream that moved on has all attempts ahead', () => {
  const reconnection = new Reconnection(state, retry)
  useUpAttempts(reconnection)
  reconnection.reset()
  reconnection.schedule('resume')
  expect(state.get().connection).toBe('reconnecting')
})

test('a cancelled attempt does not happen', () => {
  const reconnection = new Reconnection(state, retry)
  reconnection.schedule('resume')
  reconnection.cancel()
  vi.runAllTimers()
  expect(steps).toEqual([])
})

test('after a close because of too many frames nothing is tried for ten seconds', () => {
  const reconnection = new Reconnection(state, retry)
  reconnection.schedule('resume', new TypeError('WebSocket chat network connection closed (code 1008).'))
  vi.advanceTimersByTime(9_900)
  expect(steps).toEqual([])
  vi.runAllTimers()
  expect(steps).toEqual(['resume'])
})
