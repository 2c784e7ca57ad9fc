import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Chunk } from './messages'
import { createBatch } from './outputs'

describe('the batch of what a program writes', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('gives all writes of a frame at once, in their order, and joins those of one stream', () => {
    const batches: (readonly Chunk[])[] = []
    const batch = createBatch((chunks) => batches.push(chunks))
    for (let number = 0; number < 1000; number += 1) batch.add({ stream: 'out', text: '.' })
    batch.add({ stream: 'err', text: 'oh' })
    batch.add({ stream: 'out', text: '!' })
    expect(batches).toEqual([])
    vi.advanceTimersByTime(16)
    expect(batches).toEqual([[{ stream: 'out', text: '.'.repeat(1000) }, { stream: 'err', text: 'oh' }, { stream: 'out', text: '!' }]])
  })

  it('gives what waits before the end is told, once', () => {
    const batches: (readonly Chunk[])[] = []
    const batch = createBatch((chunks) => batches.push(chunks))
    batch.add({ stream: 'out', text: 'last' })
    batch.flush()
    vi.advanceTimersByTime(100)
    expect(batches).toEqual([[{ stream: 'out', text: 'last' }]])
  })
})
