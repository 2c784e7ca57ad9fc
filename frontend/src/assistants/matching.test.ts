import { expect, test } from 'vitest'
import { matchingAssistants, mentionQuery } from './matching'

test.each([['@', ''], ['@An', 'an'], ['@support desk', 'support desk'], ['', null], ['a @b', null], ['@a\nb', null], ['@a@b', null]])('%j asks for %j', (text, query) => {
  expect(mentionQuery(text)).toBe(query)
})

test('names come before descriptions, and beginnings first', () => {
  const all = [
    { name: 'Writer', description: 'Analyses of style' },
    { name: 'Data analyst', description: 'Tables' },
    { name: 'Analyst', description: 'Charts' },
    { name: 'Legal', description: 'Contracts' },
  ]
  expect(matchingAssistants(all, 'anal').map(({ name }) => name)).toEqual(['Analyst', 'Data analyst', 'Writer'])
  expect(matchingAssistants(all, '')).toHaveLength(4)
})
