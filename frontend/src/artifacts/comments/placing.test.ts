import { expect, test } from 'vitest'
import { placed, type ThreadBox } from './placing'

const box = (passageTop: number | null, height = 50): ThreadBox => ({ passageTop, height })
const place = (boxes: readonly ThreadBox[], active: number | null = null) => placed(boxes, { active, least: 40, gap: 10 })

test('threads stand at their passages while there is room', () => {
  expect(place([box(60), box(200)])).toEqual([60, 200])
})

test('threads push each other down', () => {
  expect(place([box(60), box(70), box(75, 20), box(300)])).toEqual([60, 120, 180, 300])
})

test('nothing stands above the least place', () => {
  expect(place([box(0), box(10)])).toEqual([40, 100])
})

test('the active thread takes its place exactly, and the others give way on both sides', () => {
  expect(place([box(200), box(210), box(215)], 1)).toEqual([150, 210, 270])
  expect(place([box(200), box(210), box(215)], 2)).toEqual([95, 155, 215])
})

test('threads above the active one move no further than they must', () => {
  expect(place([box(60), box(200), box(210)], 2)).toEqual([60, 150, 210])
})

test('the active thread moves down where those above it need the room', () => {
  expect(place([box(45), box(50), box(55)], 2)).toEqual([40, 100, 160])
})

test('a thread without a passage follows the one before it, also when it is active', () => {
  expect(place([box(60), box(null), box(null)], 1)).toEqual([60, 120, 180])
  expect(place([box(null)], 0)).toEqual([40])
})

test('threads never overlap', () => {
  const boxes = Array.from({ length: 30 }, (_, index) => box((index * 37) % 400, 20 + ((index * 13) % 90))).toSorted((a, b) => a.passageTop! - b.passageTop!)
  for (let active = 0; active < boxes.length; active++) {
    const tops = place(boxes, active)
    tops.slice(1).forEach((top, index) => expect(top).toBeGreaterThanOrEqual(tops[index]! + boxes[index]!.height + 10))
    expect(tops[0]).toBeGreaterThanOrEqual(40)
  }
})
