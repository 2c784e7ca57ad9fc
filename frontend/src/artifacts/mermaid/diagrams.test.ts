import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { diagramErrorOf } from '../../sandbox/mermaid/diagramError'
import { createLiveDiagram, type DrawRequest } from './liveDiagram'
import type { DrawResult } from './renderer'
import { fitScale, zoomByStep, zoomByWheel } from './zoom'

const drawn = (svg: string): DrawResult => ({ ok: true, drawing: { svg, width: 1, height: 1, kind: '' } })
const request = (code: string, streaming: boolean): DrawRequest => ({ code, theme: 'light', streaming })

describe('a diagram of a text that keeps changing', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function watched(takesMs = 0) {
    const codes: string[] = []
    const draw = (code: string) => new Promise<DrawResult>((resolve) => setTimeout(() => resolve(drawn(code)), takesMs))
    return { codes, live: createLiveDiagram(draw, (_, code) => codes.push(code)) }
  }

  it('is drawn at most five times a second while the text comes, and the newest text in the end', async () => {
    const { codes, live } = watched()
    for (let length = 1; length <= 100; length += 1) {
      live.want(request('x'.repeat(length), true))
      await vi.advanceTimersByTimeAsync(10)
    }
    live.want(request('complete', false))
    await vi.advanceTimersByTimeAsync(50)
    expect(codes.length).toBeGreaterThanOrEqual(4)
    expect(codes.length).toBeLessThanOrEqual(7)
    expect(codes.at(-1)).toBe('complete')
  })

  it('draws one text at a time, and of those that came meanwhile only the newest', async () => {
    const { codes, live } = watched(1000)
    live.want(request('first', false))
    await vi.advanceTimersByTimeAsync(10)
    for (const code of ['second', 'third']) live.want(request(code, false))
    await vi.advanceTimersByTimeAsync(5000)
    expect(codes).toEqual(['first', 'third'])
  })

  it('shows nothing after its end', async () => {
    const { codes, live } = watched(10)
    live.want(request('late', false))
    await vi.advanceTimersByTimeAsync(5)
    live.stop()
    await vi.advanceTimersByTimeAsync(100)
    expect(codes).toEqual([])
  })
})

describe('the line of a fault', () => {
  it.each([
    [{ message: 'Parse error on line 3:\n...A -->' }, 3],
    [{ message: 'Lexical error on line 2. Unrecognized text.', hash: { loc: { first_line: 1 } } }, 2],
    [{ message: 'Expecting SEMI', hash: { loc: { first_line: 4 } } }, 4],
    [{ message: 'No diagram type detected matching given configuration' }, null],
    ['Invalid date:2024-13-45', null],
    [{ message: 'Parse error on line 6: unexpected end' }, 4],
  ])('%o: %s', (error, line) => expect(diagramErrorOf(error, 'a\nb\nc\nd\n').line).toBe(line))
})

describe('the zoom', () => {
  it('fits a large picture into the box and leaves a small one at its size', () => {
    expect(fitScale({ width: 1000, height: 100 }, { width: 548, height: 600 })).toBe(0.5)
    expect(fitScale({ width: 10, height: 10 }, { width: 600, height: 600 })).toBe(2)
    expect(fitScale({ width: 10, height: 10 }, { width: 0, height: 0 })).toBe(1)
  })

  it('comes back with as many steps out as in, and has its ends', () => {
    expect(zoomByStep(zoomByStep(1, 1), -1)).toBeCloseTo(1)
    expect([zoomByStep(8, 1), zoomByStep(0.1, -1)]).toEqual([8, 0.1])
    expect(zoomByWheel(zoomByWheel(1, 30), -30)).toBeCloseTo(1)
  })
})
