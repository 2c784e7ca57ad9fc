import { describe, expect, test } from 'vitest'
import type { ConversationItem } from '../api/generated'
import { dayLabel, groupByDay } from './groups'
import { EMPTY_LIST, sidebarItems, withItem, withNewestPage, withoutItem, withPage } from './list'

const NOW = new Date(2026, 4, 20, 9, 0).getTime()
const at = (days: number, hour = 8) => new Date(2026, 4, 20 - days, hour).toISOString()
const item = (id: string, updatedAt: string, title = id): ConversationItem => ({ id, title, headId: null, updatedAt, createdAt: updatedAt, revision: 1, unread: false, pinned: false, archived: false, projectId: null, activeRun: false, waiting: null })
const ids = (list: { items: readonly ConversationItem[] }) => list.items.map((one) => one.id).join('')

describe('days', () => {
  test.each([
    [at(0, 1), 'Today'],
    [at(1, 23), 'Yesterday'],
    [at(6), 'Previous 7 days'],
    [at(7), 'Previous 30 days'],
    [at(29), 'Previous 30 days'],
    [at(60), 'March 2026'],
  ])('%s is %s', (time, label) => {
    expect(dayLabel(Date.parse(time), NOW)).toBe(label)
  })

  test('groups keep the order of the list', () => {
    const groups = groupByDay([item('a', at(0)), item('b', at(0, 1)), item('c', at(1))], NOW)
    expect(groups.map((group) => [group.label, ids(group)])).toEqual([
      ['Today', 'ab'],
      ['Yesterday', 'c'],
    ])
  })
})

test('pinned ones come first, in a group of their own', () => {
  const groups = groupByDay([item('a', at(0)), { ...item('b', at(1)), pinned: true }, item('c', at(1))], NOW)
  expect(groups.map((group) => [group.label, ids(group)])).toEqual([
    ['Pinned', 'b'],
    ['Today', 'a'],
    ['Yesterday', 'c'],
  ])
})

describe('the list', () => {
  const first = withPage(EMPTY_LIST, { items: [item('a', at(0)), item('b', at(1))], nextCursor: 'next' })

  test('pages follow each other without doubles', () => {
    const both = withPage(first, { items: [item('b', at(1)), item('c', at(2))], nextCursor: null })
    expect(ids(both)).toBe('abc')
    expect(both.cursor).toBeNull()
  })

  test('a conversation that was used moves to the top', () => {
    expect(ids(withItem(first, item('b', at(0, 9))))).toBe('ba')
    expect(ids(withItem(first, item('n', at(0, 9))))).toBe('nab')
  })

  test('an older state that arrives last changes nothing', () => {
    const list = withItem(first, { ...item('a', at(0), 'Title'), revision: 9 })
    const late = withItem(list, { ...item('a', at(0), ''), revision: 8, activeRun: true })
    expect(late.items[0]).toEqual(list.items[0])
    expect(withNewestPage(list, { items: [item('a', at(0), '')], nextCursor: null }).items[0]).toEqual(list.items[0])
  })

  test('a deleted conversation goes', () => {
    expect(ids(withoutItem(first, 'a'))).toBe('b')
  })

  test('an archived conversation stays known, so that an older state does not list it again', () => {
    const archived = withItem(first, { ...item('a', at(0)), archived: true, revision: 5 })
    expect(ids({ items: sidebarItems(withItem(archived, { ...item('a', at(0)), revision: 4 }).items) })).toBe('b')
  })

  test('after a gap, a pinned one that is not on the page is not pinned any more, and pinned ones do not count for its age', () => {
    const before = withPage(EMPTY_LIST, { items: [{ ...item('p', at(9)), pinned: true }, item('a', at(0)), item('b', at(1))], nextCursor: 'more' })
    const again = withNewestPage(before, { items: [{ ...item('q', at(8)), pinned: true }, item('a', at(0))], nextCursor: 'x' })
    expect(again.items.map(({ id, pinned }) => [id, pinned])).toEqual([
      ['a', false],
      ['b', false],
      ['q', true],
      ['p', false],
    ])
  })

  test('after a gap, what is missing from the newest page was deleted; older ones stay', () => {
    const both = withPage(first, { items: [item('c', at(2)), item('d', at(3))], nextCursor: 'more' })
    const again = withNewestPage(both, { items: [item('a', at(0)), item('c', at(2))], nextCursor: 'x' })
    expect(ids(again)).toBe('acd')
    expect(again.cursor).toBe('more')
  })
})
