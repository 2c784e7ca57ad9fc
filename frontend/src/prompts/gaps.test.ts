import { expect, test } from 'vitest'
import { gapsOf, matchingPrompts, nextGap, promptQuery } from './gaps'

const TEXT = 'Write to {{customer}} about {{order}}, dear {{customer}}.'

test('gaps are named once, and visited in turn and around', () => {
  const gaps = gapsOf(TEXT)
  expect(gaps).toEqual(['{{customer}}', '{{order}}'])
  const visit = (from: number) => {
    const gap = nextGap(TEXT, gaps, from)
    return gap && [gap.start, TEXT.slice(gap.start, gap.end)]
  }
  expect([visit(0), visit(10), visit(30), visit(60)]).toEqual([
    [9, '{{customer}}'],
    [28, '{{order}}'],
    [44, '{{customer}}'],
    [9, '{{customer}}'],
  ])
})

test('braces that the user typed are no gaps', () => {
  expect(nextGap('a {{template}}', [], 0)).toBeNull()
})

test.each([['/', ''], ['/Tra', 'tra'], ['/delay notice', 'delay notice'], ['', null], ['a /b', null], ['/a\nb', null], ['/usr/bin', null]])('%j asks for %j', (text, query) => {
  expect(promptQuery(text)).toBe(query)
})

test('titles that begin with the words come first', () => {
  const prompts = [{ title: 'Compare offers' }, { title: 'Offer' }, { title: 'Translate' }]
  expect(matchingPrompts(prompts, 'offer').map(({ title }) => title)).toEqual(['Offer', 'Compare offers'])
})
